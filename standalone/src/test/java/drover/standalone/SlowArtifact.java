package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A download that stops half-way until it is told to go on. */
final class SlowArtifact implements AutoCloseable {
    private final byte[] bytes;
    private final HttpServer server;
    private final CountDownLatch half = new CountDownLatch(1);
    private final CountDownLatch rest = new CountDownLatch(1);

    private SlowArtifact(byte[] bytes, HttpServer server) {
        this.bytes = bytes;
        this.server = server;
    }

    static SlowArtifact of(byte[] bytes) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        SlowArtifact slow = new SlowArtifact(bytes, server);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", slow::send);
        server.start();
        return slow;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/artifact";
    }

    void awaitHalfSent() throws InterruptedException {
        assertThat(half.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .as("the download began")
                .isTrue();
    }

    void sendTheRest() {
        rest.countDown();
    }

    private void send(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes, 0, bytes.length / 2);
            out.flush();
            half.countDown();
            if (rest.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                out.write(bytes, bytes.length / 2, bytes.length - bytes.length / 2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        rest.countDown();
        server.stop(0);
    }
}
