package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.time.AutoAdvancingTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast a node downloads at the most. */
class DownloadRateLimitTest {
    @ParameterizedTest
    @CsvSource({"20MiB/s, 20971520", "512KiB/s, 524288", "1GiB/s, 1073741824", "99999B/s, 99999"})
    void readsHowItIsWritten(String text, long bytesPerSecond) {
        assertThat(DownloadRateLimit.parse(text).bytesPerSecond()).isEqualTo(bytesPerSecond);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "20", "20MB/s", "20 MiB/s", "-1MiB/s", "0MiB/s", "1KiB/s", "16383B/s"})
    void refusesWhatIsNoRateOrTooSlow(String text) {
        assertThatThrownBy(() -> DownloadRateLimit.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text);
    }

    @Test
    @DisplayName("Ten seconds of data take ten seconds; silence before does not make it faster")
    void keepsToTheRate() {
        AutoAdvancingTicker ticker = new AutoAdvancingTicker();
        DownloadRateLimit rate = new DownloadRateLimit(100_000);
        DownloadRateLimit.PerDownloadThrottle pace = rate.startThrottle(ticker);
        ticker.pause(Duration.ofSeconds(60));
        long before = ticker.nanos();
        for (int i = 0; i < 100; i++) {
            pace.waitAfter(10_000);
        }
        assertThat(Duration.ofNanos(ticker.nanos() - before)).isEqualTo(Duration.ofSeconds(10));
        assertThat(rate.maxReadSize(64 * 1024)).isEqualTo(25_000);
    }

    @Test
    @DisplayName("A real download of 200 KiB at 100 KiB a second takes two seconds")
    void slowsARealDownload() throws IOException {
        byte[] bytes = new byte[200 * 1024];
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(Path.of("/staging/other"), bytes, FileAttributes.PRIVATE);
        Ticker ticker = new AutoAdvancingTicker(); // moves by the rests of the download alone
        String head = "HTTP/1.1 200 OK\r\nContent-Length: " + bytes.length + "\r\n\r\n";
        try (HostileServer server =
                        new HostileServer(
                                (_, out) -> {
                                    HostileServer.send(out, head);
                                    out.write(bytes);
                                });
                Disk.DiskFileWriter into = disk.createExclusive(Path.of("/staging/file"))) {
            long before = ticker.nanos();
            new HttpFetcher(
                            DownloadPolicy.forLocalMachine(),
                            HostAccessByOrigin.NONE,
                            DownloadRateLimit.parse("100KiB/s"),
                            ticker)
                    .fetch(
                            new Artifact(
                                    "http://127.0.0.1:" + server.port() + "/file",
                                    Digest.of(bytes),
                                    bytes.length),
                            new WriterTarget(into),
                            ticker.deadlineIn(Duration.ofSeconds(20)),
                            _ -> {});
            assertThat(Duration.ofNanos(ticker.nanos() - before))
                    .isBetween(Duration.ofMillis(1_900), Duration.ofMillis(2_100));
        }
    }
}
