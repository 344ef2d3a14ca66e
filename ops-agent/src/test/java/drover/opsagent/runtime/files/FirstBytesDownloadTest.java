package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import drover.model.Digest;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.HttpFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FirstBytesDownloadTest {
    private static final int LARGE = 64 << 20;

    private final Ticker ticker = new SystemTicker();
    private final AtomicLong sent = new AtomicLong();
    private HttpServer server;

    @BeforeEach
    void aServerOfALargeArtifact() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/large",
                exchange -> {
                    exchange.sendResponseHeaders(200, LARGE);
                    byte[] block = new byte[64 * 1024];
                    new Random(1).nextBytes(block);
                    try (OutputStream out = exchange.getResponseBody()) {
                        for (int i = 0; i < LARGE / block.length; i++) {
                            out.write(block);
                            sent.addAndGet(block.length);
                        }
                    }
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void readsTheStartOnly() {
        byte[] first = probe(LARGE);
        assertThat(first).hasSize(64 * 1024);
        assertThat(sent.get()).isLessThan(LARGE / 2); // what the sockets hold, and no more
    }

    @ParameterizedTest
    @CsvSource({"1000, DOWNLOAD_TOO_LARGE", "90000000, DOWNLOAD_TRUNCATED"})
    void refusesAnotherSizeThanTheStatedOne(long stated, ReasonCode reason) {
        assertThatExceptionOfType(FetchFailed.class)
                .isThrownBy(() -> probe(stated))
                .withMessageNotContaining("SECRET")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void knowsProgramsForOtherMachines() {
        byte[] arm = Arrays.copyOf(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1}, 64);
        arm[18] = (byte) 183;
        assertThat(ExecutableCompatibility.findIncompatibility(arm, "amd64"))
                .contains("arm64", "amd64")
                .endsWith(".");
        assertThat(ExecutableCompatibility.findIncompatibility(arm, "aarch64")).isEmpty();
        assertThat(ExecutableCompatibility.findIncompatibility(arm, "some other machine"))
                .isEmpty();
        assertThat(
                        ExecutableCompatibility.findIncompatibility(
                                "#!/bin/sh".getBytes(StandardCharsets.UTF_8), "amd64"))
                .isEmpty();
    }

    private byte[] probe(long size) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/large?sig=SECRET";
        return FirstBytesDownload.download(
                new Artifact(url, Digest.of("whatever"), size),
                new HttpFetcher(DownloadPolicy.forLocalMachine(), ticker),
                ticker.deadlineIn(Duration.ofSeconds(20)));
    }
}
