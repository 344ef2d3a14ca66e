package drover.coordinator.plan.step;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Targets that are not verified healthy and not in flight: what a rollout looks at before it
 * modifies further nodes (A22, A24). Pure.
 *
 * @param concerns in the order of the nodes
 */
public record TargetHealthConcerns(List<Concern> concerns) {
    public TargetHealthConcerns {
        concerns = List.copyOf(concerns);
    }

    /** Why a target is not verified healthy. */
    public enum Kind {
        /** The rollout modified it; no criterion is broken any more, but its health must hold. */
        RECOVERING,
        /** The rollout modified it, its agent is connected, and there is no health data. */
        NO_DATA,
        /** The rollout modified it, and its agent is not connected. */
        OFFLINE,
        /** The rollout did not modify it, and it is unhealthy. */
        UNHEALTHY,
        /** The rollout did not modify it, and its health is not known yet. */
        UNDETERMINED
    }

    /**
     * One target.
     *
     * @param since since when; {@link Instant#EPOCH} where that is not known
     * @param why one sentence; details of gateways and agents may lack its full stop
     */
    public record Concern(NodeUpgrade node, Kind kind, Instant since, String why) {
        public Concern {
            why = why.endsWith(".") ? why : why + ".";
        }

        /** {@code node st-3: etcd is critical.} */
        public String sentence() {
            return "node " + node.id() + ": " + why;
        }
    }

    /** Every concern about the targets of a rollout. */
    public static TargetHealthConcerns of(Rollout rollout, FleetView fleet) {
        List<Concern> concerns = new ArrayList<>();
        boolean validates = !rollout.spec().strategy().skipsValidation();
        for (NodeUpgrade node : rollout.nodes().values()) {
            Concern concern = toConcern(rollout.spec(), fleet, node, validates);
            if (concern != null) {
                concerns.add(concern);
            }
        }
        return new TargetHealthConcerns(concerns);
    }

    /** Type tests instead of a switch: evaluated for every target in each step. */
    private static @Nullable Concern toConcern(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node, boolean validates) {
        NodeState state = node.state();
        if (state instanceof NodeState.Succeeded succeeded) {
            return validates ? modifiedConcern(spec, fleet, node, succeeded) : null;
        }
        boolean unmodified =
                node.attempts() == 0
                        && (state instanceof NodeState.Pending
                                || state instanceof NodeState.Held
                                || (state instanceof NodeState.Skipped skipped
                                        && !isAccepted(node, skipped)));
        return unmodified ? unmodifiedConcern(spec, fleet, node) : null; // in flight, or a failure
    }

    /** An operator left it alone as it is. */
    private static boolean isAccepted(NodeUpgrade node, NodeState.Skipped skipped) {
        return skipped.reason() == SkipReason.OPERATOR || node.installedBy() != 0;
    }

    /**
     * The verdict on what an attempt installed. Once another rollout has made a later attempt on
     * the node, heartbeats belong to that one; then the program's reported health decides.
     */
    public static HealthVerdict verdict(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node, long attempt) {
        if (fleet.reservation(node.id()).lastAttempt() > node.attempt()) {
            ProgramHealth health = programHealth(spec, fleet, node);
            return health != null && health.isUnhealthy()
                    ? new HealthVerdict.Unhealthy(
                            attempt, List.of(new Cause(health.level().name(), health.detail())))
                    : new HealthVerdict.Healthy(attempt);
        }
        return fleet.verdict(node.id())
                .filter(verdict -> verdict.attempt() == attempt)
                .orElse(new HealthVerdict.NoData(attempt, "No verdict yet."));
    }

    private static @Nullable ProgramHealth programHealth(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node) {
        ProgramView program =
                fleet.node(node.id()) instanceof NodeView.Present present
                        ? present.programs().get(spec.binary())
                        : null;
        return program == null ? null : program.health();
    }

    private static @Nullable Concern modifiedConcern(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node, NodeState.Succeeded succeeded) {
        return switch (verdict(spec, fleet, node, succeeded.attempt())) {
            case HealthVerdict.Healthy healthy -> null;
            case HealthVerdict.Settling settling ->
                    toConcern(fleet, node, Kind.RECOVERING, settling.waitingOn());
            case HealthVerdict.Unhealthy unhealthy -> // another rollout is at work on it
                    toConcern(fleet, node, Kind.RECOVERING, unhealthy.cause().sentence());
            case HealthVerdict.NoData noData ->
                    fleet.node(node.id()) instanceof NodeView.Absent(Instant since)
                            ? new Concern(node, Kind.OFFLINE, since, "Its agent is not connected.")
                            : toConcern(fleet, node, Kind.NO_DATA, noData.why());
        };
    }

    private static Concern toConcern(FleetView fleet, NodeUpgrade node, Kind kind, String why) {
        Instant since = fleet.notHealthySince(node.id());
        return new Concern(node, kind, since == null ? Instant.EPOCH : since, why);
    }

    /** An agent that is connected is healthy; heartbeats report only what it cares for. */
    private static @Nullable Concern unmodifiedConcern(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node) {
        if (spec.programKind() == ProgramKind.AGENT) {
            return null;
        }
        return switch (fleet.node(node.id())) {
            case NodeView.Absent absent -> null; // counts against the offline budget
            case NodeView.Unknown unknown ->
                    new Concern(
                            node,
                            Kind.UNDETERMINED,
                            Instant.MAX,
                            "No gateway has answered for it yet.");
            case NodeView.Present present ->
                    reportedConcern(node, programHealth(spec, fleet, node));
        };
    }

    private static @Nullable Concern reportedConcern(
            NodeUpgrade node, @Nullable ProgramHealth health) {
        if (health == null) {
            return null; // it has no such program, or its gateway is too old to report health
        }
        if (health.isUnhealthy()) {
            return new Concern(node, Kind.UNHEALTHY, health.since(), health.detail());
        }
        return health.level() == ProgramHealth.Level.UNKNOWN
                ? new Concern(node, Kind.UNDETERMINED, health.since(), health.detail())
                : null;
    }

    /** The concerns of some kinds, the oldest first. */
    public List<Concern> concernsOfKinds(Kind kind, Kind... more) {
        return concerns.stream()
                .filter(concern -> concern.kind() == kind || List.of(more).contains(concern.kind()))
                .sorted(Comparator.comparing(Concern::since))
                .toList();
    }
}
