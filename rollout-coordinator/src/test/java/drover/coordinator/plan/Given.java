package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

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
final class Given {
    static final Digest OLD = Digest.of("old");
    static final Digest NEW = Digest.of("new");
    static final Digest OLD_CONFIG = Digest.of("old config");
    static final Digest NEW_CONFIG = Digest.of("new config");
    static final Duration HEALTH_WAIT = Duration.ofSeconds(10);
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    final ScriptedFleet fleet = new ScriptedFleet();
    final List<Transition> told = new ArrayList<>();
    final List<IncidentChange> incidents = new ArrayList<>();
    Instant now = START;
    Rollout rollout;
    Step last;

    private Given(Rollout rollout) {
        this.rollout = rollout;
        rollout.nodes()
                .keySet()
                .forEach(node -> fleet.connect(node, OLD.value(), OLD_CONFIG.value()));
        this.last = RolloutPlanner.plan(rollout, fleet, Timings.STANDARD, now);
    }

    static Given rolling(int nodes, int batchSize) {
        return of(
                nodes, new Strategy.Rolling(batchSize), new Threshold.Count(0), MigrationType.NONE);
    }

    static Given canary(int nodes, MigrationType migration) {
        return of(nodes, new Strategy.Canary(1, 2), new Threshold.Count(0), migration);
    }

    static Given canary(int nodes, Duration healthWait) {
        return of(
                nodes,
                new Strategy.Canary(1, 2),
                new Threshold.Count(0),
                MigrationType.NONE,
                0,
                healthWait);
    }

    static Given of(int nodes, Strategy strategy, Threshold threshold, MigrationType migration) {
        return of(nodes, strategy, threshold, migration, 0, HEALTH_WAIT);
    }

    static Given withOfflineBudget(int nodes, Strategy strategy, Threshold threshold, int budget) {
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
                        .overseen("alice", nodes);
        List<Batch> batches = new ArrayList<>();
        Map<NodeId, Integer> batchOf = new HashMap<>();
        for (BatchPlanner.PlannedBatch batch : BatchPlanner.plan(strategy, ids, 7)) {
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
                    NodeUpgrade.fresh(
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

    static NodeId node(int number) {
        return new NodeId("node-%02d".formatted(number));
    }

    NodeState state(NodeId node) {
        return upgrade(node).state();
    }

    NodeUpgrade upgrade(NodeId node) {
        NodeUpgrade upgrade = rollout.nodes().get(node);
        if (upgrade == null) {
            throw new IllegalArgumentException("No such node " + node);
        }
        return upgrade;
    }

    /** Nodes in flight, in order. */
    List<NodeId> inFlight() {
        return rollout.nodes().values().stream()
                .filter(node -> node.state().isInFlight())
                .map(NodeUpgrade::id)
                .toList();
    }

    Given at(Duration later) {
        now = now.plus(later);
        return this;
    }

    /** Plans until nothing changes any more; every step is checked by the independent checker. */
    Given plan() {
        for (int round = 0; round < 100; round++) {
            Step step = RolloutPlanner.plan(rollout, fleet, Timings.STANDARD, now);
            last = step;
            List<String> violations = PlanInvariants.violations(rollout, step, fleet);
            if (!violations.isEmpty()) {
                throw new AssertionError(violations);
            }
            if (!step.changed()) {
                return this;
            }
            told.addAll(step.transitions());
            incidents.addAll(IncidentRules.of(rollout, step.next(), step.stalls()));
            fleet.commit(rollout.id(), step);
            rollout = step.next().committed();
        }
        throw new AssertionError("The plan never comes to rest");
    }

    Decision ask(OperatorRequest request) {
        return ask(request, SampleRollout.whoAsksFor(request));
    }

    Decision ask(OperatorRequest request, String actor) {
        OperatorRequests.Asked asked = new OperatorRequests.Asked(request, actor, "");
        Decision decision = OperatorRequests.decide(rollout, asked, fleet, now);
        if (decision instanceof Decision.Applied applied) {
            incidents.addAll(IncidentRules.of(rollout, applied.next(), List.of()));
            rollout = applied.next().committed();
            told.addAll(applied.transitions());
        }
        return decision;
    }

    /** An approval by somebody who has looked. */
    Decision approve() {
        return ask(SampleRollout.approval(rollout));
    }

    Given start() {
        ask(new OperatorRequest.Start());
        return plan();
    }

    /** The agent proves the target. */
    Given installs(NodeId node) {
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
    Given fails(NodeId node) {
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
    Given refuses(NodeId node, String reason) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.REFUSED,
                OLD.value(),
                OLD_CONFIG.value(),
                reason);
        return plan();
    }

    Given begins(NodeId node) {
        fleet.report(
                node,
                upgrade(node).attempt(),
                AttemptOutcome.IN_PROGRESS,
                OLD.value(),
                OLD_CONFIG.value());
        return plan();
    }

    /** The agent restored what ran before, which is healthy. */
    Given restores(NodeId node) {
        return restoresUnobserved(node).isWell(node);
    }

    /** The agent restored what ran before; no verdict on it has arrived. */
    Given restoresUnobserved(NodeId node) {
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
    Given isObserved() {
        return at(rollout.spec().observation()).plan();
    }

    Given isWell(NodeId node) {
        fleet.well(node, upgrade(node).attempt());
        return plan();
    }

    Given isUnwell(NodeId node) {
        fleet.unwell(node, upgrade(node).attempt());
        return plan();
    }

    /** Requires that the rollout is paused, and why. */
    void isPausedFor(PauseReason reason) {
        assertThat(rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Paused.class,
                        paused -> assertThat(paused.reason()).isEqualTo(reason));
    }

    /** Everything in flight installs and is well. */
    Given batchSucceeds() {
        for (NodeId node : inFlight()) {
            installs(node);
        }
        for (NodeId node : inFlight()) {
            isWell(node);
        }
        return this;
    }
}
