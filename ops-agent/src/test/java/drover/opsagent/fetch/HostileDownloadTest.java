package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.main.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E4, E5, H13: servers that draw a download out, swap it, or lead it elsewhere. */
class HostileDownloadTest {
    private static final Path FILE = Path.of("/staging/file");
    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final int LIMIT = (int) Waits.LIMIT.toSeconds();
    private final byte[] bytes = new byte[100_000];
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SkippingTicker ticker = new SkippingTicker();
    private final List<HostileServer> servers = new ArrayList<>();

    HostileDownloadTest() {
        new Random(11).nextBytes(bytes);
        disk.putDurableFile(Path.of("/staging/other"), bytes, FileAttributes.PRIVATE);
    }

    @AfterEach
    void stop() throws IOException {
        for (HostileServer server : servers) {
            server.close();
        }
    }

    @Test
    @DisplayName(
            "E4: a flood of interim answers, or of header lines, ends the download, not the agent")
    void survivesFloods() {
        for (String flood :
                List.of("HTTP/1.1 100 Continue\r\n\r\n", "X-Flood: " + "a".repeat(990) + "\r\n")) {
            HostileServer server =
                    serve(
                            (_, out) -> {
                                HostileServer.send(out, flood.startsWith("X") ? OK : "");
                                while (true) {
                                    HostileServer.send(out, flood);
                                }
                            });
            assertThat(refused(server, LIMIT))
                    .isIn(ReasonCode.DOWNLOAD_FAILED, ReasonCode.DOWNLOAD_TOO_SLOW);
        }
    }

