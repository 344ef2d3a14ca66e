package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.batch.BatchPlanner;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
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

/** A rollout and its fleet, told as a story: what happens, and what the planner makes of it. */
public final class Given {
    public static final Digest OLD = Digest.of("old");
    public static final Digest NEW = Digest.of("new");
    public static final Digest OLD_CONFIG = Digest.of("old config");
    public static final Digest NEW_CONFIG = Digest.of("new config");
    static final Duration HEALTH_WAIT = Duration.ofSeconds(10);
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    public final ScriptedFleet fleet = new ScriptedFleet();
    public final List<Transition> received = new ArrayList<>();
    public final List<IncidentChange> incidents = new ArrayList<>();
    public Instant now = START;
    public Rollout rollout;
    public Step last;

    private Given(Rollout rollout) {
        this.rollout = rollout;
        rollout.nodes()
                .keySet()
                .forEach(node -> fleet.connect(node, OLD.value(), OLD_CONFIG.value()));
        this.last = RolloutPlanner.plan(rollout, fleet, RolloutTimeouts.STANDARD, now);
    }

    public static Given rolling(int nodes, int batchSize) {
        return of(
                nodes, new Strategy.Rolling(batchSize), new Threshold.Count(0), MigrationType.NONE);
    }

    public static Given canary(int nodes, MigrationType migration) {
        return of(nodes, new Strategy.Canary(1, 2), new Threshold.Count(0), migration);
    }

    public static Given canary(int nodes, Duration healthWait) {
        return of(
                nodes,
                new Strategy.Canary(1, 2),
                new Threshold.Count(0),
                MigrationType.NONE,
                0,
                healthWait);
    }

    public static Given of(
            int nodes, Strategy strategy, Threshold threshold, MigrationType migration) {
        return of(nodes, strategy, threshold, migration, 0, HEALTH_WAIT);
    }

    public static Given withOfflineBudget(
            int nodes, Strategy strategy, Threshold threshold, int budget) {
        return of(nodes, strategy, threshold, MigrationType.NONE, budget, HEALTH_WAIT);
    }

    private static Given of(
            int nodes,
            Strategy strategy,
            Threshold threshold,
            MigrationType migration,
            int offlineBudget,
            Duration healthWait) {
        List<NodeId> ids = new ArrayList<>();
        for (int i = 1; i <= nodes; i++) {
            ids.add(node(i));
        }
        RolloutSpec spec =
                new RolloutSpec(
                                new ChainProfileId("demo"),
                                "full",
                                new BinaryName("web"),
                                List.of(new Version("v1")),
                                new Version("v2"),
                                "file:///v2",
                                NEW,
                                "process",
                                strategy,
                                threshold,
                                100,
                                offlineBudget,
                                healthWait,
                                3,
                                migration,
                                "",
                                "",
                                "")
                        .withTwoPersonRuleInput("alice", nodes);
        List<Batch> batches = new ArrayList<>();
        Map<NodeId, Integer> batchOf = new HashMap<>();
        for (BatchPlanner.PlannedBatch batch :
                BatchPlanner.plan(strategy, NodeOrder.DEFAULT, ids, 7)) {
            int index = batches.size();
            batches.add(new Batch(index, batch.canary(), BatchPhase.PENDING, START));
            batch.nodes().forEach(node -> batchOf.put(node, index));
        }
        Map<NodeId, NodeUpgrade> upgrades = new LinkedHashMap<>();
        for (NodeId id : ids) {
            NodeTarget target =
                    new NodeTarget(
                            id, new Version("v1"), OLD, OLD_CONFIG, "file:///v1", NEW_CONFIG, true);
            upgrades.put(
                    id,
                    NodeUpgrade.withoutAttempts(
                            target, batchOf.getOrDefault(id, 0), new NodeState.Pending(START)));
        }
        return new Given(
                new Rollout(
                        new RolloutId("rollout-1"),
                        1,
                        spec,
                        new RolloutState.Pending(START),
                        0,
                        0,
                        batches,
                        upgrades));
    }

    public static NodeId node(int number) {
        return new NodeId("node-%02d".formatted(number));
    }

    public NodeState state(NodeId node) {
        return upgrade(node).state();
    }

