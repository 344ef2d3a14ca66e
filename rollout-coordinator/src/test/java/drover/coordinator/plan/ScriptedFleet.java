package drover.coordinator.plan;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A fleet that says what a test tells it to say. */
public final class ScriptedFleet implements FleetView {
    public final Map<NodeId, NodeView> nodes = new HashMap<>();
    public final Map<NodeId, AttemptStatus> reports = new HashMap<>();
    public final Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
    public final Map<NodeId, Instant> receivedSince = new HashMap<>();
    public final Map<NodeId, Instant> noHeartbeatSince = new HashMap<>();
    public final Map<NodeId, Instant> reachableSince = new HashMap<>();
    public final Map<NodeId, Instant> notHealthySince = new HashMap<>();
    public final Map<NodeId, NodeAttemptsAndReservation> guards = new HashMap<>();
    public final Map<NodeId, StandbyAgent> standbys = new HashMap<>();
    public final Set<NodeId> superseded = new HashSet<>();
    public @Nullable Instant completeSince = Instant.EPOCH;
    public @Nullable Instant visibilityLostAt;
    public boolean health = true;
    public boolean seen = true;
    public Instant healthSince = Instant.EPOCH;
    public @Nullable Instant healthLostSince;
    private long sequence;

    public void connect(NodeId node, String digest, String config) {
        nodes.put(
                node,
                new NodeView.Present(
                        "session-1",
                        "process",
                        Set.of(),
                        reservation(node).lastAttempt(),
                        Map.of(
                                new BinaryName("web"),
                                new NodeView.ProgramView(
                                        new Version("v1"), digest, config, true))));
    }

    /** Its program is reported at this level, since then. */
    public void reports(NodeId node, NodeView.ProgramHealth.Level level, Instant since) {
        NodeView.Present present = (NodeView.Present) node(node);
        Map<BinaryName, NodeView.ProgramView> programs = new HashMap<>();
        present.programs()
                .forEach(
                        (name, program) ->
                                programs.put(
                                        name,
                                        new NodeView.ProgramView(
                                                program.version(),
                                                program.digest(),
                                                program.config(),
                                                program.running(),
                                                new NodeView.ProgramHealth(
                                                        level,
                                                        name + " is " + level + ".",
                                                        since))));
        nodes.put(
                node,
                new NodeView.Present(
                        present.session(),
                        present.runtime(),
                        present.features(),
                        present.attemptFloor(),
                        programs));
    }

    /** Its agent knows attempts up to this number, more than the database does. */
    void knowsAttempt(NodeId node, long attempt) {
        NodeView.Present present = (NodeView.Present) node(node);
        nodes.put(
                node,
                new NodeView.Present(
                        present.session(),
                        present.runtime(),
                        present.features(),
                        attempt,
                        present.programs()));
    }

    public void disconnect(NodeId node, Instant since) {
        nodes.put(node, new NodeView.Absent(since));
    }

    public void report(
            NodeId node, long attempt, AttemptOutcome outcome, String running, String config) {
        report(node, attempt, outcome, running, config, "");
    }

    public void report(
            NodeId node,
            long attempt,
            AttemptOutcome outcome,
            String running,
            String config,
            String reason) {
        reports.put(
                node,
                new AttemptStatus(
                        attempt,
                        ++sequence,
                        outcome,
                        UpgradePhase.STARTING,
                        "start_node",
                        100,
                        reason,
                        reason.isEmpty() ? "" : "Because of " + reason + ".",
                        running,
                        config,
                        "run-" + attempt));
    }

    /** The old agent has started its successor, or has not yet, and its attempt goes on. */
    public void handsOver(NodeId node, long attempt, boolean ready) {
        reports.put(
                node,
                new AttemptStatus(
                        attempt,
                        ++sequence,
                        AttemptOutcome.IN_PROGRESS,
                        UpgradePhase.STARTING,
                        "handover",
                        0,
                        "",
                        "",
                        Given.OLD.value(),
                        Given.OLD_CONFIG.value(),
                        "run-old",
                        ready));
    }

