package drover.kit.http;

import com.google.protobuf.ByteString;
import drover.kit.grpc.Address;
import drover.kit.grpc.PortTaken;
import drover.kit.grpc.Refused;
import drover.kit.tls.MeshTls;
import drover.model.RefusalCode;
import io.helidon.http.DirectHandler.EventType;
import io.helidon.http.DirectHandler.TransportRequest;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A running HTTP server: {@code /livez}, {@code /readyz}, pages and the REST of the contracts.
 * Every request runs on a virtual thread.
 */
public final class HttpHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHost.class);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final int LARGEST_BODY = 1024 * 1024; // a manifest is at most 256 KiB

    private static final Duration GRACE = Duration.ofSeconds(3); // requests wait up to 2 s

    private static final int MOST_CONNECTIONS = 1_024; // far more than people and pages need

    private final WebServer server;

    private HttpHost(WebServer server) {
        this.server = server;
    }

    /** What a server is made of. */
    public static final class Plan {
        private final Map<String, Supplier<HttpResponse>> pages = new LinkedHashMap<>();
        private Function<HttpRequest, HttpResponse> rest = Plan::nothingThere;
        private @Nullable SSLContext tls; // null: plain

        private Plan() {
            pages.put(
                    "/livez",
                    () -> HttpResponse.of(200, HttpResponse.JSON, "{\"status\":\"alive\"}"));
            readyWhen(List::of);
        }

        /** As {@link #readyWhen(Supplier)}, and what somebody should see to while it is ready. */
        public Plan readyWhen(Supplier<List<String>> problems, Supplier<List<String>> notices) {
            pages.put("/readyz", () -> readiness(problems.get(), notices.get()));
            return this;
        }

        /** Offers REST; without it only health and pages are there. */
        public Plan rest(RestMapping mapping) {
            rest = mapping::handle;
            return this;
        }

        /**
         * Asks for readiness at every {@code /readyz}: what keeps the service from working, one
         * sentence each; none means ready.
         */
        public Plan readyWhen(Supplier<List<String>> problems) {
            return readyWhen(problems, List::of);
        }

        /** Offers a text, for example metrics, made anew for every request. */
        public Plan page(String path, String contentType, Supplier<String> text) {
            pages.put(path, () -> HttpResponse.of(200, contentType, text.get()));
            return this;
        }

        /** Speaks TLS 1.3 alone, with the certificate of this context. */
        public Plan securedBy(SSLContext context) {
            tls = context;
            return this;
        }

        /**
         * Starts at an address; port 0 takes a free one.
         *
         * @throws PortTaken when another program has the port
         */
        public HttpHost listen(Address.Tcp address) {
            Handler handler = (request, response) -> send(response, answer(request));
            WebServerConfig.Builder builder = WebServer.builder();
            SSLContext context = tls;
            if (context != null) {
                builder.tls(to -> to.sslContext(context).addEnabledProtocol(MeshTls.PROTOCOL));
            }
            WebServer server =
                    builder.bindAddress(address.socketAddress())
                            .shutdownHook(false) // whoever started it ends it
                            .shutdownGracePeriod(GRACE)
                            .maxTcpConnections(MOST_CONNECTIONS)
                            .routing(routing -> routing.any(handler))
                            .directHandlers(
                                    handlers ->
                                            handlers.addHandler(
                                                    EventType.BAD_REQUEST, HttpHost::malformed))
                            .build();
            requireFree(address);
            if (!server.start().isRunning()) { // it does not throw when it cannot listen
                throw new PortTaken(address, new IOException("the web server did not start"));
            }
            return new HttpHost(server);
        }

        /** Asked first: the web server would log a stack trace and say nothing to its caller. */
        private static void requireFree(Address.Tcp address) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(address.socketAddress());
            } catch (IOException e) {
                throw new PortTaken(address, e);
            }
        }

        private HttpResponse answer(ServerRequest request) {
            String path = request.path().rawPath();
            try {
                Supplier<HttpResponse> page = pages.get(path);
                return page == null
                        ? rest.apply(parsed(request, path))
                        : page(page, request.prologue().method().text(), path);
            } catch (Refused refused) {
                return Problem.of(refused, path).toResponse();
            } catch (RuntimeException bug) {
                LOG.error("A request failed by a bug path={}", path, bug);
                return Problem.of(
                                new Refused(
                                        RefusalCode.INTERNAL,
                                        "Drover made a mistake; its log has the details."),
                                path)
                        .toResponse();
            }
        }

        private static HttpResponse page(Supplier<HttpResponse> page, String verb, String path) {
            return switch (verb) {
                case "GET" -> page.get();
                case "HEAD" -> page.get().withoutBody();
                default ->
                        Problem.of(
                                        new Refused(
                                                RefusalCode.METHOD_NOT_ALLOWED,
                                                path + " takes GET, HEAD, not " + verb + "."),
                                        path)
                                .toResponse()
                                .with("Allow", "GET, HEAD");
            };
        }

        private static HttpResponse readiness(List<String> problems, List<String> notices) {
            return problems.isEmpty()
                    ? HttpResponse.of(200, HttpResponse.JSON, ready(notices))
                    : Problem.notReady(String.join(" ", problems), "/readyz").toResponse();
        }

        private static String ready(List<String> notices) {
            ObjectNode body = JSON.createObjectNode();
            body.put("status", "ready");
            if (!notices.isEmpty()) {
                ArrayNode told = body.putArray("notices");
                notices.forEach(told::add);
            }
            return JSON.writeValueAsString(body);
        }

        private static HttpResponse nothingThere(HttpRequest request) {
            throw new Refused(
                    RefusalCode.ROUTE_NOT_FOUND, "There is no path " + request.path() + ".");
        }
    }

    /** A new plan. */
    public static Plan plan() {
        return new Plan();
    }

    /** The port it listens on. */
    public int port() {
        return server.port();
    }

    /** Lets requests under way finish for some seconds, then ends. */
    @Override
    public void close() {
        server.stop();
    }

    private static HttpRequest parsed(ServerRequest request, String path) {
        Map<String, String> headers = new HashMap<>();
        request.headers()
                .forEach(
                        header ->
                                headers.put(header.name().toLowerCase(Locale.ROOT), header.get()));
        return new HttpRequest(
                request.prologue().method().text(),
                path,
                request.query().rawValue(),
                headers,
                body(request));
    }

    private static ByteString body(ServerRequest request) {
        if (!request.content().hasEntity()) {
            return ByteString.EMPTY;
        }
        try (InputStream content = request.content().inputStream()) {
            byte[] body = content.readNBytes(LARGEST_BODY + 1);
            if (body.length > LARGEST_BODY) {
                throw new Refused(
                        RefusalCode.BODY_TOO_LARGE,
                        "The body is larger than 1 MiB; send less at once.");
            }
            return ByteString.copyFrom(body);
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("A body broke off path={}", request.path().rawPath(), e);
            throw new Refused(RefusalCode.BODY_NOT_JSON, "The body did not arrive whole.");
        }
    }

    /**
     * What the web server itself refuses, such as a broken percent escape, is a problem as well.
     */
    private static TransportResponse malformed(
            TransportRequest request,
            EventType type,
            Status status,
            ServerResponseHeaders headers,
            String message) {
        Refused refused =
                new Refused(
                        RefusalCode.INVALID_FIELD,
                        "The request is no well-formed HTTP; check its address and headers.");
        HttpResponse problem = Problem.of(refused, request.path()).toResponse();
        return TransportResponse.builder()
                .status(status)
                .headers(headers)
                .header(HeaderNames.CONTENT_TYPE, problem.contentType())
                .keepAlive(false)
                .entity(problem.body().toByteArray())
                .build();
    }

    private static void send(ServerResponse response, HttpResponse answer) {
        response.status(answer.status());
        response.header("Content-Type", answer.contentType());
        answer.headers().forEach(response::header);
        HttpResponse.Live live = answer.live();
        if (live == null) {
            response.send(answer.body().toByteArray());
        } else {
            stream(response, live);
        }
    }

    private static void stream(ServerResponse response, HttpResponse.Live live) {
        try (OutputStream out = response.outputStream()) {
            live.writeTo(out);
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("A listener has gone reason={}", e.getMessage());
        }
    }
}
