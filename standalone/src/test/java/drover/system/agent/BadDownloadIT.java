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
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * An artifact that cannot be had, or has no room: the rollout pauses and says why, and the program
 * that ran runs on, never stopped, the same process.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class BadDownloadIT {
    private static final int MIB = 1 << 20;

    private TestDeployment deployment;
    private HttpServer server;
    private Path small;
    private boolean mounted;

    @BeforeAll
    void start(@TempDir Path place) throws Exception {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard =
                SleepProgramConfig.in(place.resolve("config")).node("bunk-1").node("tight");
        byte[] program = SleepProgramConfig.program("v2");
        server = serving(program);
        String base = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        for (String fault : List.of("corrupt", "truncated", "gone", "broken")) {
            yard.manifest(fault, base + fault, Digest.of(program));
        }
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
        if (server != null) {
            server.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "corrupt, CHECKSUM_MISMATCH",
        "truncated, DOWNLOAD_TRUNCATED",
        "endless, DOWNLOAD_TOO_LARGE",
        "gone, ARTIFACT_NOT_FOUND",
        "broken, DOWNLOAD_FAILED"
    })
    void nodeKeepsRunningAndTheRolloutReportsWhyE4(String fault, String reason) throws IOException {
        fails("bunk-1", fault, reason);
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
        server.start();
        return server;
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
