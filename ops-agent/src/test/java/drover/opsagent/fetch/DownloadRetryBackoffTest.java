package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.model.Digest;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.AutoAdvancingTicker;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Links that break and servers that are unavailable for some time. */
class DownloadRetryBackoffTest {
    private static final Path STAGING = Path.of("/staging");
    private static final Path FILE = STAGING.resolve("file");
    private static final int CUT = 1 << 20;
    private static final Duration WINDOW = Duration.ofSeconds(15);

    /** Longest silence in tests in which a server falls silent. */
    private static final Duration SHORT_WINDOW = Duration.ofMillis(250);

    private final byte[] bytes = new byte[8 * CUT];
    private final SimulatedDisk disk = new SimulatedDisk();
    private final DurableFiles files = new DurableFiles(disk, new Random(5));
    private final SkippingTicker ticker = new SkippingTicker();
    private final List<HostileServer> servers = new ArrayList<>();

    DownloadRetryBackoffTest() {
        new Random(13).nextBytes(bytes);
        files.createDirectories(STAGING);
    }

    @AfterEach
    void stop() throws IOException {
        for (HostileServer server : servers) {
            server.close();
        }
    }

    @Test
    @DisplayName("A link that breaks after each 1 MiB brings all 8 MiB")
    void triesWithProgressDoNotCount() {
        HostileServer server = serve((head, out) -> sendPiece(head, out, CUT, "\"one\""));
        fetch(url(server), bytes.length);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(server.heads()).hasSize(8);
        assertThat(ticker.pauses()).allMatch(pause -> pause.toMillis() <= 500);
    }