    @Test
    @DisplayName("E4: a body of a few bytes a second is given up")
    void givesUpADrippingBody() {
        HostileServer server =
                serve(
                        (_, out) -> {
                            HostileServer.send(out, OK + "Content-Length: 100000\r\n\r\n");
                            servers.getLast().drip(out, new byte[] {7}, 100);
                        });
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_TOO_SLOW);
    }

    @Test
    @DisplayName("E4: a chunk whose own head never ends does not outlive the action's time")
    void endsWithTheActionsTime() {
        HostileServer server =
                serve(
                        (_, out) -> {
                            HostileServer.send(
                                    out, OK + "Transfer-Encoding: chunked\r\n\r\n10;note=");
                            servers.getLast().drip(out, bytes("a"), 300);
                        });
        long before = ticker.nanos();
        assertThat(refused(server, 3)).isEqualTo(ReasonCode.ACTION_TIMED_OUT);
        Waits.measured(
                "HostileDownloadTest: refused after the action's 3 s",
                Duration.ofNanos(ticker.nanos() - before),
                Duration.ofSeconds(8)); // E4: the limit and 5 s
    }

    @Test
    @DisplayName("E4: ten times the stated size is refused before its first byte is written")
    void refusesAnAnnouncementAboveTheStatedSize() {
        HostileServer server =
                serve((_, out) -> HostileServer.send(out, OK + "Content-Length: 1000000\r\n\r\n"));
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_TOO_LARGE);
        assertThat(disk.size(FILE)).isZero();
    }

    @Test
    @DisplayName("E4: where no size is stated, the node's own bound holds")
    void stopsAtTheNodesOwnBound() {
        HostileServer server =
                serve(
                        (_, out) -> {
                            HostileServer.send(out, OK + "\r\n");
                            while (true) {
                                out.write(bytes);
                            }
                        });
        FetchFailed failed = failure(address(server), 0, 20);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_TOO_LARGE);
        assertThat(disk.size(FILE)).isLessThanOrEqualTo(1 << 20);
    }

    @Test
    @DisplayName("E5: other bytes under the same entity tag are refused by the digest of the whole")
    void refusesWhatChangedUnderItsTag() {
        HostileServer server = changing("\"one\"", "\"one\"");
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.CHECKSUM_MISMATCH);
        assertThat(server.heads()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"two\"", "W/\"one\"", ""})
    @DisplayName("E5: a range of something else is never put behind what came before")
    void mixesNoRanges(String secondTag) {
        HostileServer server = changing("\"one\"", secondTag);
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(disk.size(FILE)).isZero();
    }

    @Test
    @DisplayName("E5: a range that was not asked for is not taken")
    void takesNoRangeUnasked() {
        HostileServer server = changing("", "");
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(disk.size(FILE)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.2:PORT/app",
                "http://localhost:PORT/app",
                "http://2130706434:PORT/app",
                "http://0x7f000002:PORT/app",
                "http://[::ffff:127.0.0.2]:PORT/app",
                "http://127.0.0.1@127.0.0.2:PORT/app",
                "http://127.0.0.1:secret@127.0.0.1:PORT/app",
                "http://127.0.0.1.example:PORT/app",
                "//127.0.0.2:PORT/app",
                "http://169.254.169.254/latest/meta-data",
                "http://[fd00:ec2::254]/latest/meta-data",
                "http://100.100.100.200/latest/meta-data",
                "http://metadata.google.internal/computeMetadata/v1/",
                "file:///etc/hostname",
                "ftp://127.0.0.1/app",
                "jar:http://127.0.0.1:PORT/app!/x",
                "gopher://127.0.0.1:PORT/_GET"
            })
    @DisplayName("H13: nothing outside the list is reached through a redirect")
    void isLedNowhereElse(String location) {
        HostileServer elsewhere =
                new HostileServer(
                        HostileServer.plain("127.0.0.2"),
                        (_, out) -> HostileServer.send(out, OK + "Content-Length: 0\r\n\r\n"));
        servers.add(elsewhere);
        String there = location.replace("PORT", String.valueOf(elsewhere.port()));
        HostileServer server =
                serve(
                        (_, out) ->
                                HostileServer.send(
                                        out,
                                        "HTTP/1.1 302 Found\r\nLocation: "
                                                + there
                                                + "\r\nContent-Length: 0\r\n\r\n"));
        FetchFailed failed = failure(address(server), bytes.length, LIMIT);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_REFUSED);
        assertThat(failed.getMessage()).doesNotContain("secret");
        assertThat(elsewhere.heads()).isEmpty();
        assertThat(server.heads()).hasSize(1);
    }

    @Test
    void followsNoCircle() {
        HostileServer server =
                serve(
                        (_, out) ->
                                HostileServer.send(
                                        out, "HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n"));
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(server.heads()).hasSize(6);
    }

    @Test
    @DisplayName("A host that does not admit this node is not asked again")
    void triesOnceIfItIsNotAdmitted() {
        HostileServer server =
                serve(
                        (_, out) ->
                                HostileServer.send(
                                        out,
                                        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic"
                                                + " realm=\"x\"\r\nContent-Length: 0\r\n\r\n"));
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(server.heads()).hasSize(1);
    }

    @Test
    void takesNoRubbishForAnAnswer() {
        HostileServer server = serve((_, out) -> HostileServer.send(out, "\0\0\0rubbish\n\n"));
        assertThat(refused(server, LIMIT)).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
    }

    @Test
    @DisplayName("H14: an address that carries a credential is refused, and not repeated")
    void refusesACredentialInTheAddress() {
        FetchFailed failed = failure("http://me:canary@127.0.0.1/app", bytes.length, LIMIT);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_REFUSED);
        assertThat(failed.getMessage())
                .startsWith("The address cannot be downloaded: it contains a credential")
                .doesNotContain("canary");
    }

    /** First half of the artifact under one tag, then the second half of another one. */
    private HostileServer changing(String firstTag, String secondTag) {
        byte[] other = new byte[50_000];
        Arrays.fill(other, (byte) 1);
        return serve(
                (head, out) -> {
                    if (servers.getLast().heads().size() == 1) {
                        HostileServer.send(
                                out, OK + tag(firstTag) + "Content-Length: 100000\r\n\r\n");
                        out.write(bytes, 0, 50_000);
                        return;
                    }
                    if (firstTag.isEmpty() && head.contains("Range:")) {
                        return; // asked for a range of what cannot be told from another object
                    }
                    HostileServer.send(
                            out,
                            "HTTP/1.1 206 Partial Content\r\n"
                                    + tag(secondTag)
                                    + "Content-Range: bytes 50000-99999/100000\r\n"
                                    + "Content-Length: 50000\r\n\r\n");
                    out.write(other);
                });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String tag(String value) {
        return value.isEmpty() ? "" : "ETag: " + value + "\r\n";
    }

    private HostileServer serve(HostileServer.Words words) {
        HostileServer server = new HostileServer(words);
        servers.add(server);
        return server;
    }

    private static String address(HostileServer server) {
        return "http://127.0.0.1:" + server.port() + "/file";
    }

    private ReasonCode refused(HostileServer server, int seconds) {
        return failure(address(server), bytes.length, seconds).reason();
    }

    private FetchFailed failure(String url, long size, int seconds) {
        if (disk.kind(FILE) == Disk.EntryKind.FILE) {
            disk.delete(FILE);
        }
        DownloadPolicy policy =
                new DownloadPolicy(
                        Set.of("http"), Set.of("127.0.0.1"), false, 1 << 20, 1024, WINDOW);
        HttpFetcher fetcher = new HttpFetcher(policy, ticker);
        try (Disk.DiskFileWriter into = disk.createExclusive(FILE)) {
            FetchFailed failed =
                    catchThrowableOfType(
                            FetchFailed.class,
                            () ->
                                    fetcher.fetch(
                                            new Artifact(url, Digest.of(bytes), size),
                                            new WriterTarget(into),
                                            ticker.deadlineIn(Duration.ofSeconds(seconds)),
                                            _ -> {}));
            return Objects.requireNonNull(failed, "the download was not refused");
        }
    }
}