    public NodeUpgrade upgrade(NodeId node) {
        NodeUpgrade upgrade = rollout.nodes().get(node);
        if (upgrade == null) {
            throw new IllegalArgumentException("No such node " + node);
        }
        return upgrade;
    }

    /** Nodes in flight, in order. */
    public List<NodeId> inFlight() {
        return rollout.nodes().values().stream()
                .filter(node -> node.state().isInFlight())
                .map(NodeUpgrade::id)
                .toList();
    }

    public Given at(Duration later) {
        now = now.plus(later);
        return this;
    }

    /** Plans until nothing changes any more; every step is checked by the independent checker. */
    public Given plan() {
        for (int round = 0; round < 100; round++) {
            Step step = RolloutPlanner.plan(rollout, fleet, RolloutTimeouts.STANDARD, now);
            last = step;
            List<String> violations = StepViolationFinder.findViolations(rollout, step, fleet);
            if (!violations.isEmpty()) {
                throw new AssertionError(violations);
            }
            if (!step.changed()) {
                return this;
            }
            received.addAll(step.transitions());
            incidents.addAll(IncidentRules.changesBetween(rollout, step.next(), step.stalls()));
            fleet.commit(rollout.id(), step);
            rollout = step.next().withNextRevision();
        }
        throw new AssertionError("The plan never comes to rest");
    }

    public RequestDecision request(OperatorRequest request) {
        return request(request, SampleRollout.requesterOf(request));
    }

    public RequestDecision request(OperatorRequest request, String actor) {
        OperatorRequestRules.SubmittedRequest requested =
                new OperatorRequestRules.SubmittedRequest(request, actor, "");
        RequestDecision decision = OperatorRequestRules.decide(rollout, requested, fleet, now);
        if (decision instanceof RequestDecision.Applied applied) {
            incidents.addAll(IncidentRules.changesBetween(rollout, applied.next(), List.of()));
            rollout = applied.next().withNextRevision();
            received.addAll(applied.transitions());
        }
        return decision;
    }

    /** An approval by somebody who has looked. */
    public RequestDecision approve() {
        return request(SampleRollout.approval(rollout));
    }

    public Given start() {
        request(new OperatorRequest.Start());
        return plan();
    }

    /** The agent proves the target. */
    public Given installs(NodeId node) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.SUCCEEDED,
                NEW.value(),
                NEW_CONFIG.value());
        fleet.connect(node, NEW.value(), NEW_CONFIG.value());
        return plan();
    }

    /** The agent failed and went back. */
    public Given fails(NodeId node) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.FAILED,
                OLD.value(),
                OLD_CONFIG.value(),
                "START_FAILED");
        return plan();
    }

    /** The agent leaves the node alone and says why. */
    public Given refuses(NodeId node, String reason) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.REFUSED,
                OLD.value(),
                OLD_CONFIG.value(),
                reason);
        return plan();
    }

    public Given starts(NodeId node) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.IN_PROGRESS,
                OLD.value(),
                OLD_CONFIG.value());
        return plan();
    }

    /** The agent restored what ran before, which is healthy. */
    public Given restores(NodeId node) {
        return restoresUnobserved(node).isHealthy(node);
    }

    /** The agent restored what ran before; no verdict on it has arrived. */
    public Given restoresUnobserved(NodeId node) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.RESTORED,
                OLD.value(),
                OLD_CONFIG.value());
        fleet.connect(node, OLD.value(), OLD_CONFIG.value());
        return plan();
    }

    /** The last nodes have been observed. */
    public Given isObserved() {
        return at(rollout.spec().observationDuration()).plan();
    }

    public Given isHealthy(NodeId node) {
        fleet.healthy(node, upgrade(node).attempt());
        return plan();
    }

    public Given isUnhealthy(NodeId node) {
        fleet.unhealthy(node, upgrade(node).attempt());
        return plan();
    }

    /** Requires that the rollout is paused, and why. */
    public void isPausedFor(PauseReason reason) {
        assertThat(rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Paused.class,
                        paused -> assertThat(paused.reason()).isEqualTo(reason));
    }

    /** Everything in flight installs and is well. */
    public Given batchSucceeds() {
        for (NodeId node : inFlight()) {
            installs(node);
        }
        for (NodeId node : inFlight()) {
            isHealthy(node);
        }
        return this;
    }
}
