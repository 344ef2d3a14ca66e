package drover.coordinator.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.leader.LeaderTerm;
import drover.coordinator.engine.leader.TermFixture;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.State;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Incidents and holds under a leader over a real database. */
class IncidentIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final AgentFinding DRIFT =
            new AgentFinding(AgentFinding.DRIFT, "web", "The file changed.");
    private static final AgentFinding FALLS =
            new AgentFinding(AgentFinding.CRASH_LOOP, "web", "It falls.");

    @AutoClose private TermFixture rig;
    private NodeId node;
    private IncidentViews incidents;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", 2, 1));
        node = rig.node(1);
        incidents = new PostgresOperatorIncidentStore(rig.database.database());
    }

    private List<Incident> all() {
        return incidents.list(new IncidentViews.Query(null, null, "", null, null, 100));
    }

    private Incident awaitIncident(IncidentCategory category, State state) {
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(all())
                                        .anySatisfy(
                                                one -> {
                                                    assertThat(one.category()).isEqualTo(category);
                                                    assertThat(one.state()).isEqualTo(state);
                                                }));
        return all().stream().filter(one -> one.category() == category).findFirst().orElseThrow();
    }

    private NodeState state() {
        return Objects.requireNonNull(rig.rollout().nodes().get(node)).state();
    }

    private void awaitState(Class<? extends NodeState> state) {
        await().atMost(SOON).until(() -> state.isInstance(state()));
    }

    @Test
    @DisplayName("D14: what could not be undone is an incident until the node is cleared")
    void anUpgradeThatCouldNotBeUndoneIsAnIncidentUntilTheNodeIsCleared() {
        rig.gateway.onDelivery(
                delivery ->
                        rig.report(
                                delivery.node(),
                                TermFixture.body((MessageToNode.Command) delivery).getAttempt(),
                                AttemptOutcome.FAILED_ROLLBACK));
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        Incident opened = awaitIncident(IncidentCategory.UPGRADE_FAILED, State.OPEN);
        assertThat(opened.node()).isEqualTo(node);
        assertThat(opened.rollout()).isEqualTo(rig.id);

        rig.gateway.onDelivery(rig::obey);
        rig.submit(node, OperatorNodeRequest.CLEAR);

        assertThat(awaitIncident(IncidentCategory.UPGRADE_FAILED, State.RESOLVED).id())
                .isEqualTo(opened.id());
    }

    @Test
    void driftIsAnIncidentWhileTheAgentReportsIt() {
        rig.lead();
        rig.gateway.setFindings(node, List.of(DRIFT));
        awaitIncident(IncidentCategory.DRIFT, State.OPEN);

        rig.gateway.setFindings(node, List.of());
        awaitIncident(IncidentCategory.DRIFT, State.RESOLVED);
    }

    @Test
    @DisplayName("SECURITY 4: a copied identity is an incident until its machine is enrolled anew")
    void aCopiedIdentityIsAnIncidentUntilItsMachineIsEnrolledAgain() {
        LeaderTerm first = rig.lead();
        rig.gateway.setLockedNodes(Set.of(node));
        Incident opened = awaitIncident(IncidentCategory.IDENTITY_CLONED, State.OPEN);
        assertThat(opened.node()).isEqualTo(node);
        assertThat(opened.because().sentence()).contains("enroll the right machine anew");
        first.close();
        rig.gateway.setLockedNodes(Set.of());

        rig.lead(); // no agent of the node says anything

        assertThat(awaitIncident(IncidentCategory.IDENTITY_CLONED, State.RESOLVED).id())
                .isEqualTo(opened.id());
    }

    @Test
    @DisplayName(
            "H1: a credential that an agent of another node shows is an incident, and not over"
                    + " because a gateway begins anew")
    void briefHeartbeatGapDoesNotCloseAnIdentityMismatch() {
        rig.lead();
        rig.gateway.setMisplacedIdentities(Set.of(node));
        Incident opened = awaitIncident(IncidentCategory.IDENTITY_MISMATCH, State.OPEN);
        assertThat(opened.node()).isEqualTo(node);
        assertThat(opened.because().sentence()).contains("NODE_ID_MISMATCH");

        rig.gateway.setMisplacedIdentities(Set.of());
        rig.gateway.setFindings(node, List.of(DRIFT));

        awaitIncident(IncidentCategory.DRIFT, State.OPEN); // heard later, so both were looked at
        assertThat(awaitIncident(IncidentCategory.IDENTITY_MISMATCH, State.OPEN).id())
                .isEqualTo(opened.id());
    }

    @Test
    @DisplayName("An open incident follows the finding: a repaired file is named no longer")
    void statesWhatTheAgentReportsNow() {
        rig.lead();
        rig.gateway.setFindings(node, List.of(DRIFT));
        Incident opened = awaitIncident(IncidentCategory.DRIFT, State.OPEN);

        rig.gateway.setFindings(
                node, List.of(new AgentFinding(AgentFinding.DRIFT, "web", "Less has changed.")));

        await().atMost(SOON)
                .until(() -> all().getFirst().because().sentence().contains("Less has changed."));
        assertThat(all()).singleElement().extracting(Incident::id).isEqualTo(opened.id());
    }

    @Test
    @DisplayName("B6: a new leader closes what ended while nobody led")
    void aNewLeaderClosesWhatEndedMeanwhile() {
        LeaderTerm first = rig.lead();
        rig.gateway.setFindings(node, List.of(DRIFT));
        awaitIncident(IncidentCategory.DRIFT, State.OPEN);
        first.close();
        rig.gateway.setFindings(node, List.of());

        rig.lead();

        awaitIncident(IncidentCategory.DRIFT, State.RESOLVED);
    }

    @Test
    @DisplayName("Seed 000: a crash loop after the way back is an incident of its rollout")
    void aCrashLoopAfterARollbackBelongsToItsRollout() {
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        awaitState(NodeState.Succeeded.class);
        rig.submit(new OperatorRequest.Rollback());
        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.RolledBack);

        rig.gateway.setFindings(node, List.of(FALLS));

        Incident opened = awaitIncident(IncidentCategory.CRASH_LOOP, State.OPEN);
        assertThat(opened.rollout()).isEqualTo(rig.id);
        assertThat(
                        Objects.requireNonNull(
                                        incidents.countUnresolvedByNode(List.of(node)).get(node))
                                .degrading())
                .isEqualTo(1);
    }

    @Test
    @DisplayName(
            "Seed 000, Tier 3: a crash loop after the way back of a breaking migration is critical,"
                    + " carries the recovery plan, and degrades the node")
    void aCrashLoopAfterABreakingMigrationWasTakenBackCarriesTheRecoveryPlan() {
        rig.close();
        rig =
                new TermFixture(
                        new Plan(
                                "tier3",
                                1,
                                new Strategy.Canary(1, 1),
                                new Threshold.Count(0),
                                0,
                                MigrationType.BREAKING,
                                7));
        node = rig.node(1);
        incidents = new PostgresOperatorIncidentStore(rig.database.database());
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON)
                .until(() -> rig.rollout().state() instanceof RolloutState.AwaitingApproval);
        rig.submit(new OperatorRequest.Rollback());
        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.RolledBack);

        rig.gateway.setFindings(node, List.of(FALLS));

        Incident opened = awaitIncident(IncidentCategory.CRASH_LOOP, State.OPEN);
        assertThat(opened.severity()).isEqualTo(IncidentSeverity.CRITICAL);
        assertThat(opened.recoveryPlan()).isEqualTo(SampleRollout.RECOVERY_PLAN);
        assertThat(opened.rollout()).isEqualTo(rig.id);
        assertThat(
                        Objects.requireNonNull(
                                        incidents.countUnresolvedByNode(List.of(node)).get(node))
                                .degrading())
                .isEqualTo(1);
    }

    @Test
    void aHeldNodeHasItsTurnWhenItIsReleased() {
        rig.submit(
                new OperatorRequest.HoldNode(
                        node, rig.store.databaseTime().plus(Duration.ofHours(1))));
        rig.lead();
        awaitState(NodeState.Held.class);
        rig.submit(new OperatorRequest.ReleaseNode(node));
        awaitState(NodeState.Pending.class);
        rig.submit(new OperatorRequest.Start());

        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Completed);
    }
}
