package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HttpFetcherTest {
    private static final Path FILE = Path.of("/staging/file");
    private final byte[] bytes = new byte[300_000];
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SkippingTicker ticker = new SkippingTicker();
    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer server;

    @BeforeEach
    void aServer() throws IOException {
        new Random(7).nextBytes(bytes);
        disk.putDurableFile(Path.of("/staging/other"), bytes, FileAttributes.PRIVATE);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void getsWhatTheDigestNames() {
        serve(exchange -> whole(exchange, bytes));
        fetch(bytes.length, policy());
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
    }

    @Test
    @DisplayName("E5: a broken transfer goes on where it broke, if it is still the same object")
    void resumesWhatBroke() {
        serve(
                exchange -> {
                    String range = exchange.getRequestHeaders().getFirst("Range");
                    if (range == null) {
                        half(exchange, bytes, "\"one\"");
                    } else {
                        int from = Integer.parseInt(range.replaceAll("[^0-9]", ""));
                        part(exchange, bytes, from, "\"one\"");
                    }
                });
        fetch(bytes.length, policy());
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(requests).hasValue(2);
    }

    @Test
    @DisplayName("E5: bytes of two objects are never mixed")
    void startsAgainWhenTheObjectChanged() {
        byte[] other = bytes.clone();
        Arrays.fill(other, (byte) 1);
        serve(
                exchange -> {
                    if (requests.get() == 1) {
                        half(exchange, other, "\"other\"");
                    } else {
                        whole(exchange, bytes);
                    }
                });
        fetch(bytes.length, policy());
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
    }

    @Test
    @DisplayName("E1: one flipped bit is refused")
    void refusesOtherBytes() {
        byte[] flipped = bytes.clone();
        flipped[1234] ^= 1;
        serve(exchange -> whole(exchange, flipped));
        assertThat(reason(bytes.length, policy())).isEqualTo(ReasonCode.CHECKSUM_MISMATCH);
    }

    @Test
    void distinguishesTruncatedAbsentAndRefused() {
        serve(exchange -> half(exchange, bytes, "\"one\""));
        assertThat(reason(bytes.length, policy())).isEqualTo(ReasonCode.DOWNLOAD_TRUNCATED);
        serve(exchange -> exchange.sendResponseHeaders(404, -1));
        assertThat(reason(bytes.length, policy())).isEqualTo(ReasonCode.ARTIFACT_NOT_FOUND);
        assertThat(reason(bytes.length, DownloadPolicy.forFleet(Set.of())))
                .isEqualTo(ReasonCode.DOWNLOAD_REFUSED);
    }

    @Test
    @DisplayName("E4: an artifact without end is given up at its stated size")
    void stopsAtTheStatedSize() {
        serve(
                exchange -> {
                    exchange.sendResponseHeaders(200, 0);
                    try (OutputStream out = exchange.getResponseBody()) {
                        while (true) {
                            out.write(bytes);
                        }
                    }
                });
        assertThat(reason(bytes.length, policy())).isEqualTo(ReasonCode.DOWNLOAD_TOO_LARGE);
        assertThat(disk.size(FILE)).isLessThanOrEqualTo(bytes.length);
    }

    @Test
    @DisplayName("E4: an artifact that stalls is given up")
    void givesUpBelowTheFloorRate() {
        serve(
                exchange -> {
                    exchange.sendResponseHeaders(200, bytes.length);
                    exchange.getResponseBody().write(bytes, 0, 10);
                    exchange.getResponseBody().flush();
                    // The exchange is left open: nothing more ever comes.
                });
        DownloadPolicy policy =
                new DownloadPolicy(
                        Set.of("http"), Set.of(), true, 1 << 20, 1024, Duration.ofMillis(250));
        assertThat(reason(bytes.length, policy)).isEqualTo(ReasonCode.DOWNLOAD_TOO_SLOW);
    }

    @Test
    @DisplayName("H13: a redirect is checked like the address it came from")
    void checksRedirects() {
        serve(
                exchange -> {
                    exchange.getResponseHeaders().add("Location", "file:///etc/hostname");
                    exchange.sendResponseHeaders(302, -1);
                });
        DownloadPolicy http =
                new DownloadPolicy(
                        Set.of("http"),
                        Set.of("127.0.0.1"),
                        false,
                        1 << 20,
                        1024,
                        Duration.ofSeconds(1));
        assertThat(reason(bytes.length, http)).isEqualTo(ReasonCode.DOWNLOAD_REFUSED);
    }

    private void serve(HttpHandler handler) {
        requests.set(0);
        if (disk.kind(FILE) == Disk.EntryKind.FILE) {
            disk.delete(FILE);
        }
        try {
            server.removeContext("/file");
        } catch (IllegalArgumentException _) {
            // the first handler of this test
        }
        server.createContext(
                "/file",
                exchange -> {
                    requests.incrementAndGet();
                    handler.handle(exchange);
                });
    }

    private static void whole(HttpExchange exchange, byte[] content) throws IOException {
        exchange.sendResponseHeaders(200, content.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(content);
        }
    }

    private static void half(HttpExchange exchange, byte[] content, String tag) throws IOException {
        exchange.getResponseHeaders().add("ETag", tag);
        exchange.sendResponseHeaders(200, content.length);
        exchange.getResponseBody().write(content, 0, content.length / 2);
        exchange.getResponseBody().flush();
        throw new IOException("cut on purpose");
    }

    private static void part(HttpExchange exchange, byte[] content, int from, String tag)
            throws IOException {
        exchange.getResponseHeaders().add("ETag", tag);
        exchange.getResponseHeaders()
                .add(
                        "Content-Range",
                        "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
        exchange.sendResponseHeaders(206, content.length - from);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(content, from, content.length - from);
        }
    }

    private ReasonCode reason(long size, DownloadPolicy policy) {
        if (disk.kind(FILE) == Disk.EntryKind.FILE) {
            disk.delete(FILE);
        }
        FetchFailed failed = catchThrowableOfType(FetchFailed.class, () -> fetch(size, policy));
        return Objects.requireNonNull(failed, "the download was not refused").reason();
    }

    private void fetch(long size, DownloadPolicy policy) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/file";
        try (Disk.DiskFileWriter into = disk.createExclusive(FILE)) {
            new HttpFetcher(policy, ticker)
                    .fetch(
                            new Artifact(url, Digest.of(bytes), size),
                            new WriterTarget(into),
                            ticker.deadlineIn(Duration.ofSeconds(90)),
                            _ -> {});
        }
    }

    private static DownloadPolicy policy() {
        return new DownloadPolicy(
                Set.of("http"), Set.of(), true, 1 << 20, 1024, Duration.ofSeconds(5));
    }
}
