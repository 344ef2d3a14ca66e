package drover.coordinator.engine.rollout;

import static drover.coordinator.engine.rollout.AgentFleet.NEW;
import static drover.coordinator.engine.rollout.AgentFleet.OLD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.agent.v1.AgentUpgradeWork;
import drover.agent.v1.RestoreWork;
import drover.coordinator.peers.NodeDirectoryLink.Program;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.preflight.PreflightRules;
import drover.coordinator.plan.request.OperatorRequest;
import drover.kit.grpc.Refused;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A fleet-wide upgrade of agents is an ordinary rollout (seed 001, issue 5). */
class AgentRolloutTest {
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");

    private final AgentFleet fleet = new AgentFleet();

    @Test
    void agentsOfTwoChainsAreUpgradedOneByOneAndBack() {
        RolloutId id = started();

        for (NodeId node : List.of(A, B, C)) {
            assertThat(fleet.rollout(id).nodes().values().stream())
                    .filteredOn(one -> one.state().isInFlight())
                    .singleElement()
                    .satisfies(one -> assertThat(one.id()).isEqualTo(node));
            fleet.handsOver(node, OLD, NEW, "1.1.0", AttemptOutcome.SUCCEEDED);
        }
        fleet.pass(Duration.ofSeconds(15)); // the final observation
        assertThat(fleet.rollout(id).state()).isInstanceOf(RolloutState.Completed.class);

        fleet.submit(id, new OperatorRequest.Rollback());
        for (NodeId node : List.of(C, B, A)) {
            RestoreWork work = fleet.command(node).getRestore();
            assertThat(work.getProgram()).isEqualTo("drover-agent");
            assertThat(work.getPreviousVersion()).isEqualTo("1.0.0");
            assertThat(work.getPreviousArtifact().getDigest()).isEqualTo(OLD.value());
            fleet.handsOver(node, NEW, OLD, "1.0.0", AttemptOutcome.RESTORED);
        }
        assertThat(fleet.rollout(id).state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    void theCommandIsAnAgentsUpgrade() {
        started();

        AgentUpgradeWork work = fleet.command(A).getAgentUpgrade();

        assertThat(work.getProgram()).isEqualTo("drover-agent");
        assertThat(work.getTargetVersion()).isEqualTo("1.1.0");
        assertThat(work.getArtifact().getDigest()).isEqualTo(NEW.value());
        assertThat(work.getSourceDigest()).isEqualTo(OLD.value());
        assertThat(fleet.command(A).getRequiredFeaturesList()).containsExactly("agent-upgrade/1");
    }

    @Test
    @DisplayName("001: the control plane alone says when the old one goes, to its session alone")
    void oldSessionIsNotifiedAndTheAckReportsIt() {
        started();
        fleet.ready(A, OLD);
        assertThat(fleet.stop(A)).isEmpty();

        fleet.standby(A, "1.1.0", NEW);

        assertThat(fleet.stop(A))
                .hasValueSatisfying(
                        stop -> {
                            assertThat(stop.session()).isEqualTo("old");
                            assertThat(stop.attempt()).isEqualTo(1);
                            assertThat(stop.successorDigest()).isEqualTo(NEW);
                        });
        assertThat(fleet.acknowledged).last().matches(ack -> ack.successorSeen());
    }

    @Test
    @DisplayName("B6: the next leader tells the old agent again, and sees it seen once")
    void nextLeaderSendsAgain() {
        RolloutId id = started();
        fleet.ready(A, OLD);
        fleet.standby(A, "1.1.0", NEW);
        fleet.sent.removeIf(delivery -> fleet.stop(A).filter(delivery::equals).isPresent());

        fleet.lead();
        fleet.ready(A, OLD); // the gateway's slot is told to whoever attaches
        assertThat(fleet.stop(A)).as("the successor is not heard by this leader").isEmpty();
        fleet.standby(A, "1.1.0", NEW);

        assertThat(fleet.stop(A)).isPresent();
        fleet.takeOver(A, NEW, AttemptOutcome.SUCCEEDED);
        assertThat(state(id)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    void agentRolloutsHaveNoPreflight() {
        Rollout rollout = fleet.rollout(started());
        NodeUpgrade waiting = Objects.requireNonNull(rollout.nodes().get(C));
        NodeView there = new NodeView.Present("s", "process", Set.of("preflight/1"), 0, Map.of());
        assertThat(PreflightRules.decideNextAction(rollout.spec(), waiting, there))
                .isInstanceOfSatisfying(
                        PreflightRules.NextAction.KnownResult.class,
                        known -> assertThat(known.result().reason()).isEqualTo("TESTS_ITSELF"));
    }

    @Test
    void anAgentThatWentBackHasFailedAndStopsTheRollout() {
        RolloutId id = started();
        fleet.ready(A, OLD);

        fleet.fails(A, "SUCCESSOR_UNSEEN");

        assertThat(state(id)).isInstanceOf(NodeState.Failed.class);
        assertThat(fleet.rollout(id).state()).isInstanceOf(RolloutState.Paused.class);
        assertThat(fleet.stop(A)).isEmpty();
    }

    @Test
    void nodesWithoutAnAgentOfTheirOwnAreNoTargets() {
        fleet.agent("harbour", A);
        fleet.add(
                "harbour",
                "full",
                B,
                Map.of(new BinaryName("web"), new Program("v1", OLD.value(), "", "", Map.of())));

        RolloutId id = fleet.create(fleet.request("1.1.0"));

        assertThat(fleet.rollout(id).nodes()).containsOnlyKeys(A);
    }

    @Test
    void aVersionThatCannotNameADirectoryIsRefused() {
        fleet.agent("harbour", A);

        assertThatThrownBy(() -> fleet.create(fleet.request("v2")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("three numbers");
    }

    private RolloutId started() {
        fleet.agent("harbour", A);
        fleet.agent("harbour", B);
        fleet.agent("beacon", C);
        RolloutId id = fleet.create(fleet.request("1.1.0"));
        fleet.submit(id, new OperatorRequest.Start());
        return id;
    }

    private NodeState state(RolloutId id) {
        return Objects.requireNonNull(fleet.rollout(id).nodes().get(A)).state();
    }
}