    public void healthy(NodeId node, long attempt) {
        verdicts.put(node, new HealthVerdict.Healthy(attempt));
    }

    public void settling(NodeId node, long attempt) {
        verdicts.put(node, new HealthVerdict.Settling(attempt, "It is not up yet."));
    }

    public void unhealthy(NodeId node, long attempt) {
        unhealthy(node, attempt, new Cause("CRASH_LOOP", "It restarted 3 times."));
    }

    public void unhealthy(NodeId node, long attempt, Cause finding) {
        verdicts.put(node, new HealthVerdict.Unhealthy(attempt, List.of(finding)));
    }

    /** What the control plane remembers after a commit. */
    void commit(RolloutId rollout, Step step) {
        step.attempts()
                .forEach(
                        a ->
                                guards.put(
                                        a.node(),
                                        reservation(a.node())
                                                .withFailedRollback(false)
                                                .withAttempt(a.attempt(), rollout)));
        step.next()
                .nodes()
                .values()
                .forEach(
                        node -> {
                            NodeAttemptsAndReservation guard = reservation(node.id());
                            if (!node.open() && rollout.equals(guard.openFor())) {
                                guards.put(
                                        node.id(),
                                        guard.withClosedAttempt(guard.lastAttempt())
                                                .withFailedRollback(
                                                        guard.failedRollback()
                                                                || node.state()
                                                                        instanceof
                                                                        NodeState.FailedRollback));
                            }
                        });
    }

    /** An operator cleared the node: the clear has a separate attempt number. */
    public void clear(NodeId node) {
        long clear = reservation(node).lastAttempt() + 1;
        guards.put(
                node,
                reservation(node)
                        .withAttempt(clear, NodeAttemptsAndReservation.CLEARING)
                        .withClosedAttempt(clear)
                        .withFailedRollback(false));
    }

    /** An operator retired the machine of the node. */
    public void retire(NodeId node) {
        guards.put(node, reservation(node).retire());
    }

    @Override
    public @Nullable Instant completeViewSince() {
        return completeSince;
    }

    @Override
    public @Nullable Instant visibilityLostSince() {
        return visibilityLostAt;
    }

    @Override
    public @Nullable Instant evaluatorUnavailableSince() {
        return health ? null : healthLostSince;
    }

    @Override
    public @Nullable Instant evaluatorConnectedSince() {
        return health ? healthSince : null;
    }

    @Override
    public NodeView node(NodeId node) {
        NodeView view = nodes.getOrDefault(node, new NodeView.Unknown());
        if (view instanceof NodeView.Present present) {
            return new NodeView.Present(
                    present.session(),
                    present.runtime(),
                    present.features(),
                    Math.max(present.attemptFloor(), reservation(node).lastAttempt()),
                    present.programs());
        }
        return view;
    }

    @Override
    public Optional<AttemptStatus> latestStatus(NodeId node) {
        return Optional.ofNullable(reports.get(node));
    }

    @Override
    public Optional<StandbyAgent> standby(NodeId node) {
        return Optional.ofNullable(standbys.get(node));
    }

    @Override
    public Optional<HealthVerdict> verdict(NodeId node) {
        return Optional.ofNullable(verdicts.get(node));
    }

    @Override
    public @Nullable Instant healthDataSince(NodeId node) {
        return receivedSince.get(node);
    }

    @Override
    public @Nullable Instant noHealthDataSince(NodeId node) {
        return noHeartbeatSince.get(node);
    }

    @Override
    public @Nullable Instant observableSince(NodeId node) {
        return reachableSince.get(node);
    }

    @Override
    public @Nullable Instant notHealthySince(NodeId node) {
        return notHealthySince.get(node);
    }

    @Override
    public boolean isLeaderView() {
        return seen;
    }

    @Override
    public NodeAttemptsAndReservation reservation(NodeId node) {
        return guards.getOrDefault(node, NodeAttemptsAndReservation.FRESH);
    }

    @Override
    public boolean isUpgradeSuperseded(NodeId node) {
        return superseded.contains(node);
    }
}
