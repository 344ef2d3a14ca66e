package drover.coordinator.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.health.EvaluatorSelector.NodesWithoutData;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two health-evaluators, and rollouts that each have one of them. */
class EvaluatorAssignmentsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final RolloutId FIRST = new RolloutId("first");
    private static final RolloutId SECOND = new RolloutId("second");
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final HealthVerdict FLAPS =
            new HealthVerdict.Unhealthy(1, List.of(new Cause("HOLD", "From well to bad 3 times.")));

    private Instant now = START;
    private final FleetCache mirror =
            new FleetCache(
                    () -> now, new NodeReservationCache(new InMemoryCoordinatorStore(() -> now)));
    private final Evaluator one = new Evaluator();
    private final Evaluator other = new Evaluator();
    private final List<Collection<NodeId>> woken = new ArrayList<>();
    private final EvaluatorAssignments assignments =
            new EvaluatorAssignments(List.of(one::open, other::open), mirror, woken::add);

    @Test
    void rolloutsSpreadOverReachableEvaluators() {
        assignments.openIfLostAndSetGateways(List.of("gateway"));
        one.opens();
        other.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        assignments.watch(SECOND, List.of(watch(B, 1)));

        assertThat(one.watched).containsExactly(A);
        assertThat(other.watched).containsExactly(B);
        assertThat(List.of(one.gateways, other.gateways)).containsOnly(List.of("gateway"));
    }

    @Test
    void unreachableEvaluatorGetsNoWatches() {
        assignments.openIfLostAndSetGateways(List.of());
        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isZero();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        assertThat(mirror.snapshot().evaluatorConnectedSince()).isNull();
        other.opens();

        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isPositive();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        assertThat(other.watched).containsExactly(A);
        assertThat(one.watched).isEmpty();
    }

    @Test
    @DisplayName("F3: what the lost one said does not count, and the other one is asked at once")
    void anotherEvaluatorTakesOver() {
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        other.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        assignments.watch(SECOND, List.of(watch(B, 1)));
        one.report(A);
        other.report(B);
        long before = assignments.findOrChooseEvaluatorGeneration(FIRST);
        long untouched = assignments.findOrChooseEvaluatorGeneration(SECOND);

        now = START.plusSeconds(7);
        woken.clear();
        Evaluator.Line lost = one.lost();

        assertThat(woken).as("the loops look at once").isNotEmpty();
        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isNotEqualTo(before);
        assertThat(assignments.findOrChooseEvaluatorGeneration(SECOND)).isEqualTo(untouched);
        assertThat(verdict(A)).isInstanceOf(HealthVerdict.NoData.class);
        assertThat(verdict(B)).isInstanceOf(HealthVerdict.Healthy.class);
        assertThat(mirror.snapshot().noHealthDataSince(A))
                .as("R3: it has time from now")
                .isEqualTo(now);
        assertThat(mirror.snapshot().noHealthDataSince(B)).isNull();
        assertThat(mirror.snapshot().evaluatorConnectedSince())
                .as("B's time stays")
                .isEqualTo(START);

        assignments.watch(FIRST, List.of(watch(A, 1)));
        assertThat(other.watched).containsExactly(A, B);
        lost.events.onVerdicts(Map.of(A, new HealthVerdict.Healthy(1)));
        assertThat(verdict(A)).as("said too late").isInstanceOf(HealthVerdict.NoData.class);
        other.report(A);
        assertThat(verdict(A)).isInstanceOf(HealthVerdict.Healthy.class);
    }

    @Test
    @DisplayName(
            "R3: one of which nothing was heard before its evaluator was lost has its time too")
    void nodesWithoutDataHaveTimeFromTheLoss() {
        bothWatch();
        now = START.plusSeconds(119);
        one.lost();

        assertThat(mirror.snapshot().noHealthDataSince(A)).isEqualTo(now);
        assertThat(mirror.snapshot().observableSince(A)).isEqualTo(now);
        assertThat(mirror.snapshot().evaluatorConnectedSince()).isEqualTo(START);
    }

    @Test
    @DisplayName("F3: it moves once, nothing said late counts, and nobody has more time for it")
    void reassignsARolloutOfAnEvaluatorWithoutData() {
        bothWatch();
        one.report(B);
        other.report(C);
        long before = assignments.findOrChooseEvaluatorGeneration(FIRST);
        long untouched = assignments.findOrChooseEvaluatorGeneration(SECOND);
        now = START.plusSeconds(40);
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));

        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isNotEqualTo(before);
        assertThat(assignments.findOrChooseEvaluatorGeneration(SECOND)).isEqualTo(untouched);
        assertThat(one.watched).as("it counts on what it has counted").containsExactly(A, B);
        one.report(A);
        one.report(B);
        assertThat(verdict(A)).as("said too late").isInstanceOf(HealthVerdict.NoData.class);
        assertThat(verdict(B)).as("not asked of it").isInstanceOf(HealthVerdict.NoData.class);
        assertThat(verdict(C)).as("another rollout's").isInstanceOf(HealthVerdict.Healthy.class);
        assertThat(mirror.snapshot().evaluatorConnectedSince()).isEqualTo(START);
        assertThat(mirror.snapshot().noHealthDataSince(A)).as("never heard of").isNull();
        assertThat(mirror.snapshot().noHealthDataSince(B)).isEqualTo(now);
        assertThat(mirror.snapshot().observableSince(A)).isEqualTo(now);

        assignments.watch(FIRST, List.of(watch(A, 1), watch(B, 1)));
        assertThat(other.watched).containsExactly(A, B, C);
        other.report(A);
        assertThat(verdict(A)).isInstanceOf(HealthVerdict.Healthy.class);
    }

    @Test
    @DisplayName("F4: what went from well to bad too often fails at whoever has counted all of it")
    void whatTheLeftOneFindsBrokenCounts() {
        leaveOneForTheOther();
        one.report(B, new HealthVerdict.Settling(1, "Well for 9 s of 10 s."));
        assertThat(verdict(B)).as("nobody asked it").isInstanceOf(HealthVerdict.NoData.class);
        other.report(B, new HealthVerdict.Settling(1, "Critical once."));
        woken.clear();
        one.report(B, FLAPS);
        assertThat(verdict(B)).isEqualTo(FLAPS);
        assertThat(woken).as("the loops look at once").contains(Set.of(B));

        other.report(B);
        assertThat(verdict(B)).as("well at the end, by fewer times").isEqualTo(FLAPS);
        assertThat(verdict(A)).as("another node").isInstanceOf(HealthVerdict.NoData.class);
        other.report(A);
        assertThat(verdict(A)).isInstanceOf(HealthVerdict.Healthy.class);
    }

    @Test
    @DisplayName("F4: so does what it had found before it was left")
    void whatTheLeftOneHadFoundBrokenCounts() {
        bothWatch();
        one.report(B, FLAPS);
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));
        assignments.watch(FIRST, List.of(watch(A, 1), watch(B, 1)));
        other.report(B);

        assertThat(verdict(B)).isEqualTo(FLAPS);
    }

    @Test
    void whatTheLeftOneTakesBackOrIsLostWithDoesNotCount() {
        leaveOneForTheOther();
        other.report(B);
        one.report(B, FLAPS);
        one.report(B, new HealthVerdict.Settling(1, "Its values are good again."));
        assertThat(verdict(B)).as("as said meanwhile").isInstanceOf(HealthVerdict.Healthy.class);

        one.report(B, FLAPS);
        one.lost();
        assertThat(verdict(B)).as("lost with it").isInstanceOf(HealthVerdict.Healthy.class);
    }

    @Test
    @DisplayName("F1: of another attempt, or of one that ended, the left one finds nothing")
    void theLeftOneWatchesUntilTheAttemptEnds() {
        leaveOneForTheOther();
        one.report(B, new HealthVerdict.Unhealthy(2, List.of()));
        assertThat(verdict(B)).isInstanceOf(HealthVerdict.NoData.class);
        assignments.unwatch(Map.of(B, 2L));
        assertThat(one.watched).containsExactly(A, B);

        assignments.unwatch(Map.of(B, 1L));
        assertThat(one.watched).containsExactly(A);
        assertThat(other.watched).containsExactly(A, C);
        one.report(B, FLAPS);
        assertThat(verdict(B)).isInstanceOf(HealthVerdict.NoData.class);
    }

    @Test
    void reassignedEvaluatorIsKept() {
        leaveOneForTheOther();
        one.report(B, FLAPS);
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START.plusSeconds(600), A));
        assignments.watch(FIRST, List.of(watch(A, 1), watch(B, 1)));
        one.report(B);
        assertThat(verdict(B)).isInstanceOf(HealthVerdict.Healthy.class);

        other.report(B, FLAPS);
        assertThat(verdict(B)).as("now it is the left one").isEqualTo(FLAPS);
    }

    private void leaveOneForTheOther() {
        bothWatch();
        one.report(B, new HealthVerdict.Settling(1, "Well for 1 s of 10 s."));
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));
        assignments.watch(FIRST, List.of(watch(A, 1), watch(B, 1)));
        assertThat(other.watched).containsExactly(A, B, C);
    }

    @Test
    void doesNotReturnToAFailedEvaluator() {
        bothWatch();
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));
        long moved = assignments.findOrChooseEvaluatorGeneration(FIRST);
        assignments.watch(FIRST, List.of(watch(A, 1), watch(B, 1)));
        other.report(A);
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));

        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isEqualTo(moved);
        assertThat(verdict(A)).as("nothing changed").isInstanceOf(HealthVerdict.Healthy.class);
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START.plusSeconds(600), A));
        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST))
                .as("somebody resumed it")
                .isNotEqualTo(moved);
    }

    @Test
    void itStaysWhereThereIsNoOtherOne() {
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        long before = assignments.findOrChooseEvaluatorGeneration(FIRST);
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));
        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isEqualTo(before);
        assertThat(one.watched).containsExactly(A);

        other.opens();
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));
        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isNotEqualTo(before);
    }

    @Test
    @DisplayName("F1: what another rollout has watched for a later attempt is not touched")
    void aLaterAttemptOfAnotherRolloutStays() {
        bothWatch();
        assignments.watch(SECOND, List.of(watch(B, 2)));
        mirror.applyVerdicts(Map.of(B, new HealthVerdict.Healthy(2)));
        assignments.switchEvaluatorIfPossible(FIRST, unresponsive(START, A));

        assertThat(other.watched).containsExactly(B, C);
        assertThat(verdict(B)).isEqualTo(new HealthVerdict.Healthy(2));
    }

    /** One watches A and B for the first rollout, the other C for the second. */
    private void bothWatch() {
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        other.opens();
        assignments.watch(FIRST, List.of(watch(A, 1), watch(B, 1)));
        assignments.watch(SECOND, List.of(watch(C, 1)));
        assertThat(one.watched).containsExactly(A, B);
        assertThat(other.watched).containsExactly(C);
    }

    private HealthVerdict verdict(NodeId node) {
        return mirror.snapshot().verdict(node).orElseThrow();
    }

    private static NodesWithoutData unresponsive(Instant since, NodeId unresponsive) {
        return new NodesWithoutData(since, Set.of(unresponsive), Set.of(A, B));
    }

    @Test
    void aRolloutStaysWithItsEvaluatorWhenALostOneIsBack() {
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        long generation = assignments.findOrChooseEvaluatorGeneration(FIRST);
        other.opens();
        assignments.openIfLostAndSetGateways(List.of());

        assertThat(assignments.findOrChooseEvaluatorGeneration(FIRST)).isEqualTo(generation);
        assertThat(mirror.snapshot().evaluatorConnectedSince()).isEqualTo(START);
    }

    @Test
    @DisplayName("F3: without any evaluator nobody is well")
    void noNodeIsHealthyWithoutEvaluators() {
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        one.report(A);
        one.lost();

        assertThat(mirror.snapshot().evaluatorConnectedSince()).isNull();
        assertThat(mirror.snapshot().verdict(A)).isEmpty();
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        assertThat(one.watched).as("asked again").containsExactly(A);
    }

    @Test
    @DisplayName("F1: the later attempt's watch ends the earlier one's, wherever that is")
    void aNodeIsWatchedInOnePlace() {
        assignments.openIfLostAndSetGateways(List.of());
        one.opens();
        other.opens();
        assignments.watch(FIRST, List.of(watch(A, 1)));
        assignments.watch(SECOND, List.of(watch(A, 2)));

        assertThat(one.watched).isEmpty();
        assertThat(other.watched).containsExactly(A);
        one.report(A);
        assertThat(mirror.snapshot().verdict(A)).isEmpty();
    }

    @Test
    void gateUsesAReachableEvaluator() {
        assignments.openIfLostAndSetGateways(List.of());
        other.opens();
        int before = other.lines;

        HealthEvaluatorLink link =
                assignments.openOrFallBack(assignments.nextEvaluator(Set.of()), new Evaluator());
        assertThat(other.lines).isEqualTo(before + 1);
        link.close();
    }

    private static Watch watch(NodeId node, long attempt) {
        Digest digest = Digest.of("any");
        return new Watch(node, attempt, "web", "run", digest, digest, Duration.ofSeconds(1), 3);
    }

    /** An evaluator whose links open, and end, when the test says so. */
    private static final class Evaluator implements HealthEvaluatorLink.Listener {
        private final TreeSet<NodeId> watched =
                new TreeSet<>((left, right) -> left.value().compareTo(right.value()));
        private List<String> gateways = List.of();
        private int lines;
        private @Nullable Line line;

        HealthEvaluatorLink open(HealthEvaluatorLink.Listener events) {
            lines++;
            watched.clear();
            Line opened = new Line(events);
            line = opened;
            return opened;
        }

        private Line line() {
            return Objects.requireNonNull(line);
        }

        void opens() {
            line().events.onOpened();
        }

        void report(NodeId node) {
            report(node, new HealthVerdict.Healthy(1));
        }

        void report(NodeId node, HealthVerdict verdict) {
            line().events.onVerdicts(Map.of(node, verdict));
        }

        Line lost() {
            Line removed = line();
            watched.clear();
            removed.events.onClosed();
            return removed;
        }

        @Override
        public void onOpened() {}

        @Override
        public void onVerdicts(Map<NodeId, HealthVerdict> verdicts) {}

        @Override
        public void onClosed() {}

        private final class Line implements HealthEvaluatorLink {
            private final HealthEvaluatorLink.Listener events;

            Line(HealthEvaluatorLink.Listener events) {
                this.events = events;
            }

            @Override
            public void setGateways(List<String> addresses) {
                gateways = addresses;
            }

            @Override
            public void watch(Collection<Watch> watches) {
                watches.forEach(watch -> watched.add(watch.node()));
            }

            @Override
            public void unwatch(Collection<NodeId> nodes) {
                watched.removeAll(nodes);
            }

            @Override
            public void close() {}
        }
    }
}
