package drover.system.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DroverBuild;
import drover.coordinator.Faults;
import drover.model.Digest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Strategy;
import drover.system.failover.ReplicatedDeployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An earlier build and today's in every mix: each kind of program is of the one or of the other,
 * and in each mix a rollout goes through. From one mix to the next a single kind is replaced, so
 * that all of them are met, in either direction, on one database and by the same nodes.
 */
@DisplayName("C15: a rollout goes through in every mix of an earlier build and today's")
@Faults(
        rule = "C15 (neighboring versions work together)",
        sample = "SchemaSkewIT.opensWhatWasOnlyAddedTo")
class MixedBuildsIT {
    private static final int NODES = 3;
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final DroverBuild TODAY = DroverBuild.current();
    private static final String AGENTS = "agents";

    /** What is replaced together, from what is replaced most often to what is replaced once. */
    private static final List<String> KINDS =
            List.of(AGENTS, "manifest", "health", "coordinator", "gateway");

    @TempDir Path folder;
    private final List<Digest> digests = new ArrayList<>();
    private StartLoggingPrograms programs;
    private DroverBuild previous = TODAY;
    private ReplicatedDeployment deployment;
    private AgentProcesses agents;

    @BeforeEach
    void startThePreviousBuild() throws IOException {
        previous = PreviousBuild.required("MixedBuildsIT");
        deployment = new ReplicatedDeployment(folder, NODES, previous, AgentProcesses.PROFILE);
        programs = new StartLoggingPrograms(folder);
        digests.add(written("v1"));
        digests.add(written("v2"));
        agents =
                new AgentProcesses(
                        folder, deployment.gateways(), Files.readAllBytes(at("v1")), NODES);
        IntStream.range(0, NODES).forEach(number -> agents.start(number, previous));
        deployment.awaitConnected(NODES);
        await().atMost(SOON).until(() -> programs.starts().size() == NODES);
    }

    @AfterEach
    void close() {
        if (agents != null) {
            agents.close();
        }
        if (deployment != null) {
            deployment.close();
        }
        if (programs != null) {
            programs.end();
        }
    }

    private Path at(String version) {
        return folder.resolve("program-" + version);
    }

    private Digest written(String version) throws IOException {
        byte[] bytes = programs.program(version, 0);
        Files.write(at(version), bytes);
        return Digest.of(bytes);
    }

    @Test
    @Timeout(1_800)
    void aRolloutGoesThroughInEachMix() {
        int mixes = 1 << KINDS.size();
        int today = 0;
        upgrade(1);
        for (int mix = 1; mix < mixes; mix++) {
            int kind = Integer.numberOfTrailingZeros(mix); // the one bit that a Gray code flips
            today ^= 1 << kind;
            replace(KINDS.get(kind), isIn(today, kind) ? TODAY : previous);
            upgrade(mix + 1);
            System.out.printf(
                    "MixedBuildsIT: mix %d of %d, today's: %s%n", mix + 1, mixes, kinds(today));
        }
    }

    private static boolean isIn(int mix, int kind) {
        return (mix & 1 << kind) != 0;
    }

    private static List<String> kinds(int mix) {
        return IntStream.range(0, KINDS.size())
                .filter(kind -> isIn(mix, kind))
                .mapToObj(KINDS::get)
                .toList();
    }

    private void replace(String kind, DroverBuild build) {
        if (kind.equals(AGENTS)) {
            IntStream.range(0, NODES).forEach(number -> agents.replace(number, build));
        } else {
            List.of(kind + "-1", kind + "-2")
                    .forEach(service -> deployment.replace(service, build));
        }
        deployment.awaitConnected(NODES);
    }

    /** From one version to the other, or back. */
    private void upgrade(int turn) {
        int to = turn % 2; // the first one goes from v1 to v2
        String target = "v" + (to + 1);
        String rollout =
                deployment
                        .operator()
                        .create(
                                CreateRolloutRequest.newBuilder()
                                        .setStrategy(Strategy.STRATEGY_ROLLING)
                                        .setBatchSize(NODES)
                                        .setSourceVersion("v" + (2 - to))
                                        .setTargetVersion(target)
                                        .setTargetBinaryUrl(at(target).toUri().toString())
                                        .setTargetBinaryChecksum(digests.get(to).value())
                                        .build());
        deployment.operator().runToCompletion(rollout);
        HistoryAssertions.assertThatOf(deployment, rollout);
        assertThat(programs.starts())
                .as("C1: none was started twice or not at all")
                .hasSize(NODES * (turn + 1));
    }
}
