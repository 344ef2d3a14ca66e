package drover.system.fleet;

import static drover.system.fleet.EtcdFleet.NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A real cluster of three etcd members, one of which freezes at the worst moment: never may a
 * second one be taken out of service, or the cluster loses its quorum.
 */
@Timeout(900)
class EtcdHealthIT {
    private static final Set<String> IN_FLIGHT =
            Set.of("assigned", "upgrading", "settling", "restoring", "restored");

    private EtcdFleet fleet;
    private TestDeployment deployment;
    private long frozen;

    @BeforeEach
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        fleet = EtcdFleet.in(place.resolve("config")).manifest("v2");
        deployment = TestDeployment.of(place.resolve("mesh"), fleet.folder());
        NODES.forEach(fleet::awaitWrite);
    }

    @AfterEach
    void close() {
        if (deployment != null) {
            unfreeze();
            deployment.close();
        }
        if (fleet != null) {
            fleet.close();
        }
    }

    private void freeze(String node) {
        frozen = deployment.pid(node);
        EtcdFleet.freeze(frozen);
    }

    private void unfreeze() {
        if (frozen != 0 && ProcessHandle.of(frozen).isPresent()) {
            EtcdFleet.unfreeze(frozen);
        }
        frozen = 0;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(50));
    }

    private static String rollout(String upgrade, String from, String more) {
        return """
            {"upgrade_id": "etcd-%s", "chain_profile_id": "store", "node_type": "member",
             "source_version": "%s", "strategy": "rolling", "batch_size": 1%s}
            """
                .formatted(upgrade, from, more);
    }

    private List<Long> pids() {
        return NODES.stream().map(deployment::pid).toList();
    }

    private String healthOf(String node) {
        return deployment.rest.get("/api/v1/nodes/" + node).text("/node/health");
    }

    private String statusOf(String rollout, String node) {
        return deployment.node(rollout, node).at("/status").asString("");
    }

    private long inFlight(String rollout) {
        long count = 0;
        for (JsonNode node :
                deployment.rest.get("/api/v1/rollouts/" + rollout + "/nodes").body().at("/nodes")) {
            count += IN_FLIGHT.contains(node.at("/status").asString("")) ? 1 : 0;
        }
        return count;
    }

    private boolean hasIncident(String category, String node) {
        for (JsonNode one : deployment.rest.get("/api/v1/incidents").body().at("/incidents")) {
            if (one.at("/category").asString("").equals(category)
                    && one.at("/node_id").asString("").equals(node)
                    && one.at("/resolved_at").asString("").isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private String pauseReason(String rollout) {
        return deployment.rollout(rollout).at("/pause_reason").asString("");
    }

    private void awaitHealthy() {
        soon().until(() -> NODES.stream().map(this::healthOf).allMatch("ok"::equals));
    }

    /** Completes an upgrade of all nodes. */
    private String completed(String upgrade, String from) {
        String id = started(upgrade, from, "");
        deployment.awaitStill(id, "completed");
        return id;
    }

    private String started(String upgrade, String from, String more) {
        awaitHealthy();
        return deployment.started(rollout(upgrade, from, more));
    }

    @Test
    @DisplayName("A23: a rollback does not restore a second member while the first is unhealthy")
    @Faults(
            rule = "A23 (a rollback waits for the health of restored nodes)",
            sample = "RestoredNodeHealthGateTest.pausesAtTheDeadlineOfAnUnhealthyNode")
    void aRollbackWaitsForTheHealthOfWhatItRestored() {
        String id = completed("v2", "v1");
        awaitHealthy();
        List<Long> before = pids();

        deployment.request(id, "rollback");
        soon().until(() -> statusOf(id, "st-3").equals("restored"));
        freeze("st-3");

        deployment.awaitStill(id, "paused");
        assertThat(pauseReason(id)).isEqualTo("RESTORED_UNHEALTHY");
        soon().until(() -> hasIncident("node_unhealthy", "st-3"));
        assertThat(pids().subList(0, 2)).as("untouched").isEqualTo(before.subList(0, 2));
        fleet.awaitWrite("st-1");

        unfreeze();
        awaitHealthy();
        soon().until(
                        () ->
                                deployment
                                                .rest
                                                .post("/api/v1/rollouts/" + id + "/resume", "{}")
                                                .status()
                                        < 300);
        deployment.awaitStill(id, "rolled_back");
        NODES.forEach(fleet::awaitWrite);
    }

    @Test
    @DisplayName("A22: a member that is unhealthy after it had succeeded stops the rollout")
    @Faults(
            rule = "A22 (each modified node is healthy before the next batch)",
            sample = "LateFailureRulesTest.pausesBeforeTheNextBatch")
    void aLateFailureStopsTheRollout() {
        String id = started("v2", "v1", "");
        soon().until(() -> statusOf(id, "st-1").equals("succeeded"));
        deployment.request(id, "pause");
        soon().until(() -> inFlight(id) == 0);
        List<Long> before = pids();

        freeze("st-1");
        soon().until(() -> statusOf(id, "st-1").equals("unhealthy"));
        Answer resumed = deployment.rest.post("/api/v1/rollouts/" + id + "/resume", "{}");

        if (resumed.status() < 300) {
            deployment.awaitStatus(id, "paused");
            assertThat(pauseReason(id)).isIn("SUCCEEDED_UNHEALTHY", "FAILURE_THRESHOLD");
        }
        soon().until(() -> hasIncident("node_unhealthy", "st-1"));
        assertThat(pids()).as("nothing was upgraded meanwhile").isEqualTo(before);
        fleet.awaitWrite("st-3");

        unfreeze();
        soon().until(() -> statusOf(id, "st-1").equals("succeeded"));
        deployment.request(id, "resume");
        deployment.awaitStill(id, "completed");
    }

    @Test
    @DisplayName("A21: neither a release nor a retry puts a second member in flight")
    @Faults(
            rule = "A21 (never more nodes in flight than the batch size)",
            sample = "HoldExpiryTest.aReleasedNodeHasItsTurn")
    void neverMoreInFlightThanTheBatchSize() {
        awaitHealthy();
        fleet.refuseArtifacts(true);
        String id = deployment.created(rollout("v2", "v1", ", \"failure_threshold\": 2"));
        deployment.request(id, "nodes/st-2/hold", "{\"reason\": \"It is looked at.\"}");
        deployment.request(id, "start", "{\"reason\": \"As planned.\"}");
        soon().until(() -> statusOf(id, "st-1").equals("failed"));
        fleet.refuseArtifacts(false);
        soon().until(() -> Set.of("upgrading", "settling").contains(statusOf(id, "st-3")));

        deployment.request(id, "nodes/st-2/release");
        deployment.request(id, "nodes/st-1/retry");

        soon().until(
                        () -> {
                            assertThat(inFlight(id)).isLessThanOrEqualTo(1);
                            return Set.of("completed", "paused").contains(deployment.status(id));
                        });
        assertThat(deployment.status(id)).isEqualTo("completed");
    }

    @Test
    @DisplayName("A24: a rollout neither starts nor continues while another member is unhealthy")
    @Faults(
            rule = "A24 (a rollout starts and continues only with healthy targets)",
            sample = "UnhealthyBudgetTest.aTargetThatBecomesUnhealthyHoldsUpTheRollout")
    void anUnhealthyTargetStopsTheRollout() {
        awaitHealthy();
        freeze("st-3");
        soon().until(() -> healthOf("st-3").equals("critical"));
        List<Long> before = pids();
        String id = deployment.created(rollout("v2", "v1", ""));

        JsonNode plan = deployment.rest.get("/api/v1/rollouts/" + id + "/plan").body();
        assertThat(plan.at("/plan/unhealthy_nodes/0/node_id").asString("")).isEqualTo("st-3");
        assertThat(preflight(id).at("/failing_nodes").asInt()).isEqualTo(1);
        Answer refused =
                deployment.rest.post("/api/v1/rollouts/" + id + "/start", "{\"reason\": \"Now.\"}");
        assertThat(refused.text("/reason")).isEqualTo("TARGETS_UNHEALTHY");
        assertThat(pids()).isEqualTo(before);

        unfreeze();
        awaitHealthy();
        deployment.request(id, "start", "{\"reason\": \"As planned.\"}");
        soon().until(() -> statusOf(id, "st-1").equals("succeeded"));
        deployment.request(id, "pause");
        soon().until(() -> inFlight(id) == 0);
        before = pids();
        freeze("st-3");
        soon().until(() -> healthOf("st-3").equals("critical"));
        deployment.request(id, "resume");
        deployment.awaitStill(id, "paused");
        assertThat(pauseReason(id)).isEqualTo("TARGETS_UNHEALTHY");
        assertThat(pids()).as("nothing was upgraded meanwhile").isEqualTo(before);
        fleet.awaitWrite("st-1");
    }

    private JsonNode preflight(String rollout) {
        deployment.request(rollout, "preflight");
        String path = "/api/v1/rollouts/" + rollout + "/plan";
        soon().until(
                        () ->
                                !deployment
                                        .rest
                                        .get(path)
                                        .text("/plan/preflight/finished_at")
                                        .isEmpty());
        return deployment.rest.get(path).body().at("/plan/preflight");
    }
}