    @Test
    @DisplayName("A link that breaks at the same byte each time is given up after five tries")
    void triesWithoutProgressCount() {
        HostileServer server = serve((_, out) -> sendFrom(0, CUT, "", out));
        FetchFailed failed = failure(url(server), bytes.length);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_TRUNCATED);
        assertThat(failed).hasMessageContaining(" broke off: ");
        assertThat(server.heads()).hasSize(1 + DownloadRetryBackoff.MAX_TRIES_WITHOUT_PROGRESS);
    }

    @Test
    @DisplayName("E4: a byte per try is no progress")
    void aBytePerTryIsNoProgress() {
        HostileServer server = serve((head, out) -> sendPiece(head, out, 1, "\"one\""));
        assertThat(failure(url(server), bytes.length).reason())
                .isEqualTo(ReasonCode.DOWNLOAD_TRUNCATED);
        assertThat(server.heads()).hasSize(DownloadRetryBackoff.MAX_TRIES_WITHOUT_PROGRESS);
    }

    @Test
    @DisplayName("The pause before a try does not count as time without progress")
    void measuresProgressAfterThePause() {
        AutoAdvancingTicker manual = new AutoAdvancingTicker();
        FetchFailed broken = new FetchFailed(ReasonCode.DOWNLOAD_TRUNCATED, "broken");
        try (ResumableDownload into =
                ResumableDownload.openAndCleanDirectory(files, FILE, Digest.of(bytes))) {
            DownloadReceiver received = new DownloadReceiver(into, 1 << 25, 0, _ -> {});
            Deadline deadline = manual.deadlineIn(Duration.ofDays(1));
            Artifact artifact = new Artifact("http://127.0.0.1/app", Digest.of(bytes), 0);
            DownloadRetryBackoff retry =
                    new DownloadRetryBackoff(artifact, policy(WINDOW), manual, received, deadline);
            for (int i = 0; i < 2 * DownloadRetryBackoff.MAX_TRIES_WITHOUT_PROGRESS; i++) {
                retry.pauseOrThrowWhileUnavailable(broken, Duration.ofMinutes(2));
                received.append(bytes, 2048); // at the minimum rate of 1024 per second
                assertThatCode(() -> retry.pauseOrThrowAfterBreak(broken))
                        .doesNotThrowAnyException();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void waitsAsLongAsABusyServerRequests(int status) {
        HostileServer server = serveAfter(6, status, "Retry-After: 2\r\n");
        fetch(url(server), bytes.length);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(ticker.pauses())
                .hasSize(6)
                .allMatch(pause -> pause.compareTo(Duration.ofSeconds(2)) >= 0);
    }

    @Test
    @DisplayName("Retry-After may be a date, which is compared to the server's own clock")
    void readsADate() {
        ZonedDateTime wrong = ZonedDateTime.of(2001, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        DateTimeFormatter format = DateTimeFormatter.RFC_1123_DATE_TIME;
        HostileServer server =
                serveAfter(
                        1,
                        503,
                        "Date: "
                                + format.format(wrong)
                                + "\r\nRetry-After: "
                                + format.format(wrong.plusSeconds(20))
                                + "\r\n");
        fetch(url(server), bytes.length);
        assertThat(ticker.pauses()).hasSize(1);
        assertThat(ticker.pauses().getFirst())
                .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));
    }

    @Test
    @DisplayName("Without Retry-After the pauses grow to 30 s, until the deadline")
    void backsOffUntilTheDeadline() {
        HostileServer server = serveAfter(Integer.MAX_VALUE, 503, "");
        FetchFailed failed = failure(url(server), bytes.length);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(failed)
                .hasMessageContaining("status 503")
                .hasMessageContaining("check its server");
        assertThat(ticker.pauses()).hasSizeGreaterThan(10);
        List<Duration> pauses = ticker.pauses();
        for (int i = 0; i < pauses.size(); i++) {
            long longest = Math.min(30_000, 500L << Math.min(i, 10));
            assertThat(pauses.get(i).toMillis()).isBetween(longest / 2 - 1, longest);
        }
    }

    @Test
    void givesUpAtOnceWhenTheServerRequestsMoreTimeThanIsLeft() {
        HostileServer server = serveAfter(1, 503, "Retry-After: 3600\r\n");
        assertThat(failure(url(server), bytes.length))
                .hasMessageContaining("status 503, Retry-After 3600 s");
        assertThat(ticker.pauses()).isEmpty();
    }

    @Test
    @DisplayName("The sentence states the Retry-After that the server sent, also beyond a day")
    void statesTheRetryAfterThatWasSent() {
        HostileServer server = serveAfter(1, 503, "Retry-After: 100000\r\n");
        assertThat(failure(url(server), bytes.length))
                .hasMessageContaining("status 503, Retry-After 100000 s");
    }

    @Test
    void retriesAPortWhereNothingListensUntilTheDeadline() throws IOException {
        HostileServer server = serve((_, _) -> {});
        server.close();
        FetchFailed failed = failure(url(server) + "?sig=SECRET", bytes.length);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(failed).hasMessageContaining("refused").hasMessageNotContaining("SECRET");
        assertThat(ticker.pauses()).hasSizeGreaterThan(10);
    }

    @Test
    @DisplayName("A server that resets its first 16 connections is retried until it responds")
    void retriesResetConnections() {
        servers.add(
                new HostileServer(
                        HostileServer.resetting(16),
                        (head, out) -> sendPiece(head, out, bytes.length, "\"one\"")));
        fetch(url(servers.getLast()), bytes.length);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(ticker.pauses()).hasSizeGreaterThanOrEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("A connection that ends in its TLS handshake is retried until the deadline")
    void retriesConnectionsThatEndInTheirHandshake(boolean reset) {
        servers.add(
                new HostileServer(HostileServer.ending(Integer.MAX_VALUE, reset), (_, _) -> {}));
        String url = url(servers.getLast()).replace("http:", "https:");
        assertThat(failure(url, bytes.length).reason()).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(ticker.pauses()).hasSizeGreaterThan(10);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
            })
    @DisplayName("A response that ends before its first byte is retried as an unavailable server")
    void retriesResponsesThatEndBeforeTheirFirstByte(String response) {
        HostileServer server = serveAfter(11, (_, out) -> HostileServer.send(out, response));
        fetch(url(server), bytes.length);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(ticker.pauses()).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    @DisplayName("An early end is not a wrong file where the manifest states no size")
    void retriesAnEarlyEndOfUnknownSize() {
        HostileServer server =
                serveAfter(11, (_, out) -> HostileServer.send(out, "HTTP/1.1 200 OK\r\n\r\n"));
        fetch(url(server), 0);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
    }

    @Test
    @DisplayName("A response that is complete and empty is given up after five tries")
    void doesNotTakeAnEmptyFileForAnEarlyEnd() {
        HostileServer server = serveAfter(Integer.MAX_VALUE, 200, "");
        assertThat(failure(url(server), bytes.length).reason())
                .isEqualTo(ReasonCode.DOWNLOAD_TRUNCATED);
        assertThat(server.heads()).hasSize(DownloadRetryBackoff.MAX_TRIES_WITHOUT_PROGRESS);
    }

    @Test
    @DisplayName("A server that is restarted in the middle of a transfer is retried until it is up")
    void retriesAServerThatRestartsAfterProgress() {
        HostileServer server =
                serve(
                        (head, out) -> {
                            int tries = servers.getLast().heads().size();
                            if (tries == 1 || tries > 12) {
                                sendPiece(head, out, 4 * CUT, "\"one\"");
                            }
                        });
        fetch(url(server), bytes.length);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(server.heads().getLast()).contains("bytes=" + 4 * CUT + "-");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n"})
    @DisplayName("A response whose first byte is late is retried, also more often than five times")
    void retriesALateFirstByte(String start) {
        HostileServer server =
                serveAfter(
                        7,
                        (_, out) -> {
                            HostileServer.send(out, start);
                            servers.getLast().rest(60_000);
                        });
        fetch(url(server), bytes.length, SHORT_WINDOW);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(server.heads()).hasSizeGreaterThanOrEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"})
    @DisplayName("E4: a head that drips is retried until the deadline and reported as slow")
    void retriesADrippingHead(String head) {
        HostileServer server = serve((_, out) -> servers.getLast().drip(out, bytes(head), 5));
        FetchFailed failed = failure(url(server), bytes.length, SHORT_WINDOW);
        assertThat(failed.reason()).isIn(ReasonCode.DOWNLOAD_TOO_SLOW, ReasonCode.ACTION_TIMED_OUT);
        assertThat(ticker.pauses()).hasSizeGreaterThan(10);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "H",
                "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\nx"
            })
    @DisplayName("E4: one byte a minute ends with one sentence at the deadline, and leaves nothing")
    void givesUpOneByteAMinute(String start) {
        HostileServer server =
                serve(
                        (_, out) -> {
                            HostileServer.send(out, start);
                            servers.getLast().drip(out, bytes("x"), 60_000);
                        });
        FetchFailed failed = failure(url(server) + "?sig=SECRET", bytes.length, SHORT_WINDOW);
        assertThat(failed.reason()).isIn(ReasonCode.DOWNLOAD_TOO_SLOW, ReasonCode.ACTION_TIMED_OUT);
        assertThat(failed.getMessage())
                .matches("[^.]*127\\.0\\.0\\.1[^.]*check its server\\.")
                .doesNotContain("SECRET");
        assertThat(disk.list(STAGING)).isEmpty();
        server.awaitDisconnects();
    }

    @Test
    @DisplayName("A transfer that is silent after each 1 MiB is resumed until 8 MiB are here")
    void resumesAfterAStall() {
        HostileServer server =
                serve(
                        (head, out) -> {
                            sendPiece(head, out, CUT, "\"one\"");
                            servers.getLast().rest(60_000);
                        });
        fetch(url(server), bytes.length, SHORT_WINDOW);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(server.heads()).hasSizeGreaterThanOrEqualTo(8);
    }

    @Test
    @DisplayName("E4: a stall at the same byte each time is given up after five tries as too slow")
    void givesUpAStallWithoutProgress() {
        HostileServer server =
                serve(
                        (_, out) -> {
                            sendFrom(0, CUT, "", out);
                            servers.getLast().rest(60_000);
                        });
        FetchFailed failed = failure(url(server), bytes.length, SHORT_WINDOW);
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_TOO_SLOW);
        assertThat(failed).hasMessageContaining(url(server) + " is below the minimum rate");
        assertThat(server.heads())
                .hasSizeGreaterThanOrEqualTo(1 + DownloadRetryBackoff.MAX_TRIES_WITHOUT_PROGRESS);
    }

    @ParameterizedTest
    @CsvSource({
        "400, DOWNLOAD_FAILED, rejected the request",
        "401, DOWNLOAD_FAILED, does not admit this node",
        "403, DOWNLOAD_FAILED, does not admit this node",
        "404, ARTIFACT_NOT_FOUND, Nothing is at",
        "410, ARTIFACT_NOT_FOUND, Nothing is at",
        "451, DOWNLOAD_FAILED, rejected the request"
    })
    void endsAtOnceWhereARetryChangesNothing(int status, ReasonCode reason, String sentence) {
        HostileServer server = serveAfter(Integer.MAX_VALUE, status, "");
        FetchFailed failed = failure(url(server) + "?sig=SECRET", bytes.length);
        assertThat(failed.reason()).isEqualTo(reason);
        assertThat(failed).hasMessageContaining(sentence).hasMessageNotContaining("SECRET");
        assertThat(server.heads()).hasSize(1);
    }

    @Test
    @DisplayName("What is staged is continued by the next download of the same digest")
    void continuesWhatAnEarlierAttemptStaged() {
        HostileServer server =
                serve((head, out) -> sendPiece(head, out, isResumed(head) ? 0 : CUT, "\"a\""));
        HostileServer good = serve((head, out) -> sendPiece(head, out, bytes.length, "\"a\""));
        failure(url(server), bytes.length);
        assertThat(ResumableDownload.unfinishedFiles(disk, STAGING)).isNotEmpty();
        long staged = stagedBytes();
        assertThat(staged).isPositive();

        fetch(url(good), bytes.length);

        assertThat(good.heads()).singleElement().asString().contains("bytes=" + staged + "-");
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(disk.list(STAGING)).containsExactly(FILE);
    }

    @Test
    @DisplayName("E1: staged bytes that changed on the disk are downloaded again, not trusted")
    void doesNotTrustWhatIsStaged() {
        HostileServer first =
                serve((head, out) -> sendPiece(head, out, isResumed(head) ? 0 : CUT, "\"a\""));
        HostileServer good = serve((head, out) -> sendPiece(head, out, bytes.length, "\"a\""));
        failure(url(first), bytes.length);
        Path part =
                ResumableDownload.unfinishedFiles(disk, STAGING).stream()
                        .filter(file -> disk.size(file) == CUT)
                        .findFirst()
                        .orElseThrow();
        byte[] changed = disk.readAll(part);
        changed[7] ^= 1;
        disk.putDurableFile(part, changed, FileAttributes.PRIVATE);

        fetch(url(good), bytes.length);

        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
        assertThat(good.heads()).hasSize(2);
    }

    @Test
    @DisplayName("A complete download of which only the end was lost needs no request")
    void finishesWhatIsComplete() {
        HostileServer server = serve((head, out) -> sendPiece(head, out, CUT, "\"a\""));
        try (ResumableDownload left =
                ResumableDownload.openAndCleanDirectory(files, FILE, Digest.of(bytes))) {
            left.restart("\"a\"");
            left.write(bytes, 0, bytes.length);
        }
        fetch(url(server), bytes.length);
        assertThat(server.heads()).isEmpty();
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
    }

    @Test
    @DisplayName("Another artifact, and bytes without an entity tag, leave nothing staged")
    void stagesOneArtifactAtMost() {
        HostileServer untagged = serve((_, out) -> sendFrom(0, CUT, "", out));
        failure(url(untagged), bytes.length);
        assertThat(disk.list(STAGING)).isEmpty();
        try (ResumableDownload left =
                ResumableDownload.openAndCleanDirectory(files, FILE, Digest.of(bytes))) {
            left.restart("\"a\"");
            left.write(bytes, 0, CUT);
        }
        ResumableDownload.openAndCleanDirectory(files, FILE, Digest.of(new byte[1])).close();
        assertThat(disk.list(STAGING)).hasSize(1);
        assertThat(ResumableDownload.unfinishedFiles(disk, STAGING)).isEmpty();
    }

    private long stagedBytes() {
        return ResumableDownload.unfinishedFiles(disk, STAGING).stream()
                .mapToLong(disk::size)
                .max()
                .orElseThrow();
    }

    private HostileServer serve(HostileServer.Words words) {
        servers.add(new HostileServer(words));
        return servers.getLast();
    }

    private HostileServer serveAfter(int refusals, int status, String headers) {
        String refusal =
                "HTTP/1.1 "
                        + status
                        + " X\r\n"
                        + headers
                        + "Content-Length: 0\r\nConnection: close\r\n\r\n";
        return serveAfter(refusals, (_, out) -> HostileServer.send(out, refusal));
    }

    private HostileServer serveAfter(int refusals, HostileServer.Words refusal) {
        int at = servers.size();
        return serve(
                (head, out) -> {
                    if (servers.get(at).heads().size() <= refusals) {
                        refusal.to(head, out);
                    } else {
                        sendPiece(head, out, bytes.length, "\"one\"");
                    }
                });
    }

    /** Sends as many bytes from where the request starts, and closes the connection. */
    private void sendPiece(String head, OutputStream out, int length, String tag)
            throws IOException {
        int range = head.indexOf("bytes=");
        int from =
                range < 0
                        ? 0
                        : Integer.parseInt(head.substring(range + 6, head.indexOf('-', range)));
        sendFrom(from, length, tag, out);
    }

    private void sendFrom(int from, int length, String tag, OutputStream out) throws IOException {
        String tagLine = tag.isEmpty() ? "" : "ETag: " + tag + "\r\n";
        String status =
                from == 0
                        ? "200 OK\r\n"
                        : "206 Partial Content\r\nContent-Range: bytes "
                                + from
                                + "-"
                                + (bytes.length - 1)
                                + "/"
                                + bytes.length
                                + "\r\n";
        HostileServer.send(
                out,
                "HTTP/1.1 "
                        + status
                        + tagLine
                        + "Content-Length: "
                        + (bytes.length - from)
                        + "\r\n\r\n");
        out.write(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length)));
        out.flush();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static boolean isResumed(String head) {
        return head.contains("bytes=");
    }

    private static String url(HostileServer server) {
        return "http://127.0.0.1:" + server.port() + "/file";
    }

    private static DownloadPolicy policy(Duration window) {
        return new DownloadPolicy(Set.of("http", "https"), Set.of(), true, 1 << 25, 1024, window);
    }

    private FetchFailed failure(String url, long size) {
        return failure(url, size, WINDOW);
    }

    private FetchFailed failure(String url, long size, Duration window) {
        return Objects.requireNonNull(
                catchThrowableOfType(FetchFailed.class, () -> fetch(url, size, window)));
    }

    private void fetch(String url, long size) {
        fetch(url, size, WINDOW);
    }

    private void fetch(String url, long size, Duration window) {
        Artifact artifact = new Artifact(url, Digest.of(bytes), size);
        ResumableDownload.download(
                files,
                new HttpFetcher(policy(window), ticker),
                artifact,
                FILE,
                ticker.deadlineIn(Duration.ofMinutes(5)),
                _ -> {});
    }
}
