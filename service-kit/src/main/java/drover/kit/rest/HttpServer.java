package drover.kit.rest;

import drover.kit.grpc.Address;
import drover.kit.grpc.ConnectionRateAndCountLimiter;
import drover.kit.grpc.DaemonTimerFactory;
import drover.kit.grpc.PerSourceConnectionLimit;
import drover.kit.grpc.PortInUse;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.helidon.http.DirectHandler.EventType;
import io.helidon.http.DirectHandler.TransportRequest;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running HTTP server: {@code /livez}, {@code /readyz}, pages and the REST of the contracts.
 * Every request runs on a virtual thread.
 */
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

    private static final Duration GRACE = Duration.ofSeconds(3); // requests wait up to 2 s

    private static final int MOST_CONNECTIONS = 1_024; // far more than people and pages need

    private final WebServer server;
    private final ScheduledExecutorService timer;

    private HttpServer(WebServer server, ScheduledExecutorService timer) {
        this.server = server;
        this.timer = timer;
    }

    /** What a server is made of. */
    public static final class Builder {
        private final Map<String, Supplier<HttpResponse>> pages = new LinkedHashMap<>();
        private Function<HttpRequest, HttpResponse> rest = Builder::throwRouteNotFound;
        private @Nullable SSLContext tls; // null: plain
        private @Nullable Supplier<Set<String>> names; // null: callers bring keys
        private HttpDeadlines deadlines = HttpDeadlines.STANDARD;
        private int connections = MOST_CONNECTIONS;
        private Predicate<InetAddress> admitted = _ -> true;
        private Predicate<InetAddress> unlimited = InetAddress::isLoopbackAddress;

        private Builder() {
            pages.put(
                    "/livez",
                    () -> HttpResponse.of(200, HttpResponse.JSON, "{\"status\":\"alive\"}"));
            readyWhen(List::of);
        }

        /** As {@link #readyWhen(Supplier)}, and what somebody should see to while it is ready. */
        public Builder readyWhen(Supplier<List<String>> problems, Supplier<List<String>> notices) {
            pages.put(
                    "/readyz",
                    () ->
                            ReadinessAndRejectionResponses.readinessResponse(
                                    problems.get(), notices.get()));
            return this;
        }

        /** Offers REST; without it only health and pages are there. */
        public Builder rest(RestTranscoder mapping) {
            rest = mapping::handle;
            return this;
        }

        /**
         * Asks for readiness at every {@code /readyz}: what keeps the service from working, one
         * sentence each; none means ready.
         */
        public Builder readyWhen(Supplier<List<String>> problems) {
            return readyWhen(problems, List::of);
        }

        /** Offers a text, for example metrics, made anew for every request. */
        public Builder page(String path, String contentType, Supplier<String> text) {
            pages.put(path, () -> HttpResponse.of(200, contentType, text.get()));
            return this;
        }

        /** Speaks TLS with the certificate and the protocols of this context. */
        public Builder tls(SSLContext context) {
            tls = context;
            return this;
        }

        /** Limits open connections; 1,024 if not called. One source may have an eighth of them. */
        public Builder maxConnections(int most) {
            connections = most;
            return this;
        }

        /**
         * Rejects requests that another site makes a browser send. For an endpoint that asks for no
         * key.
         *
         * @param own names of the endpoint in addition to the loopback names
         */
        public Builder rejectCrossSite(Supplier<Set<String>> own) {
            names = own;
            return this;
        }

        /** Closes connections over the rate before their TLS handshake. */
        public Builder rateLimiter(ConnectionRateAndCountLimiter limiter) {
            admitted = limiter::tryAcquire;
            return this;
        }

        /** Closes a connection that sends no request for this long after a response. */
        public Builder idleTimeout(Duration longest) {
            deadlines = new HttpDeadlines(deadlines.header(), deadlines.body(), longest);
            return this;
        }

        /** Exempts only these sources from the limit of one source; loopback if not called. */
        Builder exemptFromSourceLimit(Predicate<InetAddress> sources) {
            unlimited = sources;
            return this;
        }

        Builder deadlines(HttpDeadlines others) {
            deadlines = others;
            return this;
        }

        /**
         * Starts at an address; port 0 takes a free one.
         *
         * @throws PortInUse when another program has the port
         */
        public HttpServer listen(Address.Tcp address) {
            ScheduledExecutorService timer = DaemonTimerFactory.createTimer("http-deadlines");
            ConnectionGuard guard =
                    new ConnectionGuard(
                            admitted,
                            new PerSourceConnectionLimit(connections, unlimited),
                            deadlines,
                            timer);
            WebServer server = buildServer(address, guard);
            requireFree(address);
            if (!server.start().isRunning()) { // it does not throw when it cannot listen
                timer.shutdownNow();
                throw new PortInUse(address, new IOException("the web server did not start"));
            }
            return new HttpServer(server, timer);
        }

        private WebServer buildServer(Address.Tcp address, ConnectionGuard guard) {
            Semaphore memory = new Semaphore(RequestBody.MAX_TOTAL_BYTES);
            Handler handler =
                    (request, response) -> handleRequest(request, response, guard, memory);
            WebServerConfig.Builder builder = WebServer.builder();
            SSLContext context = tls;
            if (context != null) {
                builder.tls(to -> to.sslContext(context));
                // NIO with TLS reads the caller's name from DNS, which may take seconds
                builder.useNio(false);
            }
            return builder.bindAddress(address.socketAddress())
                    .shutdownHook(false) // whoever started it ends it
                    .shutdownGracePeriod(GRACE)
                    .maxTcpConnections(connections)
                    .protocolsDiscoverServices(false) // HTTP/1.1 alone, with counted bytes
                    .addConnectionSelector(new ByteBudgetedHttp1Protocol(guard))
                    .connectionOptions(guard)
                    .routing(routing -> routing.any(handler))
                    .directHandlers(
                            handlers ->
                                    handlers.addHandler(
                                                    EventType.BAD_REQUEST,
                                                    ReadinessAndRejectionResponses
                                                            ::rejectionResponse)
                                            .addHandler(
                                                    EventType.HTTP_VERSION_NOT_SUPPORTED,
                                                    this::respondToHttp10))
                    .build();
        }

        /** Asked first: the web server would log a stack trace and say nothing to its caller. */
        private static void requireFree(Address.Tcp address) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(address.socketAddress());
            } catch (IOException e) {
                throw new PortInUse(address, e);
            }
        }

        private void handleRequest(
                ServerRequest request,
                ServerResponse response,
                ConnectionGuard guard,
                Semaphore memory) {
            ConnectionGuard.Connection connection =
                    guard.startRequest(request.remotePeer().address());
            try (RequestBody body = new RequestBody(request, connection, memory)) {
                HttpResponse answer = routeRequest(request, body);
                boolean last = body.hasUnreadBytes();
                ReadinessAndRejectionResponses.send(
                        response, last ? answer.with("Connection", "close") : answer);
                if (last) {
                    body.drainUnread();
                    throw new CloseConnectionException("The response is the last one");
                }
            } finally {
                connection.startIdleDeadline();
            }
        }

        private HttpResponse routeRequest(ServerRequest request, RequestBody body) {
            String path = request.path().rawPath();
            try {
                HttpRequest parsed = parseRequest(request, path, body);
                if (names != null) {
                    new CrossSiteRule(names, tls == null ? "http" : "https")
                            .check(parsed.method(), parsed.headers());
                }
                Supplier<HttpResponse> page = pages.get(path);
                return page == null ? rest.apply(parsed) : page(page, parsed.method(), path);
            } catch (Refused refused) {
                return ProblemDetails.of(refused, path).toResponse();
            } catch (RuntimeException bug) {
                return bugResponse(path, bug);
            }
        }

        /**
         * Answers pages, of which load balancers request health in HTTP/1.0 (decision 0152). The
         * web server rejects the version; this makes a response of the rejection. It derives the
         * length from the body, so HEAD gets that of GET, which the connection leaves out.
         */
        private TransportResponse respondToHttp10(
                TransportRequest request,
                EventType type,
                Status status,
                ServerResponseHeaders headers,
                String message) {
            String path = request.path().split("\\?", 2)[0];
            Supplier<HttpResponse> page = pages.get(path);
            if (page == null) {
                return ReadinessAndRejectionResponses.rejectionResponse(
                        request, type, status, headers, message);
            }
            HttpResponse answer;
            try {
                String verb = request.method();
                answer = page(page, verb.equals("HEAD") ? "GET" : verb, path);
            } catch (RuntimeException bug) {
                answer = bugResponse(path, bug);
            }
            return ReadinessAndRejectionResponses.lastResponse(answer, headers);
        }

        private static HttpResponse bugResponse(String path, RuntimeException bug) {
            LOG.error("A request failed by a bug path={}", path, bug);
            return ProblemDetails.of(
                            new Refused(
                                    RefusalCode.INTERNAL,
                                    "Drover made a mistake; its log has the details."),
                            path)
                    .toResponse();
        }

        private static HttpResponse page(Supplier<HttpResponse> page, String verb, String path) {
            return switch (verb) {
                case "GET" -> page.get();
                case "HEAD" -> page.get().withoutBody();
                default ->
                        ProblemDetails.of(
                                        new Refused(
                                                RefusalCode.METHOD_NOT_ALLOWED,
                                                path + " takes GET, HEAD, not " + verb + "."),
                                        path)
                                .toResponse()
                                .with("Allow", "GET, HEAD");
            };
        }

        private static HttpResponse throwRouteNotFound(HttpRequest request) {
            throw new Refused(
                    RefusalCode.ROUTE_NOT_FOUND, "There is no path " + request.path() + ".");
        }
    }

    /** A new plan. */
    public static Builder builder() {
        return new Builder();
    }

    /** The port it listens on. */
    public int port() {
        return server.port();
    }

    /** Lets requests under way finish for some seconds, then ends. */
    @Override
    public void close() {
        server.stop();
        timer.shutdownNow();
    }

    private static HttpRequest parseRequest(ServerRequest request, String path, RequestBody body) {
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
                body);
    }
}
