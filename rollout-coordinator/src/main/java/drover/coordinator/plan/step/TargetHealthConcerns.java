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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Targets that are not verified healthy and not in flight: what a rollout looks at before it
 * modifies further nodes (A22, A24). The health of a machine that was retired after it succeeded is
 * of no concern. Pure.
 *
 * @param concerns in the order of the nodes
 */
public record TargetHealthConcerns(List<Concern> concerns) {
    /** A connected agent sends its first heartbeat within two idle intervals of 30 s. */
    public static final Duration FIRST_HEARTBEAT = Duration.ofSeconds(60);

    private static final String DISCONNECTED = "Its agent is not connected.";
    private static final String UNANSWERED = "No gateway has answered for it yet.";

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
        /** It waits for its turn or was left alone, and it is unhealthy. */
        UNHEALTHY,
        /** It waits for its turn or was left alone, and there is no health data. */
        UNDETERMINED
    }

    /**
     * One target.
     *
     * @param since since when; since it succeeded where that is not known, {@link Instant#MAX}
     *     while no gateway has answered for the node
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

        /** When the first heartbeat of its agent must have arrived. */
        public Instant firstHeartbeatDeadline() {
            return since.equals(Instant.MAX) ? Instant.MAX : since.plus(FIRST_HEARTBEAT);
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
            boolean observed = validates && !node.isOnRetiredMachine(fleet.reservation(node.id()));
            return observed ? modifiedConcern(spec, fleet, node, succeeded) : null;
        }
        boolean undecided =
                state instanceof NodeState.Pending
                        || state instanceof NodeState.Held
                        || (state instanceof NodeState.Skipped skipped
                                && skipped.reason() != SkipReason.OPERATOR); // that accepts it
        return undecided ? undecidedConcern(spec, fleet, node) : null; // in flight, or a failure
    }

    /**
     * The verdict on what an attempt installed. Once another rollout has made a later attempt on
     * the node, heartbeats belong to that one; then the program's reported health decides.
     */
    public static HealthVerdict verdict(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node, long attempt) {
        if (isSuperseded(fleet, node)) {
            return switch (fleet.node(node.id())) {
                case NodeView.Unknown unknown -> new HealthVerdict.NoData(attempt, UNANSWERED);
                case NodeView.Absent absent -> new HealthVerdict.NoData(attempt, DISCONNECTED);
                case NodeView.Present present -> reportedVerdict(spec, fleet, node, attempt);
            };
        }
        return fleet.verdict(node.id())
                .filter(verdict -> verdict.attempt() == attempt)
                .orElse(new HealthVerdict.NoData(attempt, "No verdict yet."));
    }

    private static boolean isSuperseded(FleetView fleet, NodeUpgrade node) {
        return fleet.reservation(node.id()).lastAttempt() > node.attempt();
    }

    /** R3: a connected node without a report is not healthy, and not unhealthy. */
    private static HealthVerdict reportedVerdict(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node, long attempt) {
        if (spec.programKind() == ProgramKind.AGENT) {
            return new HealthVerdict.Healthy(attempt); // it is connected
        }
        ProgramHealth health = programHealth(spec, fleet, node);
        if (health == null) {
            return new HealthVerdict.NoData(
                    attempt, "Its gateway does not report the health of " + spec.binary() + ".");
        }
        return switch (health.level()) {
            case HEALTHY, DEGRADED -> new HealthVerdict.Healthy(attempt);
            case UNKNOWN -> new HealthVerdict.NoData(attempt, health.detail());
            case CRITICAL, DOWN, CRASH_LOOP ->
                    new HealthVerdict.Unhealthy(
                            attempt, List.of(new Cause(health.level().name(), health.detail())));
        };
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
                    toConcern(spec, fleet, node, Kind.RECOVERING, settling.waitingOn());
            case HealthVerdict.Unhealthy unhealthy -> // another rollout is at work on it
                    toConcern(spec, fleet, node, Kind.RECOVERING, unhealthy.cause().sentence());
            case HealthVerdict.NoData noData ->
                    fleet.node(node.id()) instanceof NodeView.Absent(Instant since)
                            ? new Concern(node, Kind.OFFLINE, since, DISCONNECTED)
                            : toConcern(spec, fleet, node, Kind.NO_DATA, noData.why());
        };
    }

    private static Concern toConcern(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node, Kind kind, String why) {
        Instant since =
                isSuperseded(fleet, node)
                        ? reportedSince(spec, fleet, node)
                        : fleet.notHealthySince(node.id());
        return new Concern(node, kind, since == null ? node.state().since() : since, why);
    }

    private static @Nullable Instant reportedSince(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node) {
        if (fleet.node(node.id()) instanceof NodeView.Unknown) {
            return Instant.MAX;
        }
        ProgramHealth health = programHealth(spec, fleet, node);
        return health == null ? null : health.since();
    }

    /** An agent that is connected is healthy; heartbeats report only what it cares for. */
    private static @Nullable Concern undecidedConcern(
            RolloutSpec spec, FleetView fleet, NodeUpgrade node) {
        if (spec.programKind() == ProgramKind.AGENT) {
            return null;
        }
        return switch (fleet.node(node.id())) {
            case NodeView.Absent absent -> null; // counts against the offline budget
            case NodeView.Unknown unknown ->
                    new Concern(node, Kind.UNDETERMINED, Instant.MAX, UNANSWERED);
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

    /** The concerns about other nodes. */
    public TargetHealthConcerns without(Predicate<NodeUpgrade> nodes) {
        return new TargetHealthConcerns(
                concerns.stream().filter(concern -> !nodes.test(concern.node())).toList());
    }

    /** The concerns of some kinds, the oldest first. */
    public List<Concern> concernsOfKinds(Kind kind, Kind... more) {
        return concerns.stream()
                .filter(concern -> concern.kind() == kind || List.of(more).contains(concern.kind()))
                .sorted(Comparator.comparing(Concern::since))
                .toList();
    }
}
