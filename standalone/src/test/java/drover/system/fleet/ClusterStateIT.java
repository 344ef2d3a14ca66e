package drover.system.fleet;

import static drover.system.fleet.EtcdFleet.NODES;
import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.DroverCli;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The state of a real cluster of three etcd members, from their agents to people. */
@Timeout(600)
class ClusterStateIT {
    private EtcdFleet fleet;
    private TestDeployment deployment;
    private long frozen;

    @BeforeEach
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        fleet = EtcdFleet.in(place.resolve("config")).manifest("v2");
        deployment = TestDeployment.of(place.resolve("mesh"), fleet.folder());
        NODES.forEach(fleet::awaitWrite);
        await(() -> NODES.stream().allMatch(node -> healthyVoters(node) == 3));
    }

    @AfterEach
    void close() {
        if (frozen != 0) {
            EtcdFleet.unfreeze(frozen);
        }
        if (deployment != null) {
            deployment.close();
        }
        if (fleet != null) {
            fleet.close();
        }
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Waits.LIMIT).until(condition);
    }

    private JsonNode cluster(String node) {
        return deployment.rest.get("/api/v1/nodes/" + node).body().at("/node/conditions/0/cluster");
    }

    private String role(String node) {
        return cluster(node).at("/report/role").asString("");
    }

    private int healthyVoters(String node) {
        return cluster(node).at("/report/healthy_voters").size();
    }

    private String problem(String node) {
        return cluster(node).at("/problem").asString("");
    }

    private String show(String node) {
        StringWriter out = new StringWriter();
        int exitCode =
                DroverCli.run(
                        new String[] {
                            "node",
                            "show",
                            node,
                            "--server",
                            "127.0.0.1:" + deployment.standalone.deployment().grpcPort(),
                            "--key-file",
                            deployment.data.root().toString()
                        },
                        new PrintWriter(out),
                        new PrintWriter(out));
        assertThat(exitCode).as("%s", out).isZero();
        return out.toString();
    }

    @Test
    void peopleSeeTheStateOfEachMember() {
        assertThat(NODES).filteredOn(node -> role(node).equals("leader")).hasSize(1);
        assertThat(NODES).filteredOn(node -> role(node).equals("follower")).hasSize(2);
        for (String node : NODES) {
            assertThat(cluster(node).at("/report/member").asString("")).isEqualTo(node);
            assertThat(show(node))
                    .containsPattern(
                            "\ncluster  [0-9a-f]+  member "
                                    + node
                                    + "  (leader|follower)  term \\d+"
                                    + "  3 of 3 voters healthy  lag \\d+ entries  \\d+ s old\n");
        }
    }

    @Test
    @DisplayName("K4: a frozen member has no report, the others name it, and all recovers")
    void aFrozenMemberHasNoReport() {
        frozen = deployment.pid("st-3");
        EtcdFleet.freeze(frozen);

        await(() -> !problem("st-3").isEmpty());
        assertThat(cluster("st-3").at("/report").isMissingNode()).isTrue();
        assertThat(show("st-3")).contains("\ncluster  no report: http://127.0.0.1:");
        await(() -> healthyVoters("st-1") == 2 && healthyVoters("st-2") == 2);

        EtcdFleet.unfreeze(frozen);
        frozen = 0;
        await(() -> NODES.stream().allMatch(node -> healthyVoters(node) == 3));
    }

    @Test
    @DisplayName("K4: after an upgrade, only the new run of the member has a report")
    void onlyTheNewRunHasAReport() {
        String id =
                deployment.started(
                        """
                        {"upgrade_id": "etcd-v2", "chain_profile_id": "store",
                         "node_type": "member", "source_version": "v1",
                         "node_ids": ["st-1"], "strategy": "rolling", "batch_size": 1}
                        """);
        deployment.awaitStill(id, "completed");

        await(() -> healthyVoters("st-1") == 3);
        assertThat(List.of("leader", "follower")).contains(role("st-1"));
    }
}
