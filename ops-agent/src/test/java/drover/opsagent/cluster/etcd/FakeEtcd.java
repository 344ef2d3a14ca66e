package drover.opsagent.cluster.etcd;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * JSON gateway of member {@code id} of an etcd cluster that member 1 leads. Its responses are those
 * that the test sets, also ones that etcd never returns.
 */
final class FakeEtcd implements AutoCloseable {
    static final String TOKEN = "token-of-the-cluster";

    private final long id;
    private final HttpServer server;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> received = new CopyOnWriteArrayList<>();
    private volatile String members = "";
    private volatile boolean requiresToken;
    private volatile boolean reachesQuorum = true;
    private volatile String error = "";
    private volatile String statusFields = "\"leader\": \"1\", \"raftIndex\": \"5\"";
    private final Map<String, HttpHandler> handlers = new ConcurrentHashMap<>();

    FakeEtcd(long id) throws IOException {
        this.id = id;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(workers);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** JSON of one element of the member list. */
    static String member(long id, String... urls) {
        return "{\"ID\": \"%d\", \"name\": \"m%d\", \"clientURLs\": [%s]}"
                .formatted(
                        id, id, urls.length == 0 ? "" : "\"" + String.join("\", \"", urls) + "\"");
    }

    void setMembers(String... elements) {
        members = String.join(", ", elements);
    }

    /** Each request but an authentication needs the token. */
    void requireToken() {
        requiresToken = true;
    }

    /** Linearizable reads fail, but reads of the member's own memory succeed. */
    void loseQuorum() {
        reachesQuorum = false;
    }

    /** Each status is rejected with this message. */
    void failWith(String message) {
        error = message;
    }

    /** Fields of the status in place of those of a healthy follower of member 1, as JSON. */
    void setStatus(String fields) {
        statusFields = fields;
    }

    /** Each request for the path is handled by the test; the handler need not close it. */
    void handle(String path, HttpHandler handler) {
        handlers.put(path, handler);
    }

    /** Path, token and body of each request. */
    List<String> received() {
        return received;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String token = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] body = exchange.getRequestBody().readAllBytes();
            received.add(path + " " + token + " " + new String(body, StandardCharsets.UTF_8));
            boolean open = Set.of("/v3/auth/authenticate", "/health", "/version").contains(path);
            if (requiresToken && !open && !token.equals(TOKEN)) {
                respond(exchange, 401, "{\"message\": \"invalid auth token\"}");
                return;
            }
            HttpHandler handler = handlers.get(path);
            if (handler != null) {
                handler.handle(exchange);
                return;
            }
            switch (path) {
                case "/v3/auth/authenticate" ->
                        respond(exchange, 200, "{\"token\": \"" + TOKEN + "\"}");
                case "/v3/cluster/member/list" ->
                        respond(exchange, 200, "{\"members\": [" + members + "]}");
                case "/v3/maintenance/status" -> respondStatus(exchange);
                case "/version" -> respond(exchange, 200, "{\"etcdcluster\": \"3.4.0\"}");
                case "/health" ->
                        respond(
                                exchange,
                                reachesQuorum ? 200 : 503,
                                "{\"health\": \"" + reachesQuorum + "\"}");
                default -> respond(exchange, 404, "{}");
            }
        }
    }

    private void respondStatus(HttpExchange exchange) throws IOException {
        if (error.isEmpty()) {
            respond(
                    exchange,
                    200,
                    """
                    {"header": {"cluster_id": "99", "member_id": "%d", "raft_term": "7"},
                     "raftTerm": "7", "raftAppliedIndex": "5", %s}
                    """
                            .formatted(id, statusFields));
        } else {
            respond(
                    exchange,
                    500,
                    EtcdGateway.JSON.createObjectNode().put("message", error).toString());
        }
    }

    static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }
}
