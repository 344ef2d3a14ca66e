package drover.coordinator.plan;

import drover.coordinator.plan.batch.BatchPlanner;
import drover.coordinator.plan.batch.CanaryEvidence;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rollouts as creation makes them, for tests of every room. */
public final class SampleRollout {
    public static final Digest OLD = Digest.of("old");
    public static final Digest NEW = Digest.of("new");
    public static final Digest OLD_CONFIG = Digest.of("old config");
    public static final Digest NEW_CONFIG = Digest.of("new config");
    public static final Duration HEALTH_WAIT = Duration.ofSeconds(10);

    private SampleRollout() {}

    /** What a manifest of a breaking migration says to do. */
    public static final String RECOVERY_PLAN = "Restore the snapshot of last night.";

    /** What a rollout is created with; the rest is always the same. */
    public record Plan(
            String chain,
            int nodes,
            Strategy strategy,
            Threshold threshold,
            int offlineBudget,
            MigrationType migration,
            long seed,
            Duration healthWait) {
        /** With the usual health wait. */
        public Plan(
                String chain,
                int nodes,
                Strategy strategy,
                Threshold threshold,
                int offlineBudget,
                MigrationType migration,
                long seed) {
            this(chain, nodes, strategy, threshold, offlineBudget, migration, seed, HEALTH_WAIT);
        }

        /** Batches of this size, no failure tolerated. */
        public static Plan rolling(String chain, int nodes, int batchSize) {
            return new Plan(
                    chain,
                    nodes,
                    new Strategy.Rolling(batchSize),
                    new Threshold.Count(0),
                    0,
                    MigrationType.NONE,
                    7);
        }

        /** Observes nodes for 500 ms, for tests that wait in real time. */
        public Plan inRealTime() {
            return new Plan(
                    chain,
                    nodes,
                    strategy,
                    threshold,
                    offlineBudget,
                    migration,
                    seed,
                    Duration.ofMillis(500));
        }
    }

    public static NodeId node(String chain, int number) {
        return new NodeId(chain + "-%05d".formatted(number));
    }

    /** A rollout that waits to be started. */
    public static Rollout of(RolloutId id, Plan plan, Instant now) {
        return of(id, plan, new BinaryName("web"), now);
    }

    /** The same of another program. */
    public static Rollout of(RolloutId id, Plan plan, BinaryName program, Instant now) {
        List<NodeId> ids = new ArrayList<>();
        for (int i = 1; i <= plan.nodes(); i++) {
            ids.add(node(plan.chain(), i));
        }
        List<Batch> batches = new ArrayList<>();
        Map<NodeId, Integer> batchOf = new HashMap<>();
        for (BatchPlanner.PlannedBatch batch :
                BatchPlanner.plan(plan.strategy(), NodeOrder.DEFAULT, ids, plan.seed())) {
            int index = batches.size();
            batches.add(new Batch(index, batch.canary(), BatchPhase.PENDING, now));
            batch.nodes().forEach(node -> batchOf.put(node, index));
        }
        Map<NodeId, NodeUpgrade> upgrades = new LinkedHashMap<>();
        for (NodeId node : ids) {
            NodeUpgrade fresh =
                    NodeUpgrade.withoutAttempts(
                            target(node),
                            batchOf.getOrDefault(node, 0),
                            new NodeState.Pending(now));
            upgrades.put(node, fresh);
        }
        return new Rollout(
                id, 1, spec(plan, program), new RolloutState.Pending(now), 0, 0, batches, upgrades);
    }

    private static NodeTarget target(NodeId node) {
        return new NodeTarget(
                node, new Version("v1"), OLD, OLD_CONFIG, "file:///v1", NEW_CONFIG, true);
    }

    /** What a rollout of this plan is created with. */
    public static RolloutSpec spec(Plan plan) {
        return spec(plan, new BinaryName("web"));
    }

    private static RolloutSpec spec(Plan plan, BinaryName program) {
        return new RolloutSpec(
                        new ChainProfileId(plan.chain()),
                        "full",
                        program,
                        List.of(new Version("v1")),
                        new Version("v2"),
                        "file:///v2",
                        NEW,
                        "process",
                        plan.strategy(),
                        plan.threshold(),
                        100,
                        plan.offlineBudget(),
                        plan.healthWait(),
                        3,
                        plan.migration(),
                        plan.migration() == MigrationType.BREAKING ? RECOVERY_PLAN : "",
                        "",
                        "")
                .withTwoPersonRuleInput("alice", 0);
    }

    /** An approval on what there is to see now; on nothing while none is awaited. */
    public static OperatorRequest approval(Rollout rollout) {
        return new OperatorRequest.Approve(
                CanaryEvidence.of(rollout).map(evidence -> evidence.digest().value()).orElse(""));
    }

    /** A second person lets things go on (A9, A16); everything else is the creator's. */
    public static String requesterOf(OperatorRequest request) {
        return switch (request) {
            case OperatorRequest.Approve a -> "bob";
            case OperatorRequest.Force f -> "bob";
            case OperatorRequest.Start s -> "bob";
            default -> "alice";
        };
    }

    /** A request, asked by whoever usually asks. */
    static OperatorRequestRules.SubmittedRequest submitted(OperatorRequest request) {
        return new OperatorRequestRules.SubmittedRequest(request, requesterOf(request), "");
    }
}
