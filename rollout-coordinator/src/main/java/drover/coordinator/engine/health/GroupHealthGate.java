package drover.coordinator.engine.health;

import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.HealthEvaluatorLink.AllProgramsWatch;
import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupGateStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.GroupId;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the health-evaluator about all programs of all nodes at the gate between two components. A
 * gate has a link of its own, opened after the component's end, so that no verdict is older and no
 * rollout's watch is disturbed. Where nothing is heard of a connected node another evaluator is
 * asked, as rollouts do (decision 0086). Looked at by one thread, and closed by whoever ends the
 * term, which may be two at once: the process that ends, and the election that is lost meanwhile.
 * Verdicts come from others.
 */
public final class GroupHealthGate implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupHealthGate.class);

    /** An evaluator that is there answers at once; another one may be. */
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(5);

    /**
     * How long nothing is heard of a connected node until another evaluator is asked: two
     * heartbeats of an idle agent, and half of the least that a gate waits.
     */
    public static final Duration SWITCH_AFTER = Duration.ofMinutes(1);

    private final EvaluatorPool evaluators;
    private final Supplier<Instant> clock;
    private final Runnable wake;
    private final Map<GroupId, Gate> gates = new HashMap<>(); // at most one per chain

    /** Who can be asked. */
    interface EvaluatorPool {
        /** One that can be heard and was not asked in vain, by the number of its opening. */
        OptionalLong nextEvaluator(Set<Long> inVain);

        /** A link to it; to any other one where it cannot be heard any more. */
        HealthEvaluatorLink openOrFallBack(OptionalLong which, HealthEvaluatorLink.Listener events);
    }

    public GroupHealthGate(EvaluatorPool evaluators, Supplier<Instant> clock, Runnable wake) {
        this.evaluators = evaluators;
        this.clock = clock;
        this.wake = wake;
    }

    /** What is looked at: a gate that is asked anew is another gate. */
    public record GateIdentity(GroupComponent after, Instant since) {}

    /** What a gate looks at, and where heartbeats come from. */
    public record GateScope(Set<NodeId> nodes, List<String> gateways) {
        public GateScope {
            nodes = Set.copyOf(nodes);
            gateways = List.copyOf(gateways);
        }
    }

    /**
     * What is known at a group's gate; asks if nobody has.
     *
     * @param audible whether a node has been where an evaluator could hear it for {@link
     *     #SWITCH_AFTER}
     */
    public synchronized GroupGateStatus check(
            GroupId group, GateIdentity question, GateScope scope, Predicate<NodeId> audible) {
        Instant now = clock.get();
        Gate gate = gates.get(group);
        if (gate == null || !gate.question.equals(question)) {
            gate = open(group, new Gate(question, scope, GateRequestTimes.first(now), Set.of()));
        } else if (!gate.isOpenForScope(scope)) {
            gate =
                    open(
                            group,
                            new Gate(
                                    question,
                                    scope,
                                    gate.times.withTimeoutRestarted(now, question),
                                    Set.of()));
        } else if (gate.isUnresponsive(now)) {
            gate = open(group, new Gate(question, scope, gate.times.reconnected(now), gate.inVain));
        } else if (gate.lacksData(now, audible)
                && evaluators.nextEvaluator(gate.triedEvaluators()).isPresent()) {
            Gate withoutData = gate;
            gate =
                    open(
                            group,
                            new Gate(
                                    question,
                                    scope,
                                    withoutData.times.reconnected(now),
                                    withoutData.triedEvaluators()));
            LOG.warn(
                    "Nothing is heard of a node at a gate; another health-evaluator is asked"
                            + " groupId={}",
                    group);
        }
        return gate.toGateStatus();
    }

    /**
     * When a gate was asked.
     *
     * @param first for the first time
     * @param requestedAt by which its patience is counted
     * @param connectedAt the last time
     */
    private record GateRequestTimes(Instant first, Instant requestedAt, Instant connectedAt) {
        /** Patiences altogether, however often evaluators and gateways come and go (A18). */
        private static final int MAX_TIMEOUTS = 3;

        static GateRequestTimes first(Instant now) {
            return new GateRequestTimes(now, now, now);
        }

        /** Whoever heard it is lost, or something else is looked at: it has its time again. */
        GateRequestTimes withTimeoutRestarted(Instant now, GateIdentity question) {
            Instant last =
                    first.plus(question.after().gateTimeout().multipliedBy(MAX_TIMEOUTS - 1));
            return new GateRequestTimes(first, now.isBefore(last) ? now : last, now);
        }

        GateRequestTimes reconnected(Instant now) {
            return new GateRequestTimes(first, requestedAt, now);
        }
    }

    private Gate open(GroupId group, Gate gate) {
        close(group);
        gates.put(group, gate);
        gate.open();
        return gate;
    }

    /** The gates of other groups than these are over. */
    public synchronized void retainGroups(Set<GroupId> wanted) {
        for (GroupId group : List.copyOf(gates.keySet())) {
            if (!wanted.contains(group)) {
                close(group);
            }
        }
    }

    private void close(GroupId group) {
        Gate gate = gates.remove(group);
        if (gate != null) {
            gate.close();
        }
    }

    @Override
    public synchronized void close() {
        retainGroups(Set.of());
    }

    /** One gate, as long as its link lives. */
    private final class Gate implements HealthEvaluatorLink.Listener {
        private final GateIdentity question;
        private final Set<NodeId> nodes;
        private final GateScope scope;
        private final GateRequestTimes times;
        private final Set<Long> inVain;
        private final OptionalLong evaluator;
        private final Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        private @Nullable HealthEvaluatorLink link;
        private boolean received;
        private boolean lost;

        Gate(GateIdentity question, GateScope scope, GateRequestTimes times, Set<Long> inVain) {
            this.question = question;
            this.nodes = new TreeSet<>(scope.nodes());
            this.scope = scope;
            this.times = times;
            this.inVain = inVain;
            this.evaluator = evaluators.nextEvaluator(inVain);
        }

        void open() {
            HealthEvaluatorLink opened = evaluators.openOrFallBack(evaluator, this);
            opened.setGateways(scope.gateways());
            opened.watchAllPrograms(
                    nodes.stream()
                            .map(
                                    node ->
                                            new AllProgramsWatch(
                                                    node,
                                                    question.after().healthWait(),
                                                    question.after().crashLoopRestarts()))
                            .toList());
            synchronized (this) {
                link = opened;
            }
        }

        synchronized boolean isUnresponsive(Instant now) {
            return !received && now.isAfter(times.connectedAt().plus(RESPONSE_TIMEOUT));
        }

        /** Whether whoever is asked hears nothing of a node that it could hear. */
        synchronized boolean lacksData(Instant now, Predicate<NodeId> audible) {
            return !now.isBefore(times.connectedAt().plus(SWITCH_AFTER))
                    && nodes.stream().filter(this::hasNoData).anyMatch(audible);
        }

        private boolean hasNoData(NodeId node) {
            HealthVerdict verdict = verdicts.get(node);
            return verdict == null || verdict instanceof HealthVerdict.NoData;
        }

        /** Those that were asked in vain once this one was. */
        Set<Long> triedEvaluators() {
            Set<Long> tried = new HashSet<>(inVain);
            evaluator.ifPresent(tried::add);
            return tried;
        }

        synchronized boolean isOpenForScope(GateScope other) {
            return !lost && scope.equals(other);
        }

        synchronized GroupGateStatus toGateStatus() {
            for (NodeId node : nodes) {
                if (verdicts.get(node) instanceof HealthVerdict.Unhealthy unhealthy) {
                    return new GroupGateStatus.Closed(unhealthyCause(node, unhealthy));
                }
            }
            for (NodeId node : nodes) {
                if (!(verdicts.get(node) instanceof HealthVerdict.Healthy)) {
                    return new GroupGateStatus.Waiting(times.requestedAt(), waitReason(node));
                }
            }
            return new GroupGateStatus.Open(nodes.size());
        }

        private static Cause unhealthyCause(NodeId node, HealthVerdict.Unhealthy unhealthy) {
            Cause first =
                    unhealthy.findings().isEmpty()
                            ? new Cause("UNHEALTHY", "Unwell.")
                            : unhealthy.findings().getFirst();
            return new Cause(first.code(), "node " + node + ": " + first.sentence());
        }

        private String waitReason(NodeId node) {
            String why =
                    switch (verdicts.get(node)) {
                        case HealthVerdict.Settling settling -> settling.waitingOn();
                        case HealthVerdict.NoData noData -> noData.why();
                        case null -> "No verdict yet.";
                        case HealthVerdict.Healthy h -> "";
                        case HealthVerdict.Unhealthy u -> "";
                    };
            return "Node " + node + ": " + why;
        }

        @Override
        public synchronized void onOpened() {
            received = true;
        }

        @Override
        public void onVerdicts(Map<NodeId, HealthVerdict> received) {
            synchronized (this) {
                verdicts.putAll(received);
            }
            wake.run();
        }

        @Override
        public synchronized void onClosed() {
            lost = true; // asked anew at the next look
        }

        void close() {
            HealthEvaluatorLink open;
            synchronized (this) {
                lost = true;
                open = link;
                link = null;
            }
            if (open != null) {
                open.close();
            }
        }
    }
}
