package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import drover.localenv.DataDirectory;
import drover.model.Digest;
import drover.model.NodeId;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.JsonNode;

/**
 * Artifacts that cannot be downloaded or do not fit: the rollout pauses with the reason, and the
 * program that ran is never stopped. Servers that fail for some time: the upgrade succeeds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class BadDownloadIT {
    private static final int MIB = 1 << 20;

    private static final List<String> TEMPORARY_FAULTS =
            List.of("refused", "reset", "stalled", "busy", "encoded");

    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<String> resumedAt = new CopyOnWriteArrayList<>();
    private TestDeployment deployment;
    private HttpServer server;
    private ServerSocket resetting;
    private volatile @Nullable HttpServer late;
    private int latePort;
    private Path small;
    private boolean mounted;

    @BeforeAll
    void start(@TempDir Path place) throws Exception {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard =
                SleepProgramConfig.in(place.resolve("config")).node("bunk-1").node("tight");
        byte[] program = SleepProgramConfig.program("v2");
        server = serving(program);
        String base = base(server.getAddress().getPort());
        for (String fault :
                List.of("corrupt", "truncated", "gone", "broken", "overloaded", "compressed")) {
            yard.manifest(fault, base + fault, Digest.of(program));
        }
        addTemporaryFaults(yard, base);
        yard.manifest(
                "endless", base + "endless", Digest.of(program), "target_size: " + program.length);
        byte[] big = Arrays.copyOf(program, 64 * MIB);
        yard.manifest("big", yard.url("big", big), Digest.of(big));

        DataDirectory data = new DataDirectory(place.resolve("mesh"));
        data.createAndLock().close(); // makes it a data directory before the first start
        small = Files.createDirectories(data.node(new NodeId("tight")).path());
        mounted = run("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", small.toString());
        deployment = TestDeployment.of(data.root(), yard.folder());
    }

    private void addTemporaryFaults(SleepProgramConfig yard, String base) throws IOException {
        serveTemporaryFaults();
        resetting = resetting(fixed("reset"), 12); // of which Java repeats every other itself
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            latePort = free.getLocalPort();
        }
        for (String fault : TEMPORARY_FAULTS) {
            String host =
                    switch (fault) {
                        case "refused" -> base(latePort);
                        case "reset" -> base(resetting.getLocalPort());
                        default -> base;
                    };
            yard.node("node-" + fault).manifest(fault, host + fault, Digest.of(fixed(fault)));
        }
    }

    @AfterEach
    void endActiveRollouts() {
        deployment.endActiveRollouts();
    }

    @AfterAll
    void close() throws Exception {
        if (deployment != null) {
            deployment.close();
        }
        if (mounted) {
            assertThat(run("umount", "-l", small.toString())).isTrue();
        }
        closing.countDown();
        if (server != null) {
            server.stop(0);
        }
        HttpServer started = late;
        if (started != null) {
            started.stop(0);
        }
        if (resetting != null) {
            resetting.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "corrupt, CHECKSUM_MISMATCH",
        "truncated, DOWNLOAD_TRUNCATED",
        "endless, DOWNLOAD_TOO_LARGE",
        "gone, ARTIFACT_NOT_FOUND",
        "broken, DOWNLOAD_FAILED",
        "overloaded, DOWNLOAD_FAILED",
        "compressed, CHECKSUM_MISMATCH"
    })
    void nodeKeepsRunningAndTheRolloutReportsWhyE4(String fault, String reason) throws IOException {
        fails("bunk-1", fault, reason);
    }

    @ParameterizedTest
    @FieldSource("TEMPORARY_FAULTS")
    void upgradeSucceedsAfterATemporaryFault(String fault) throws IOException {
        String node = "node-" + fault;
        String id = deployment.started(rollout(node, fault));
        if (fault.equals("refused")) {
            CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS).execute(this::startLate);
        }
        deployment.awaitStill(id, "completed");
        assertThat(deployment.node(id, node).at("/status").asString()).isEqualTo("succeeded");
        assertThat(TestDeployment.executable(deployment.pid(node)))
                .isEqualTo(Digest.of(fixed(fault)));
        if (fault.equals("stalled")) {
            assertThat(resumedAt).containsExactly("bytes=" + MIB / 2 + "-");
        }
    }

    @Test
    void reportsAFullDiskWhileTheNodeKeepsRunning() throws IOException {
        assumeTrue(mounted, "Skipped: a small file system can be mounted by root only");
        fails("tight", "big", "DISK_FULL");
        deployment.endActiveRollouts();
        String id = deployment.started(rollout("tight", "corrupt"));
        deployment.awaitStill(id, "paused");
        assertThat(deployment.node(id, "tight").at("/reason").asString())
                .as("what was begun takes no room any more")
                .isEqualTo("CHECKSUM_MISMATCH");
    }

    private void fails(String node, String upgrade, String reason) throws IOException {
        long before = deployment.pid(node);
        String id = deployment.started(rollout(node, upgrade));
        JsonNode rollout = deployment.awaitStill(id, "paused");
        assertThat(rollout.at("/pause_reason").asString()).isEqualTo("FAILURE_THRESHOLD");
        assertThat(rollout.at("/explanation").asString()).isNotBlank();
        JsonNode failed = deployment.node(id, node);
        assertThat(failed.at("/status").asString()).isEqualTo("failed");
        assertThat(failed.at("/reason").asString()).as("%s", failed).isEqualTo(reason);
        assertThat(failed.at("/error_message").asString()).endsWith(".").doesNotContain("\tat ");
        assertThat(deployment.pids(node)).as("never stopped").containsExactly(before);
        assertThat(TestDeployment.executable(before)).isEqualTo(SleepProgramConfig.digest("v1"));
    }

    private static String rollout(String node, String upgrade) {
        return """
            {"upgrade_id": "sleeper-%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "v1", "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s", "node_ids": ["%s"]}
            """
                .formatted(upgrade, node);
    }

    private static HttpServer serving(byte[] program) throws IOException {
        byte[] corrupt = program.clone();
        corrupt[corrupt.length / 2]++;
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/corrupt", exchange -> answer(exchange, corrupt, corrupt.length));
        server.createContext(
                "/truncated",
                exchange ->
                        answer(
                                exchange,
                                Arrays.copyOf(program, program.length / 2),
                                program.length));
        server.createContext("/endless", BadDownloadIT::withoutEnd);
        server.createContext("/gone", exchange -> status(exchange, 410));
        server.createContext("/broken", exchange -> status(exchange, 500));
        server.createContext(
                "/overloaded",
                exchange -> {
                    exchange.getResponseHeaders().set("Retry-After", "3600");
                    status(exchange, 503);
                });
        server.createContext(
                "/compressed",
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "br");
                    answer(exchange, corrupt, corrupt.length);
                });
        server.start();
        return server;
    }

    /** The program that a node runs after a temporary fault. */
    private static byte[] fixed(String fault) throws IOException {
        return Arrays.copyOf(SleepProgramConfig.program(fault), MIB);
    }

    private void serveTemporaryFaults() throws IOException {
        byte[] stalled = fixed("stalled");
        server.createContext("/stalled", exchange -> stallOnce(exchange, stalled));
        byte[] busy = fixed("busy");
        AtomicInteger requests = new AtomicInteger();
        server.createContext(
                "/busy",
                exchange -> {
                    if (requests.incrementAndGet() <= 6) {
                        exchange.getResponseHeaders().set("Retry-After", "1");
                        status(exchange, 503);
                    } else {
                        answer(exchange, busy, busy.length);
                    }
                });
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(encoded)) {
            out.write(fixed("encoded"));
        }
        server.createContext(
                "/encoded",
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    answer(exchange, encoded.toByteArray(), encoded.size());
                });
    }

    /** Sends the first half and falls silent; sends the rest to the request that resumes it. */
    private void stallOnce(HttpExchange exchange, byte[] program) throws IOException {
        exchange.getResponseHeaders().set("ETag", "\"stalled\"");
        String range = exchange.getRequestHeaders().getFirst("Range");
        int half = program.length / 2;
        if (range == null) {
            exchange.sendResponseHeaders(200, program.length);
            exchange.getResponseBody().write(program, 0, half);
            exchange.getResponseBody().flush();
            awaitClosing();
            return;
        }
        resumedAt.add(range);
        exchange.getResponseHeaders()
                .set(
                        "Content-Range",
                        "bytes %d-%d/%d".formatted(half, program.length - 1, program.length));
        exchange.sendResponseHeaders(206, program.length - half);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(program, half, program.length - half);
        }
    }

    private void awaitClosing() throws IOException {
        try {
            closing.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void startLate() {
        try {
            byte[] program = fixed("refused");
            HttpServer started =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), latePort), 0);
            started.createContext("/", exchange -> answer(exchange, program, program.length));
            started.start();
            late = started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Resets the first connections after it accepted them, as a server does that restarts. */
    private static ServerSocket resetting(byte[] program, int connections) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual()
                .start(
                        () -> {
                            for (int i = 0; !server.isClosed(); i++) {
                                serveOrReset(server, program, i < connections);
                            }
                        });
        return server;
    }

    private static void serveOrReset(ServerSocket server, byte[] program, boolean reset) {
        try (Socket socket = server.accept()) {
            if (reset) {
                socket.setSoLinger(true, 0);
                return;
            }
            BufferedReader head =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.ISO_8859_1));
            while (!Objects.requireNonNullElse(head.readLine(), "").isEmpty()) {
                // the head of the request
            }
            String response =
                    "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                            .formatted(program.length);
            socket.getOutputStream().write(response.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().write(program);
        } catch (IOException _) {
            // the test has ended
        }
    }

    private static String base(int port) {
        return "http://127.0.0.1:" + port + "/";
    }

    private static void answer(HttpExchange exchange, byte[] body, int announced)
            throws IOException {
        exchange.sendResponseHeaders(200, announced);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Ends when the reader has had enough. */
    private static void withoutEnd(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        byte[] block = new byte[8 * 1024];
        try (OutputStream out = exchange.getResponseBody()) {
            while (!Thread.currentThread().isInterrupted()) {
                out.write(block);
            }
        }
    }

    private static void status(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private static boolean run(String... command) throws Exception {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program here
        }
    }
}
