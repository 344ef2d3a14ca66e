package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.localenv.NodeDirectory;
import drover.model.NodeId;
import drover.opsagent.main.OpsAgentMain;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.DroverProcess.Ended;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The whole way of a node with a certificate, beside a mesh with an authority of its own and with
 * nothing but the commands of the page "Operations": a join token, {@code agent enroll}, an agent
 * without a plain token, a rollout.
 */
@Timeout(600)
class EnrolledNodeRolloutIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final String NODE = "bunk-1";

    @TempDir Path place;
    @AutoClose private TestDeployment deployment;
    private NodeDirectory node;

    @BeforeEach
    void startDeploymentAndMachine() throws IOException {
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        yard.node(NODE, "agent: external");
        yard.manifest("v2", yard.url("v2"), SleepProgramConfig.digest("v2"));
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
        node = deployment.data.node(new NodeId(NODE));
    }

    private Path joinToken() throws Exception {
        Ended made =
                DroverProcess.run(
                        place,
                        "token",
                        "create",
                        "--chain=" + SleepProgramConfig.CHAIN,
                        "--type=" + SleepProgramConfig.TYPE,
                        "--node=" + NODE,
                        "--server=127.0.0.1:" + deployment.standalone.deployment().grpcPort(),
                        "--key-file=" + deployment.data.adminKey());
        assertThat(made.exitCode()).as(made.output()).isZero();
        String token =
                made.output()
                        .lines()
                        .filter(line -> !line.isEmpty() && !line.contains(" "))
                        .findFirst()
                        .orElseThrow();
        return Files.setPosixFilePermissions(
                Files.writeString(place.resolve("join-token"), token),
                PosixFilePermissions.fromString("rw-------"));
    }

    private Ended enroll(Path token) throws Exception {
        try (DroverProcess enrolling =
                agent(
                        "enroll",
                        "--gateway",
                        "127.0.0.1:" + deployment.standalone.nodeEndpoints().enrollmentPort(),
                        "--token-file",
                        token.toString(),
                        "--state",
                        node.state().toString())) {
            return enrolling.ended();
        }
    }

    /** With its certificate alone: no plain token is shown to it. */
    private DroverProcess run() throws IOException {
        return agent(
                "--gateway",
                "127.0.0.1:" + deployment.standalone.nodeEndpoints().certificatePort(),
                "--state",
                node.state().toString(),
                "--root",
                node.root().toString(),
                "--allow-local");
    }

    @Test
    @DisplayName("D-153: an agent cares for its program, and is a node as soon as it has a token")
    @Faults(
            rule = "D-153 (a machine enrolls with a join token, once)",
            sample = "SelfEnrollmentIT.isEnrolledByItsFirstConnectionWithAToken")
    void anAgentEnrollsItsMachineByItself() throws Exception {
        Path token = place.resolve("join-token");
        try (DroverProcess agent =
                agent(
                        "--gateway",
                        "127.0.0.1:" + deployment.standalone.nodeEndpoints().certificatePort(),
                        "--enrol-at",
                        "127.0.0.1:" + deployment.standalone.nodeEndpoints().enrollmentPort(),
                        "--join-token-file",
                        token.toString(),
                        "--reconnect-within",
                        "1",
                        "--state",
                        node.state().toString(),
                        "--root",
                        node.root().toString(),
                        "--allow-local")) {
            await().atMost(SOON).until(agent::output, it -> it.contains("put a join token there"));
            await().atMost(SOON).until(() -> !deployment.pids(NODE).isEmpty());
            Path made = joinToken();
            assertThat(made).isEqualTo(token);
            awaitOnline(true);
            assertThat(MtlsTestGateway.file(node.state()).read().orElseThrow().generation())
                    .isEqualTo(1);
        } finally {
            endPrograms();
        }
    }

    private void endPrograms() {
        deployment
                .pids(NODE)
                .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    private DroverProcess agent(String... arguments) throws IOException {
        return DroverProcess.start(place, OpsAgentMain.class, Map.of(), arguments);
    }

    private JsonNode shown() {
        return deployment.rest.get("/api/v1/nodes/" + NODE).body().at("/node");
    }

    private void awaitOnline(boolean is) {
        await().atMost(SOON).until(() -> shown().at("/online").asBoolean(false) == is);
    }

    @Test
    @DisplayName("H4 S6: a machine joins by token and certificate, and is upgraded by a rollout")
    void aMachineJoinsAndIsUpgraded() throws Exception {
        Path token = joinToken();
        Ended enrolled = enroll(token);
        assertThat(enrolled.output()).contains("This machine is node " + NODE);
        assertThat(enrolled.exitCode()).isZero();
        assertThat(enroll(token).output()).contains("is node " + NODE + " already");
        Files.delete(token);
        Files.delete(node.tokenFile());

        try (DroverProcess agent = run()) {
            awaitOnline(true);
            String id =
                    deployment.started(
                            """
                            {"upgrade_id": "sleeper-v2", "chain_profile_id": "yard",
                             "node_type": "bunk", "source_version": "v1", "strategy": "rolling", "batch_size": 1}
                            """);
            deployment.awaitStill(id, "completed");
            assertThat(TestDeployment.executable(deployment.pid(NODE)))
                    .isEqualTo(SleepProgramConfig.digest("v2"));
            agent.kill();
        }
        awaitOnline(false);
        long program = deployment.pid(NODE);
        try (DroverProcess again = run()) {
            awaitOnline(true);
            assertThat(again.isAlive()).isTrue();
            assertThat(deployment.pid(NODE)).as("it lives apart from its agent").isEqualTo(program);
        } finally {
            endPrograms();
        }
    }
}
