package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that name a content coding although none was requested; and redirects in raw bytes. */
class ContentEncodingTest {
    private static final Path FILE = Path.of("/staging/file");
    private final byte[] plain = new byte[200_000];
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SkippingTicker ticker = new SkippingTicker();
    private HttpServer server;

    @BeforeEach
    void startServer() throws IOException {
        new Random(3).nextBytes(plain);
        Arrays.fill(plain, 1_000, 150_000, (byte) 'x'); // so that it can be compressed
        disk.putDurableFile(Path.of("/staging/other"), plain, FileAttributes.PRIVATE);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @ParameterizedTest
    @DisplayName(
            "A response that the server compressed is decoded, whether its size is known or not")
    @CsvSource({"gzip, true, true", "gzip, true, false", "x-gzip, false, true"})
    void decodesACompressedResponse(String coding, boolean sized, boolean withLength) {
        serve(gzip(plain), coding, withLength);
        fetch(plain, sized);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(plain));
    }

    @ParameterizedTest
    @DisplayName("A file that is stored compressed stays so, whatever coding the server names")
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void keepsAFileThatIsStoredCompressed(boolean sized, boolean withLength) {
        byte[] stored = gzip(plain);
        serve(stored, "x-gzip", withLength);
        fetch(stored, sized);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(stored));
    }

    @ParameterizedTest
    @DisplayName("A false header on plain bytes does no harm")
    @CsvSource({"gzip", "br", "identity"})
    void toleratesAFalseHeader(String coding) {
        serve(plain, coding, true);
        fetch(plain, true);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(plain));
    }

    @ParameterizedTest
    @CsvSource({"br, true", "br, false", "gzip, true"})
    void namesTheCodingOfBytesThatCannotBeUsed(String coding, boolean sized) {
        serve(coding.equals("br") ? gzip(plain) : gzip(new byte[9]), coding, true);
        FetchFailed failed =
                Objects.requireNonNull(
                        catchThrowableOfType(FetchFailed.class, () -> fetch(plain, sized)));
        assertThat(failed.reason()).isEqualTo(ReasonCode.CHECKSUM_MISMATCH);
        assertThat(failed).hasMessageContaining("Content-Encoding: " + coding);
    }

    @Test
    void followsARedirectWithASpaceAndRawLetters() {
        server.createContext(
                "/file",
                exchange -> {
                    // The server writes one byte per char: these are the UTF-8 bytes of a letter.
                    exchange.getResponseHeaders().add("Location", "/with space/\u00c3\u00bc?q=%2B");
                    exchange.sendResponseHeaders(302, -1);
                    exchange.close();
                });
        server.createContext(
                "/with%20space",
                exchange -> {
                    boolean same =
                            exchange.getRequestURI()
                                    .toString()
                                    .equals("/with%20space/%C3%BC?q=%2B");
                    send(exchange, same ? plain : new byte[1], true);
                });
        server.createContext("/with space", exchange -> send(exchange, plain, true));
        fetch(plain, true);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(plain));
    }

    private void serve(byte[] content, String coding, boolean withLength) {
        server.createContext(
                "/file",
                exchange -> {
                    exchange.getResponseHeaders().add("Content-Encoding", coding);
                    exchange.getResponseHeaders().add("ETag", "\"one\"");
                    send(exchange, content, withLength);
                });
    }

    private static void send(HttpExchange exchange, byte[] content, boolean withLength)
            throws IOException {
        exchange.sendResponseHeaders(200, withLength ? content.length : 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(content);
        }
    }

    private static byte[] gzip(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    private void fetch(byte[] wanted, boolean sized) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/file";
        Artifact artifact = new Artifact(url, Digest.of(wanted), sized ? wanted.length : 0);
        try (Disk.DiskFileWriter into = disk.createExclusive(FILE)) {
            new HttpFetcher(DownloadPolicy.forLocalMachine(), ticker)
                    .fetch(
                            artifact,
                            new WriterTarget(into),
                            ticker.deadlineIn(Duration.ofMinutes(5)),
                            _ -> {});
        }
    }
}
