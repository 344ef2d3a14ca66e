package drover.coordinator.engine.leader;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.loop.LoopScheduler;
import drover.coordinator.engine.loop.ThreadLoopScheduler;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What people decide, through the leader's loops over a real database. */
class OperatorRequestsIT {
    private static final Duration SOON = Waits.LIMIT; // an observation takes 20
    private static final Duration LATER = Duration.ofSeconds(150); // a look every 10 s and no other
    @AutoClose private @Nullable TermFixture rig;

    private TermFixture rig(Plan plan) {
        rig = new TermFixture(plan);
        return rig;
    }

    private static <S extends RolloutState> S reached(
            TermFixture rig, Class<S> state, Duration atMost) {
        await().atMost(atMost)
                .untilAsserted(() -> assertThat(rig.rollout().state()).isInstanceOf(state));
        return state.cast(rig.rollout().state());
    }

    /** What became of a request: its state, or the code it was refused with. */
    private static String outcome(TermFixture rig, UUID request) {
        PostgresRolloutRequestStore requests =
                new PostgresRolloutRequestStore(rig.database.database());
        RolloutRequestStore.RequestStatus status =
                await().atMost(SOON)
                        .until(
                                () -> requests.requestStatus(request).orElseThrow(),
                                found -> !found.state().equals("pending"));
        return status.refusalCode().isEmpty() ? status.state() : status.refusalCode();
    }

    @Test
    @DisplayName("A6: forced, the rest goes on beyond the threshold, and the end is failed")
    void aForcedRolloutGoesOnAndEndsAsFailed() {
        TermFixture rig = rig(Plan.rolling("forced", 3, 1));
        NodeId unlucky = rig.node(1);
        rig.gateway.onDelivery(
                delivery -> {
                    if (delivery instanceof MessageToNode.Command command
                            && command.node().equals(unlucky)) {
                        rig.report(
                                unlucky,
                                TermFixture.body(command).getAttempt(),
                                AttemptOutcome.FAILED);
                    } else {
                        rig.obey(delivery);
                    }
                });
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        assertThat(reached(rig, RolloutState.Paused.class, SOON).reason())
                .isEqualTo(PauseReason.FAILURE_THRESHOLD);
        assertThat(rig.deliveries()).as("nobody else had work").isEmpty();

        rig.submit(new OperatorRequest.Force());

        assertThat(reached(rig, RolloutState.Failed.class, SOON).reason())
                .isEqualTo(RolloutFailureReason.NODES_FAILED);
        assertThat(rig.rollout().counters().succeeded()).isEqualTo(2);
        assertThat(rig.rollout().forced()).isTrue();
        assertThat(rig.database.row("SELECT forced_by, forced_at, approved_by FROM rollout"))
                .containsEntry("forced_by", "bob")
                .containsEntry("approved_by", "")
                .doesNotContainEntry("forced_at", null);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    @DisplayName("A9: a canary that becomes unwell while approval is awaited is not approved")
    void aFlipOfTheCanaryWhileApprovalIsAwaitedPauses() {
        TermFixture rig =
                rig(
                        new Plan(
                                "flip",
                                3,
                                new Strategy.Canary(1, 2),
                                new Threshold.Count(0),
                                0,
                                MigrationType.BREAKING,
                                7));
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        reached(rig, RolloutState.AwaitingApproval.class, SOON);

        rig.health.setVerdicts(
                watch ->
                        new HealthVerdict.Unhealthy(
                                watch.attempt(),
                                List.of(new Cause("CRASH_LOOP", "It restarted 3 times."))));

        assertThat(reached(rig, RolloutState.Paused.class, SOON).reason())
                .isEqualTo(PauseReason.CANARY_UNHEALTHY);
        assertThat(outcome(rig, rig.submit(SampleRollout.approval(rig.rollout()))))
                .isEqualTo("RESUME_FIRST");
        assertThat(rig.deliveries()).as("nothing beyond the canary").hasSize(1);

        rig.health.setVerdicts(watch -> new HealthVerdict.Healthy(watch.attempt()));
        assertThat(outcome(rig, rig.submit(new OperatorRequest.Resume(0)))).isEqualTo("applied");
        reached(rig, RolloutState.AwaitingApproval.class, SOON);
        assertThat(outcome(rig, rig.submit(SampleRollout.approval(rig.rollout()))))
                .isEqualTo("applied");
        reached(rig, RolloutState.Completed.class, SOON);
        assertThat(rig.database.row("SELECT approved_by FROM rollout"))
                .containsEntry("approved_by", "bob");
    }

    @Test
    @DisplayName("DESIGN § 4: with all wake-ups dropped everything still ends")
    void withAllWakeUpsDroppedARolloutStillEnds() {
        TermFixture rig = rig(Plan.rolling("deaf", 2, 1));
        rig.lead(new UnresponsivePacer());
        rig.submit(new OperatorRequest.Start());

        reached(rig, RolloutState.Completed.class, LATER);

        assertThat(rig.rollout().nodes().values())
                .allSatisfy(
                        node ->
                                assertThat(requireNonNull(node).state())
                                        .isInstanceOf(NodeState.Succeeded.class));
        assertThat(rig.deliveries()).hasSize(2);
        await().atMost(LATER).until(() -> rig.gateway.isAcknowledged(rig.node(2)));
    }

    @Test
    @DisplayName(
            "S4-16 a request whose wake-up was lost is decided; ten times the 10 s are allowed")
    void aLostWakeUpIsCaughtUp() {
        TermFixture rig = rig(Plan.rolling("lost", 1, 1));
        rig.lead(new UnresponsivePacer());
        rig.submit(new OperatorRequest.Start());

        await().atMost(Duration.ofSeconds(100))
                .until(() -> !(rig.rollout().state() instanceof RolloutState.Pending));
    }

    /** Threads whose loops hear no wake-up. */
    private static final class UnresponsivePacer implements LoopScheduler {
        private final LoopScheduler pacer = new ThreadLoopScheduler();

        @Override
        public long nanos() {
            return pacer.nanos();
        }

        @Override
        public LoopHandle prepare(String name, Loop loop) {
            LoopHandle running = pacer.prepare(name, loop);
            return new LoopHandle() {
                @Override
                public void start() {
                    running.start();
                }

                @Override
                public void wake() {}

                @Override
                public void finish() {
                    running.finish();
                }

                @Override
                public void stop() {
                    running.stop();
                }

                @Override
                public void join(Duration atMost) {
                    running.join(atMost);
                }
            };
        }
    }
}
