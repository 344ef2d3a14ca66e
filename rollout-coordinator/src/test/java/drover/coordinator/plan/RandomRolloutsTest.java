package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Faults;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateDiagram;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Step;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Small rollouts with random agents, operators and fleet visibility, in virtual time: 300 seeds,
 * and in the full suite 3,000, then as many as fit into {@code -Dminutes=N}. In the first phase the
 * invariants must hold; in the second, without faults, the rollout must end. A failure prints its
 * seed; {@code -Dseed=N} runs one seed, {@code -Dseeds=N} as many.
 */
class RandomRolloutsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int STORM = 120; // rounds of 1 to 20 s with faults

    /** Moves of a batch that thousands of seeds may not show: one seed in 10,000 does. */
    private static final Set<StateDiagram.Move> RARE =
            Set.of(
                    new StateDiagram.Move("approved", "settling"), // ApprovalRulesTest shows it
                    new StateDiagram.Move("dispatching", "observing"),
                    new StateDiagram.Move("observing", "dispatching"));

    private static final int CALM = 600; // rounds without: well over every deadline of the planner

    @Test
    @DisplayName("A1 A4 A5 A6 A10 A11 A12 A13 A17, and C12 A18 once the faults are over")
    void rulesHoldAndTheRolloutEnds() {
        Long only = Long.getLong("seed");
        long from = only == null ? 1 : only;
        long to =
                only == null ? Integer.getInteger("seeds", Faults.FULL_SUITE ? 3_000 : 300) : only;
        Set<String> ends = new TreeSet<>();
        Set<StateDiagram.Move> batchMoves = new TreeSet<>();
        long minutes = only == null && Faults.FULL_SUITE ? Long.getLong("minutes", 0) : 0;
        long until = System.nanoTime() + Duration.ofMinutes(minutes).toNanos();
        for (long seed = from; seed <= to || System.nanoTime() - until < 0; seed++) {
            try {
                ends.add(new Story(seed, batchMoves).run());
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Seed " + seed + " (run with -Dseed=" + seed + ")", e);
            }
        }
        if (to - from >= 2_999) {
            assertThat(ends)
                    .as("the seeds reach every way to end or to wait for a person")
                    .contains(
                            "completed",
                            "cancelled",
                            "rolled_back",
                            "failed",
                            "paused",
                            "awaiting_approval");
            batchMoves.addAll(RARE);
            assertThat(batchMoves)
                    .as("A17: every legal move of a batch is made")
                    .isEqualTo(StateDiagram.batchMoves());
        }
    }

    /** One rollout from its creation to its end. */
    private static final class Story {
        private final Random random;
        private final Random luck; // of what came later, so that earlier seeds go as they went
        private final RandomFleet fleet;
        private final Set<StateDiagram.Move> batchMoves;
        private Rollout rollout;
        private Instant now = START;

        Story(long seed, Set<StateDiagram.Move> batchMoves) {
            this.batchMoves = batchMoves;
            random = new Random(seed);
            luck = new Random(~seed);
            rollout = SampleRollout.of(new RolloutId("rollout-" + seed), plan(seed), START);
            fleet = new RandomFleet(random, new Random(31 * seed), rollout.nodes().keySet());
        }

        private SampleRollout.Plan plan(long seed) {
            int nodes = 1 + random.nextInt(8);
            int batch = 1 + random.nextInt(3);
            Strategy strategy =
                    switch (random.nextInt(4)) {
                        case 0 -> new Strategy.Rolling(batch);
                        case 1 -> new Strategy.Canary(1 + random.nextInt(2), batch);
                        case 2 -> new Strategy.Progressive(batch);
                        default ->
                                new Strategy.AllAtOnce(
                                        batch, random.nextBoolean(), random.nextBoolean());
                    };
            Threshold threshold =
                    random.nextBoolean()
                            ? new Threshold.Count(random.nextInt(3))
                            : new Threshold.Percent(random.nextInt(60));
            MigrationType migration =
                    random.nextInt(3) == 0 ? MigrationType.BREAKING : MigrationType.NONE;
            return new SampleRollout.Plan(
                    "demo", nodes, strategy, threshold, random.nextInt(2), migration, seed);
        }

        String run() {
            for (int round = 0; round < STORM; round++) {
                if (random.nextInt(4) == 0) {
                    submitRandomRequest();
                }
                round();
            }
            fleet.calm(now);
            for (int round = 0; round < CALM && isMoving(); round++) {
                round();
            }
            assertThat(isMoving())
                    .as("C12, A18: %s is an end or waits for a person", describe())
                    .isFalse();
            assertTruth();
            return StateNameFormatter.of(rollout.state());
        }

        /** Neither ended nor waiting for a person with nothing in flight. */
        private boolean isMoving() {
            return switch (rollout.state()) {
                case RolloutState.Ended ended -> false;
                case RolloutState.Pending pending -> false;
                case RolloutState.AwaitingApproval awaiting -> anyInFlight();
                case RolloutState.Paused paused -> anyInFlight();
                case RolloutState.Running running -> true;
                case RolloutState.Cancelling cancelling -> true;
                case RolloutState.RollingBack rollingBack -> true;
            };
        }

        private boolean anyInFlight() {
            return rollout.nodes().values().stream().anyMatch(node -> node.state().isInFlight());
        }

        private void round() {
            now = now.plus(RandomFleet.tickAfter(random));
            fleet.live(now);
            for (int step = 0; step < 50; step++) {
                if (!step()) {
                    return;
                }
            }
            throw new AssertionError("The plan never comes to rest: " + describe());
        }

        private boolean step() {
            Step step = RolloutPlanner.plan(rollout, fleet.view, RolloutTimeouts.STANDARD, now);
            if (Boolean.getBoolean("trace")) {
                step.transitions()
                        .forEach(transition -> System.out.println(now + " " + transition));
            }
            List<String> violations =
                    new ArrayList<>(StepViolationFinder.findViolations(rollout, step, fleet.view));
            step.transitions().forEach(transition -> legal(transition, violations));
            batchesMove(step.next(), violations);
            assertThat(violations).as(describe()).isEmpty();
            if (step.changed()) {
                fleet.commit(rollout.id(), step);
                rollout = step.next().withNextRevision();
            }
            fleet.receive(step);
            return step.changed();
        }

        private static void legal(Transition transition, List<String> violations) {
            if (transition.subject().equals("rollout")
                    && !StateDiagram.moves(RolloutState.class)
                            .contains(new StateDiagram.Move(transition.from(), transition.to()))) {
                violations.add("A17: " + transition.from() + " to " + transition.to());
            }
        }

        private void batchesMove(Rollout next, List<String> violations) {
            for (Batch was : rollout.batches()) {
                BatchPhase to = next.batches().get(was.index()).phase();
                StateDiagram.Move move =
                        new StateDiagram.Move(
                                StateNameFormatter.of(was.phase()), StateNameFormatter.of(to));
                if (was.phase() != to && !StateDiagram.batchMoves().contains(move)) {
                    violations.add("A17: a batch goes from " + was.phase() + " to " + to);
                } else if (was.phase() != to) {
                    batchMoves.add(move);
                }
            }
        }

        private void submitRandomRequest() {
            RequestDecision decision =
                    OperatorRequestRules.decide(
                            rollout, SampleRollout.submitted(request()), fleet.view, now);
            if (decision instanceof RequestDecision.Applied applied) {
                List<String> violations = new ArrayList<>();
                batchesMove(applied.next(), violations);
                assertThat(violations).as(describe()).isEmpty();
                rollout = applied.next().withNextRevision();
            }
        }

        private OperatorRequest request() {
            NodeId node = fleet.nodes().get(random.nextInt(fleet.nodes().size()));
            return switch (random.nextInt(16)) {
                case 0, 1, 2 -> new OperatorRequest.Start();
                case 3 -> new OperatorRequest.Pause();
                case 4, 5, 6 -> new OperatorRequest.Resume(rollout.thresholdFailureCount());
                case 7 -> new OperatorRequest.Resume(0);
                case 8 -> rare(new OperatorRequest.Cancel());
                case 9 -> rare(new OperatorRequest.Rollback());
                case 10, 11 -> SampleRollout.approval(rollout);
                case 12 -> new OperatorRequest.RetryNode(node);
                case 13 ->
                        new OperatorRequest.HoldNode(
                                node, now.plusSeconds(1 + random.nextInt(600)));
                case 14 -> new OperatorRequest.ReleaseNode(node);
                default ->
                        luck.nextInt(3) == 0
                                ? new OperatorRequest.SkipNodes(List.of())
                                : new OperatorRequest.SkipNode(node);
            };
        }

        private OperatorRequest rare(OperatorRequest request) {
            return random.nextInt(3) == 0 ? request : new OperatorRequest.Start();
        }

        /** What the rollout says is what truly runs (A11, A13). */
        private void assertTruth() {
            for (NodeUpgrade node : rollout.nodes().values()) {
                boolean upgraded = fleet.isUpgraded(node.id());
                if (node.state() instanceof NodeState.Succeeded) {
                    assertThat(upgraded).as("A11: %s in %s", node.id(), describe()).isTrue();
                }
                if (rollout.state() instanceof RolloutState.RolledBack) {
                    assertThat(upgraded).as("A13: %s in %s", node.id(), describe()).isFalse();
                    assertThat(fleet.isWorking(node.id())).as("A13: %s", node.id()).isFalse();
                }
            }
        }

        private String describe() {
            return rollout.state()
                    + " "
                    + rollout.batches().stream()
                            .filter(batch -> batch.phase() != BatchPhase.PROMOTED)
                            .toList()
                    + " of "
                    + rollout.batches().size()
                    + " at "
                    + Duration.between(START, now)
                    + rollout.nodes().values().stream()
                            .map(
                                    node ->
                                            "\n  "
                                                    + node.id()
                                                    + " batch "
                                                    + node.batch()
                                                    + " open "
                                                    + node.open()
                                                    + " "
                                                    + node.state())
                            .collect(Collectors.joining());
        }
    }
}
