package drover.opsagent.cluster.etcd;

import drover.model.cluster.PrintableLine;
import drover.model.program.ClusterProbe;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests to the JSON gateway of etcd, each with a timeout for the whole response. */
final class EtcdGateway {
    static final JsonMapper JSON = JsonMapper.builder().build();

    /** A response about 64 members has about 30 KiB. */
    private static final long MAX_RESPONSE = 1024 * 1024;

    private static final int UNAUTHORIZED = 401;

    private final Ticker ticker = new SystemTicker();
    private final HttpClient http;
    private final Optional<EtcdCredentials.User> user;
    private final Set<URI> configured;
    private final ReentrantLock authenticating = new ReentrantLock();
    private volatile String token = "";

    /**
     * Reads the files of the access.
     *
     * @param configured endpoints that the operator named; only they get the user's password and
     *     token (H14)
     * @throws IllegalArgumentException with one sentence
     */
    EtcdGateway(EtcdAccess access, Set<URI> configured) {
        this.configured = Set.copyOf(configured);
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .proxy(HttpClient.Builder.NO_PROXY);
        EtcdCredentials.readTls(access).ifPresent(builder::sslContext);
        this.http = builder.build();
        this.user = EtcdCredentials.readUser(access);
    }

    /**
     * Parses the address of a member.
     *
     * @throws IllegalArgumentException with one sentence, without the text: it may hold a password
     */
    static URI requireEndpoint(String text) {
        return ClusterProbe.requireEtcdEndpoint(text);
    }

    /** Response to a request with a JSON body. */
    JsonNode post(URI endpoint, String path, JsonNode body, Duration timeout)
            throws InterruptedException {
        return parse(endpoint, sendAuthorized(endpoint, path, body, limited(), timeout));
    }

    /** Response as a stream; the caller closes it. */
    InputStream postAndStream(URI endpoint, String path, JsonNode body, Duration timeout)
            throws InterruptedException {
        HttpResponse<InputStream> response =
                sendAuthorized(endpoint, path, body, BodyHandlers.ofInputStream(), timeout);
        if (response.statusCode() == 200) {
            return response.body();
        }
        try (InputStream error = response.body()) {
            byte[] start = error.readNBytes((int) MAX_RESPONSE);
            throw describe(endpoint, response.statusCode(), start);
        } catch (IOException e) {
            throw unreachable(endpoint, e);
        }
    }

    /** Response to a request without authentication. */
    JsonNode get(URI endpoint, String path, Duration timeout) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(endpoint.resolve(path)).GET().build();
        return parse(endpoint, send(endpoint, request, limited(), ticker.deadlineIn(timeout)));
    }

    private static BodyHandler<byte[]> limited() {
        return BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_RESPONSE);
    }

    /** A token expires; the second try has a new one. */
    private <T> HttpResponse<T> sendAuthorized(
            URI endpoint, String path, JsonNode body, BodyHandler<T> handler, Duration timeout)
            throws InterruptedException {
        Deadline deadline = ticker.deadlineIn(timeout);
        if (user.isEmpty() || !configured.contains(endpoint)) {
            return send(endpoint, newPost(endpoint, path, body, ""), handler, deadline);
        }
        String known = token.isEmpty() ? renewToken(endpoint, user.get(), "", deadline) : token;
        HttpResponse<T> first =
                send(endpoint, newPost(endpoint, path, body, known), handler, deadline);
        if (first.statusCode() != UNAUTHORIZED) {
            return first;
        }
        String renewed = renewToken(endpoint, user.get(), known, deadline);
        return send(endpoint, newPost(endpoint, path, body, renewed), handler, deadline);
    }

    /**
     * Returns a token other than the rejected one. Requests at the same time share one
     * authentication.
     */
    private String renewToken(
            URI endpoint, EtcdCredentials.User known, String rejected, Deadline deadline)
            throws InterruptedException {
        if (!authenticating.tryLock(deadline.left().toMillis(), TimeUnit.MILLISECONDS)) {
            throw new EtcdRequestFailed(endpoint + " did not authenticate in time.", null);
        }
        try {
            if (token.equals(rejected)) {
                token = authenticate(endpoint, known, deadline);
            }
            return token;
        } finally {
            authenticating.unlock();
        }
    }

    private String authenticate(URI endpoint, EtcdCredentials.User known, Deadline deadline)
            throws InterruptedException {
        JsonNode body =
                JSON.createObjectNode().put("name", known.name()).put("password", known.password());
        HttpRequest request = newPost(endpoint, "/v3/auth/authenticate", body, "");
        String renewed =
                parse(endpoint, send(endpoint, request, limited(), deadline))
                        .path("token")
                        .asString("");
        if (renewed.isEmpty()) {
            throw new EtcdRequestFailed(
                    endpoint + " returned no token for the user; is it etcd?", null);
        }
        return renewed;
    }

    private static HttpRequest newPost(
            URI endpoint, String path, JsonNode body, String authorization) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(endpoint.resolve(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
        if (!authorization.isEmpty()) {
            builder.header("Authorization", authorization);
        }
        return builder.build();
    }

    private <T> HttpResponse<T> send(
            URI endpoint, HttpRequest request, BodyHandler<T> handler, Deadline deadline)
            throws InterruptedException {
        CompletableFuture<HttpResponse<T>> response = http.sendAsync(request, handler);
        try {
            return response.get(deadline.left().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new EtcdRequestFailed(endpoint + " did not respond in time.", e);
        } catch (ExecutionException e) {
            throw unreachable(endpoint, e.getCause());
        } finally {
            response.cancel(true);
        }
    }

    private static EtcdRequestFailed unreachable(URI endpoint, @Nullable Throwable cause) {
        String why =
                switch (cause) {
                    case ConnectException e
                            when e.getCause() instanceof UnresolvedAddressException ->
                            "the host name is unknown";
                    case ConnectException _ -> "the connection is refused";
                    case SSLException tls -> "TLS fails: " + tls.getMessage();
                    case null -> "the connection failed";
                    default -> cause.getMessage() == null ? cause.toString() : cause.getMessage();
                };
        return new EtcdRequestFailed(
                endpoint + " cannot be queried: " + PrintableLine.of(why) + ".", cause);
    }

    private JsonNode parse(URI endpoint, HttpResponse<byte[]> response) {
        if (response.statusCode() != 200) {
            throw describe(endpoint, response.statusCode(), response.body());
        }
        try {
            return JSON.readTree(response.body());
        } catch (JacksonException e) {
            throw new EtcdRequestFailed(endpoint + " did not return JSON; is it etcd?", e);
        }
    }

    private EtcdRequestFailed describe(URI endpoint, int status, byte[] body) {
        boolean withheld = user.isPresent() && !configured.contains(endpoint);
        return new EtcdRequestFailed(
                endpoint
                        + " rejected the request: "
                        + messageOf(status, body)
                        + (withheld
                                ? "; it got no credentials, because only the member list names it:"
                                        + " pass it as an endpoint."
                                : "."),
                null);
    }

    private static String messageOf(int status, byte[] body) {
        try {
            String message = PrintableLine.of(JSON.readTree(body).path("message").asString(""));
            return message.isEmpty() ? "HTTP status " + status : message;
        } catch (JacksonException _) {
            String text = new String(body, StandardCharsets.UTF_8);
            String line = PrintableLine.of(text.lines().findFirst().orElse(""));
            return "HTTP status " + status + (line.isEmpty() ? "" : " " + line);
        }
    }
}
