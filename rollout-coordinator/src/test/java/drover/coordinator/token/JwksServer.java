package drover.coordinator.token;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** An address at which an identity provider publishes its keys. */
final class JwksServer implements AutoCloseable {
    private final HttpServer server;
    private final AtomicReference<String> keys;
    private final AtomicInteger requested = new AtomicInteger();
    private volatile int status = 200;

    private JwksServer(HttpServer server, String keys) {
        this.server = server;
        this.keys = new AtomicReference<>(keys);
    }

    static JwksServer open(String keys) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        JwksServer published = new JwksServer(server, keys);
        server.createContext(
                "/",
                exchange -> {
                    published.requested.incrementAndGet();
                    byte[] body = published.keys.get().getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(published.status, body.length);
                    try (OutputStream out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                });
        server.start();
        return published;
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/keys";
    }

    int requestCount() {
        return requested.get();
    }

    void publish(String others) {
        keys.set(others);
        status = 200;
    }

    void fail() {
        status = 503;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
