package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A9: an approval is of what was looked at, and of nothing else. */
class CanaryEvidenceTest {
    private static Given verifiedCanary() {
        Given given = Given.canary(4, MigrationType.BREAKING).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        return given;
    }

    private static NodeId canary(Given given) {
        return given.rollout.nodesInBatch(0).findFirst().orElseThrow().id();
    }

    private static CanaryEvidence evidence(Given given) {
        return CanaryEvidence.of(given.rollout).orElseThrow();
    }

    @Test
    void coversTheRolloutAndEveryNodeOfItsCanary() {
        Given given = verifiedCanary();
        assertThat(evidence(given).lines())
                .hasSize(5)
                .contains(
                        "rollout rollout-1",
                        "manifest none",
                        "target v2 " + Given.NEW,
                        "awaited since " + given.rollout.state().since())
                .last()
                .asString()
                .startsWith("node " + canary(given) + ": succeeded, since ")
                .contains("attempt 1, runs " + Given.NEW + ", target " + Given.NEW)
                .endsWith("configuration " + Given.NEW_CONFIG + ", verdict WELL");
    }

    @Test
    void itsDigestIsThatOfItsLines() {
        CanaryEvidence evidence = evidence(verifiedCanary());
        assertThat(evidence.digest())
                .isEqualTo(Digest.of(String.join("\n", evidence.lines()) + "\n"));
    }

    @Test
    void thereIsNoneButWhileApprovalIsAwaited() {
        Given given = Given.canary(4, MigrationType.BREAKING).start();
        assertThat(CanaryEvidence.of(given.rollout)).isEmpty();
        given = verifiedCanary();
        given.request(new OperatorRequest.Pause());
        assertThat(CanaryEvidence.of(given.rollout)).isEmpty();
    }

    @Test
    void heartbeatsAndTimeDoNotChangeIt() {
        Given given = verifiedCanary();
        Digest seen = evidence(given).digest();
        given.fleet.verdicts.clear();
        given.at(Duration.ofHours(1)).plan().isHealthy(canary(given));
        assertThat(evidence(given).digest()).isEqualTo(seen);
    }

    @Test
    @DisplayName("A9: who approves something else than what is there is refused, and told what")
    void anApprovalOnOtherEvidenceIsRefused() {
        Given given = verifiedCanary();
        OperatorRequest seen = SampleRollout.approval(given.rollout);
        given.at(Duration.ofMinutes(1)).request(new OperatorRequest.Pause());
        given.request(new OperatorRequest.Resume(0));
        assertThat(given.request(seen))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.EVIDENCE_CHANGED);
                            assertThat(refused.sentence())
                                    .contains("approval is awaited since " + given.now);
                        });
        assertThat(given.approve()).isInstanceOf(RequestDecision.Applied.class);
    }

    @Test
    void aNodeThatChangedIsNamed() {
        Given given = verifiedCanary();
        NodeId canary = canary(given);
        Digest seen = evidence(given).digest();
        NodeState failed =
                new NodeState.Failed(
                        1, new Cause("TAKEN_BACK", "It was."), given.now.plusSeconds(9));
        given.rollout = having(given.rollout, given.upgrade(canary).withState(failed));
        assertThat(evidence(given).digest()).isNotEqualTo(seen);
        assertThat(evidence(given).latestChangeText())
                .startsWith("node " + canary + " is failed since ")
                .contains("00:29");
    }

    private static Rollout having(Rollout rollout, NodeUpgrade node) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(rollout.nodes());
        nodes.put(node.id(), node);
        return new Rollout(
                rollout.id(), 1, rollout.spec(), rollout.state(), 0, 0, rollout.batches(), nodes);
    }

    @Test
    void refusesAnApprovalWithoutEvidenceAndNamesTheCall() {
        Given given = verifiedCanary();
        assertThat(given.request(new OperatorRequest.Approve("")))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.MISSING_FIELD);
                            assertThat(refused.sentence()).contains("drover rollout show");
                        });
    }

    @Test
    void theHistoryNamesTheEvidence() {
        Given given = verifiedCanary();
        Digest seen = evidence(given).digest();
        given.approve();
        assertThat(given.received.getLast().because().sentence())
                .isEqualTo("An operator approved the canary on evidence " + seen + ".");
    }
}
