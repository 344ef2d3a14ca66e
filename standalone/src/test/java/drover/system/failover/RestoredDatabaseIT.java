package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A mesh whose database is brought back from a copy while its nodes know better. */
@Timeout(600)
@Faults(
        rule = "D-4 (nodes ahead of a restored database wait for an operator)",
        sample = "RestoredDatabaseTest.aNodeAheadOfTheDatabaseWaitsForAClear")
class RestoredDatabaseIT {
    private static final Duration SOON = Waits.LIMIT;

    @Test
    @DisplayName("G5: nodes that know more than a restored database are left alone until accepted")
    void leavesNodesOfALaterVersionUntilAccepted(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        yard.node("bunk-1").node("bunk-2");
        for (String version : List.of("v2", "v3")) {
            byte[] program = SleepProgramConfig.program(version);
            yard.manifest(version, yard.url(version, program), Digest.of(program));
        }
        Path data = place.resolve("mesh");
        Path saved = place.resolve("saved");
        Path cluster;
        try (TestDeployment deployment = TestDeployment.of(data, yard.folder())) {
            cluster = deployment.data.postgres();
            deployment.awaitStill(deployment.started(rollout("v2", "v1", "bunk-2")), "completed");
        }
        copy(cluster, saved);
        try (TestDeployment deployment = TestDeployment.of(data, yard.folder())) {
            deployment.awaitStill(deployment.started(rollout("v2", "v1", "bunk-1")), "completed");
        }
        delete(cluster);
        copy(saved, cluster);

        try (TestDeployment deployment = TestDeployment.of(data, yard.folder())) {
            assertThat(deployment.rest.get("/api/v1/rollouts").body().at("/rollouts"))
                    .as("the database is of the past")
                    .hasSize(1);
            String next = deployment.started(rollout("v3", "v2", "bunk-1", "bunk-2"));
            deployment.awaitStill(next, "completed");
            JsonNode left = deployment.node(next, "bunk-1");
            assertThat(left.at("/status").asString("")).isEqualTo("skipped");
            assertThat(left.at("/skip_reason").asString("")).isEqualTo("DRIFTED");
            assertThat(left.toString()).contains("attempt");
            assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                    .isEqualTo(SleepProgramConfig.digest("v2"));
            assertThat(TestDeployment.executable(deployment.pid("bunk-2")))
                    .isEqualTo(SleepProgramConfig.digest("v3"));

            assertThat(
                            deployment
                                    .rest
                                    .post(
                                            "/api/v1/nodes/bunk-1/clear",
                                            "{\"reason\": \"The database was restored.\"}")
                                    .status())
                    .isIn(200, 202);
            await().atMost(SOON)
                    .until(
                            () ->
                                    deployment
                                            .rest
                                            .get("/api/v1/nodes/bunk-1/why")
                                            .text("/reasons/0/code")
                                            .equals("CLEARED"));

            deployment.awaitStill(deployment.started(rollout("v3", "v2", "bunk-1")), "completed");
            assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                    .isEqualTo(SleepProgramConfig.digest("v3"));
        }
    }

    private static String rollout(String version, String from, String... nodes) {
        return """
            {"upgrade_id": "sleeper-%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "%s", "node_ids": ["%s"], "strategy": "rolling", "batch_size": 2,
             "health_wait_duration": "1s"}
            """
                .formatted(version, from, String.join("\", \"", nodes));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file)),
                        StandardCopyOption.COPY_ATTRIBUTES); // the server asks for its modes
            }
        }
        chown(from, to);
    }

    /** Run as root, the server runs as an ordinary user, who owns its files. */
    private static void chown(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.setOwner(to.resolve(from.relativize(file)), Files.getOwner(file));
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
