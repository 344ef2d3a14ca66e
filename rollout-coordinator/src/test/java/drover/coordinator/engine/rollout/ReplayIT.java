package drover.coordinator.engine.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.leader.LeaderTerm;
import drover.coordinator.engine.leader.TermFixture;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.export.DecisionInputExporter;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A rollout through the real loop and a real database, told again by what was recorded of it. The
 * first story is written to {@code target/recorded-history}, from where it can be put among the
 * recorded histories that newer code is held to.
 */
class ReplayIT {
    // The canary is observed for 20 s; the rest is for a busy machine.
    private static final Duration SOON = Waits.LIMIT;
    private final List<TermFixture> rigs = new ArrayList<>();

    @AfterEach
    void closeTheRigs() {
        rigs.forEach(TermFixture::close);
    }

    private TermFixture closing(Plan plan) {
        TermFixture rig = new TermFixture(plan);
        rigs.add(rig);
        return rig;
    }

    private static void awaitState(TermFixture rig, Class<? extends RolloutState> state) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(rig.rollout().state()).isInstanceOf(state));
    }

    @Test
    @DisplayName("A20: what is recorded of a rollout leads to the same decisions again")
    void aRecordedRolloutIsDecidedTheSameWayAgain() throws IOException {
        TermFixture rig =
                closing(
                        new Plan(
                                "replay",
                                5,
                                new Strategy.Canary(1, 2),
                                new Threshold.Count(0),
                                0,
                                MigrationType.BREAKING,
                                7));
        NodeId unlucky = rig.rollout().nodesInBatch(1).findFirst().orElseThrow().id();
        rig.gateway.onDelivery(
                delivery -> {
                    if (delivery.node().equals(unlucky)
                            && delivery
                                    instanceof
                                    drover.coordinator.peers.GatewayLink.MessageToNode.Command
                                            command
                            && !TermFixture.body(command).hasRestore()) {
                        rig.report(
                                unlucky,
                                TermFixture.body(command).getAttempt(),
                                AttemptOutcome.FAILED);
                    } else {
                        rig.obey(delivery);
                    }
                });
        rig.lead();
        rig.submit(new OperatorRequest.Pause()); // refused: it has not started
        rig.submit(new OperatorRequest.Start());
        awaitState(rig, RolloutState.AwaitingApproval.class);
        rig.submit(SampleRollout.approval(rig.rollout()));
        awaitState(rig, RolloutState.Paused.class);
        rig.submit(new OperatorRequest.Rollback());
        awaitState(rig, RolloutState.RolledBack.class);

        List<String> received = history(rig);
        List<String> export =
                new DecisionInputExporter(rig.database.database()).exportJsonLines(rig.id);

        assertThat(ReplayTranscript.by(export)).isEqualTo(received).hasSizeGreaterThan(15);
        write(export, received);
    }

    @Test
    @DisplayName("A20, B6, B8: also over a change of leader and commits that seem to fail")
    void aChangeOfLeaderLeavesNoGap() {
        TermFixture rig = closing(Plan.rolling("replay", 4, 1));
        AtomicInteger commits = new AtomicInteger();
        LeaderTerm first =
                rig.lead(
                        rig.around(
                                (method, arguments, real) -> {
                                    Object result = real.go();
                                    if (method.equals("commit")
                                            && commits.incrementAndGet() % 3 == 0) {
                                        throw new StoreUnavailable(
                                                "committing", new IllegalStateException("cut"));
                                    }
                                    return result;
                                }));
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> commits.get() > 3);
        first.close();
        rig.lead();
        awaitState(rig, RolloutState.Completed.class);

        assertThat(
                        ReplayTranscript.by(
                                new DecisionInputExporter(rig.database.database())
                                        .exportJsonLines(rig.id)))
                .isEqualTo(history(rig));
    }

    /** The history as the loop told it; the first row is the creation's. */
    private static List<String> history(TermFixture rig) {
        return rig.database.texts(
                "SELECT subject || ' ' || node_id || ' ' || from_status || ' > ' || to_status"
                        + " || ' ' || code || ': ' || sentence FROM history WHERE rollout_id = '"
                        + rig.id
                        + "' AND code <> 'CREATED' AND from_status <> 'open'"
                        + " AND subject <> 'phase' ORDER BY seq");
    }

    private static void write(List<String> export, List<String> received) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "recorded-history"));
        Files.write(folder.resolve("decisions.jsonl"), export);
        Files.write(folder.resolve("told.txt"), received);
    }
}
