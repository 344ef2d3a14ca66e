package drover.opsagent.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** {@code /metrics} of an agent that runs by itself, over the JDK's own small web server. */
public final class MetricsServer implements AutoCloseable {
    private static final int OK = 200;
    private static final int WRONG_VERB = 405;
    private static final int NOT_THERE = 404;
    private static final int NO_BODY = -1;

    private final HttpServer server;

    private MetricsServer(HttpServer server) {
        this.server = server;
    }

    /**
     * Opens it.
     *
     * @param address {@code host:port}; port 0 takes a free one
     * @throws IllegalArgumentException when it is no address, or nothing can listen there
     */
    public static MetricsServer start(String address, Supplier<String> text) {
        try {
            HttpServer server = HttpServer.create(parseAddress(address), 0);
            server.createContext("/", exchange -> respond(exchange, text));
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.start();
            return new MetricsServer(server);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "Nothing can listen on "
                            + address
                            + " for metrics; choose another port with --metrics.",
                    e);
        }
    }

    private static InetSocketAddress parseAddress(String address) {
        int colon = address.lastIndexOf(':');
        try {
            return new InetSocketAddress(
                    address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "--metrics needs host:port, for example 127.0.0.1:9468.", e);
        }
    }

    private static void respond(HttpExchange exchange, Supplier<String> text) throws IOException {
        try (exchange) {
            boolean head = exchange.getRequestMethod().equals("HEAD");
            if (!head && !exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                exchange.sendResponseHeaders(WRONG_VERB, NO_BODY);
            } else if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                exchange.sendResponseHeaders(NOT_THERE, NO_BODY);
            } else {
                byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders()
                        .set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                exchange.sendResponseHeaders(OK, head ? NO_BODY : body.length);
                if (!head) {
                    exchange.getResponseBody().write(body);
                }
            }
        }
    }

    /** The port it listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
