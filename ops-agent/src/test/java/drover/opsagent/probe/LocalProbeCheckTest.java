package drover.opsagent.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import drover.model.Probe;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Probes against real ports, pages and programs. */
class LocalProbeCheckTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final LocalProbeCheck check = new LocalProbeCheck();
    private HttpServer server;

    @BeforeEach
    void aServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer("/well", 200, "{\"sync\":{\"behind\":0,\"state\":\"synced\"}}");
        answer("/busy", 503, "{\"state\":\"starting\"}");
        answer("/text", 200, "not json");
        server.start();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    @Test
    void seesAnOpenPortAndAClosedOne() throws IOException {
        int port = server.getAddress().getPort();
        assertThat(problem(new Probe.Check.Tcp("", port))).isEmpty();
        assertThat(problem(new Probe.Check.Tcp("127.0.0.1", port))).isEmpty();
        assertThat(problem(new Probe.Check.Tcp("", closedPort())))
                .isEqualTo("it cannot be tried (Connection refused)");
    }

    @Test
    void comparesTheStatusOfAPage() {
        assertThat(problem(page("/well", 0, "", ""))).isEmpty();
        assertThat(problem(page("/busy", 503, "", ""))).isEmpty();
        assertThat(problem(page("/busy", 0, "", ""))).isEqualTo("it answers 503 instead of 200");
        assertThat(problem(page("/absent", 200, "", "")))
                .isEqualTo("it answers 404 instead of 200");
    }

    @Test
    void comparesTheValueAtAJsonPointer() {
        assertThat(problem(page("/well", 200, "/sync/state", "synced"))).isEmpty();
        assertThat(problem(page("/well", 200, "/sync/behind", "0"))).isEmpty();
        assertThat(problem(page("/busy", 503, "/state", "starting"))).isEmpty();
        assertThat(problem(page("/well", 200, "/sync/state", "stalled")))
                .isEqualTo("/sync/state is 'synced' instead of 'stalled'");
        assertThat(problem(page("/well", 200, "/sync/absent", "1")))
                .isEqualTo("/sync/absent is '' instead of '1'");
        assertThat(problem(page("/text", 200, "/sync", "1")))
                .isEqualTo("it does not answer with JSON");
    }

    @Test
    void runsAProgramWithoutAShell() {
        assertThat(problem(new Probe.Check.Exec(List.of("/bin/true")))).isEmpty();
        assertThat(problem(new Probe.Check.Exec(List.of("/bin/false"))))
                .isEqualTo("it exits with 1");
        assertThat(problem(new Probe.Check.Exec(List.of("/bin/true; /bin/false"))))
                .startsWith("it cannot be tried");
    }

    @Test
    @DisplayName("A probe that hangs or drips costs its timeout, never more")
    void endsInTimeWhateverTheOtherSideDoes() {
        server.createContext(
                "/drip",
                exchange -> {
                    exchange.sendResponseHeaders(200, 0);
                    try (OutputStream out = exchange.getResponseBody()) {
                        for (int i = 0; i < 100; i++) {
                            out.write(' ');
                            out.flush();
                            java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
                        }
                    }
                });
        long began = System.nanoTime();
        assertThat(check.problem(new Probe.Check.Http(url("/drip"), 200, "/a", "1"), SHORT, true))
                .isEqualTo("it did not answer in time");
        assertThat(check.problem(new Probe.Check.Exec(List.of("/bin/sleep", "30")), SHORT, true))
                .isEqualTo("it did not end in time");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void saysWhatIsWrongWithAnAddressThatIsNone() {
        assertThat(problem(new Probe.Check.Http("file:///etc/hostname", 200, "", "")))
                .isEqualTo("file:///etc/hostname is no http address: correct the probe");
        assertThat(problem(new Probe.Check.Http("nonsense", 200, "", "")))
                .startsWith("it cannot be tried");
    }

    private Probe.Check.Http page(String path, int status, String pointer, String value) {
        return new Probe.Check.Http(url(path), status, pointer, value);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private String problem(Probe.Check what) {
        return check.problem(what, TIMEOUT, true);
    }

    private void answer(String path, int status, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        server.createContext(
                path,
                exchange -> {
                    exchange.sendResponseHeaders(status, bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
