package drover.standalone.command;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** Status pages of a cluster of members {@code app-1} to {@code app-N}, led by the first. */
final class ClusterStatusPages implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<HttpServer> servers = new ArrayList<>();
    private final List<String> members = new ArrayList<>();
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> lags = new ConcurrentHashMap<>();
    private volatile String leader = "app-1";
    private volatile boolean ignoresTransfers;

    ClusterStatusPages(int size) throws IOException {
        for (int number = 1; number <= size; number++) {
            String member = "app-" + number;
            members.add(member);
            HttpServer server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/cluster", exchange -> send(exchange, state(member)));
            server.createContext("/cluster/leader", this::transfer);
            server.start();
            servers.add(server);
        }
    }

    private Map<String, Object> state(String member) {
        return Map.of(
                "cluster",
                "app",
                "name",
                member,
                "leader",
                leader,
                "term",
                3,
                "voters",
                members,
                "healthy",
                members.stream().filter(each -> !down.contains(each)).toList(),
                "lags",
                members.stream()
                        .collect(
                                Collectors.toMap(
                                        each -> each, each -> lags.getOrDefault(each, 0))));
    }

    /** The member lags behind the leader by so many entries. */
    void lag(int number, int entries) {
        lags.put("app-" + number, entries);
    }

    /** A transfer is accepted, but leadership does not move. */
    void ignoreTransfers() {
        ignoresTransfers = true;
    }

    private void transfer(HttpExchange exchange) throws IOException {
        String target = JSON.readTree(exchange.getRequestBody()).path("leader").asString("");
        leader = ignoresTransfers ? leader : target;
        send(exchange, Map.of());
    }

    private static void send(HttpExchange exchange, Map<String, Object> body) throws IOException {
        try (exchange) {
            byte[] bytes = JSON.writeValueAsBytes(body);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    String endpoint(int number) {
        InetSocketAddress address = servers.get(number - 1).getAddress();
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    String leader() {
        return leader;
    }

    /** Stops a member; the others notice. */
    void stop(int number) {
        down.add("app-" + number);
        servers.get(number - 1).stop(0);
    }

    @Override
    public void close() {
        servers.forEach(server -> server.stop(0));
    }
}
