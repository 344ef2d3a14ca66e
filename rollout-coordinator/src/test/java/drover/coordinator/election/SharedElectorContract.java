package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import drover.coordinator.Waits;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What electors keep that several candidates share. */
abstract class SharedElectorContract extends ElectorContract {
    private static final Duration NEVER = LongLease.NEVER;

    /** A failover takes at most the length of the lease and 5 s. */
    private static final Duration AFTER_LEASE = Duration.ofSeconds(5);

    /** A round of 1 s, and the time of a request and its response. */
    private static final Duration DETECTION = Duration.ofSeconds(2);

    private static final int RENEWALS = 4; // 100 minutes, with a lease of an hour

    /** Where the candidates of one test find the same lease, of this length. */
    abstract Lease.Factory leases(Duration length);

    private Lease.Factory leases() {
        return leases(ttl());
    }

    private RecordingCandidate campaignForLong(String name) {
        return campaign(name, new LeaseElector(leases(NEVER), NEVER));
    }

    abstract Duration ttl();

    /** A candidate that also needs a store. */
    private RecordingCandidate campaign(String name, DatabaseProbe store) {
        return campaign(name, new LeaseElector(leases(), ttl(), store));
    }

    private void letTimePass(Duration length, RecordingCandidate... candidates) {
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(List.of(candidates))) {
            rivals.check(length);
            assertThat(rivals.together()).as("elected at the same time").isZero();
        }
    }

    /** Whoever has the lease has it no longer. */
    abstract void revoke();

    @Override
    LeaderElector elector() {
        return new LeaseElector(leases(), ttl());
    }

    private void measured(String what, Duration took, Duration promised) {
        Waits.measured(getClass().getSimpleName() + ": " + what, took, promised);
    }

    @Test
    void ofSeveralCandidatesOneIsElected() {
        List<LongLease> leases =
                Stream.generate(() -> new LongLease(leases(NEVER), DatabaseProbe.alwaysReachable()))
                        .limit(3)
                        .toList();
        List<RecordingCandidate> three =
                List.of(
                        campaign("a", leases.get(0).elector()),
                        campaign("b", leases.get(1).elector()),
                        campaign("c", leases.get(2).elector()));
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(three)) {
            await().atMost(SOON)
                    .until(() -> three.stream().anyMatch(each -> !each.calls().isEmpty()));
            LongLease elected =
                    leases.stream()
                            .filter(it -> it.elector().isElected())
                            .findFirst()
                            .orElseThrow();

            for (int renewal = 0; renewal < RENEWALS; renewal++) {
                elected.renew();
            }

            assertThat(rivals.together()).as("elected at the same time").isZero();
            assertThat(three.stream().flatMap(each -> each.calls().stream()))
                    .as("one was elected and stayed so")
                    .containsExactly("elected: true");
        }
    }

    @Test
    @DisplayName("S4-9: renewals keep one of several candidates elected after its first lease")
    @Faults(
            rule = "S4-9 (a campaign wins without a lease, or with its own)",
            sample = "LeaseElectorTest.ofSeveralCandidatesOneIsElected")
    void renewalsKeepOneElectedAfterItsFirstLease() {
        List<RecordingCandidate> three = List.of(campaign("a"), campaign("b"), campaign("c"));
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(three)) {
            await().atMost(SOON)
                    .until(() -> three.stream().anyMatch(RecordingCandidate::isElected));

            rivals.check(ttl().plus(ttl().dividedBy(2)));

            assertThat(rivals.together()).as("elected at the same time").isZero();
            assertThat(three.stream().flatMap(each -> each.calls().stream()))
                    .as("one was elected and stayed so")
                    .containsExactly("elected: true");
        }
    }

    @Test
    void resignedLeaderIsFollowedAtOnce() {
        RecordingCandidate first = campaignForLong("first");
        awaitElected(first);
        RecordingCandidate second = campaignForLong("second");
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(List.of(first, second))) {
            rivals.check(ttl().dividedBy(2));
            assertThat(second.isElected()).isFalse();

            first.close();
            awaitElected(second);

            assertThat(rivals.together()).isZero();
        }
    }

    @Test
    @DisplayName("B5: cut off, it steps down before its lease is another's")
    void theDeadAreFollowedWhenTheirLeaseHasEndedAndNotBefore() {
        PartitionedLeases cut = new PartitionedLeases(leases());
        RecordingCandidate first = campaign("first", new LeaseElector(cut, ttl()));
        awaitElected(first);
        RecordingCandidate second = campaign("second");
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(List.of(first, second))) {
            long started = System.nanoTime();

            cut.cut();
            awaitElected(second);
            Duration took = Duration.ofNanos(System.nanoTime() - started);

            measured("a dead leader is followed", took, ttl().plus(AFTER_LEASE));
            assertThat(rivals.together()).isZero();
            assertThat(took)
                    .as("a third of it may have passed before the cut")
                    .isGreaterThan(ttl().dividedBy(2));
            await().atMost(SOON)
                    .untilAsserted(
                            () ->
                                    assertThat(first.calls())
                                            .containsExactly("elected: true", "lost"));
        }
    }

    @Test
    @DisplayName("D-125: whom the store does not answer resigns within a lease and two rounds")
    @Faults(
            rule = "D-125 (a leader without a database resigns after the length of a lease)",
            sample = "LeaseElectorTest.withoutAStoreForALeaseItResignsAndAnotherLeads")
    void candidateWithoutTheStoreYields() {
        InMemoryDatabaseProbe store = new InMemoryDatabaseProbe();
        RecordingCandidate cutOff = campaign("cut-off", store);
        awaitElected(cutOff);
        await().atMost(SOON).until(() -> cutOff.calls().size() == 1);
        RecordingCandidate other = campaign("other", new InMemoryDatabaseProbe());
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(List.of(cutOff, other))) {
            long started = System.nanoTime();

            store.setUnavailable(true);
            awaitElected(other);
            Duration took = Duration.ofNanos(System.nanoTime() - started);

            measured("a leader without a store is followed", took, ttl().plus(AFTER_LEASE));
            assertThat(rivals.together()).isZero();
            assertThat(took)
                    .as("a round may have passed since the store answered last")
                    .isGreaterThan(ttl().dividedBy(2));
        }
        store.setUnavailable(false);
        letTimePass(ttl(), cutOff, other);
        assertThat(cutOff.calls()).containsExactly("elected: true", "lost");
        assertThat(other.calls()).as("undisturbed").containsExactly("elected: true");
    }

    @Test
    @DisplayName("D-125: a store that is away for everybody is no reason to hand anything round")
    @Faults(
            rule = "D-125 (a leader without a database resigns after the length of a lease)",
            sample = "LeaseElectorTest.withoutAStoreForALeaseItResignsAndAnotherLeads")
    void withoutAStoreNoCandidateCampaigns() {
        InMemoryDatabaseProbe store = new InMemoryDatabaseProbe();
        List<RecordingCandidate> two = List.of(campaign("a", store), campaign("b", store));
        await().atMost(SOON).until(() -> two.stream().anyMatch(RecordingCandidate::isElected));

        store.setUnavailable(true);
        await().atMost(SOON).until(() -> two.stream().noneMatch(RecordingCandidate::isElected));
        letTimePass(ttl().multipliedBy(2), two.getFirst(), two.getLast());
        assertThat(two.stream().flatMap(each -> each.calls().stream()))
                .as("one was elected, and then nobody")
                .containsExactly("elected: true", "lost");

        store.setUnavailable(false);
        await().atMost(SOON).until(() -> two.stream().anyMatch(RecordingCandidate::isElected));
    }

    @Test
    @Faults(
            rule = "D-125 (a leader without a database resigns after the length of a lease)",
            sample = "LeaseElectorTest.withoutAStoreForALeaseItResignsAndAnotherLeads")
    void aStoreThatAnswersAgainWithinALeaseCostsNothing() {
        InMemoryDatabaseProbe store = new InMemoryDatabaseProbe();
        RecordingCandidate alone = campaign("alone", store);
        awaitElected(alone);

        store.setUnavailable(true);
        letTimePass(ttl().dividedBy(2), alone);
        store.setUnavailable(false);
        letTimePass(ttl().multipliedBy(2), alone);

        assertThat(alone.calls()).containsExactly("elected: true");
    }

    @Test
    @Faults(
            rule = "D-125 (a leader without a database resigns after the length of a lease)",
            sample = "LeaseElectorTest.withoutAStoreForALeaseItResignsAndAnotherLeads")
    void serviceWithoutAStoreDoesNotStart() {
        InMemoryDatabaseProbe store = new InMemoryDatabaseProbe();
        store.setUnavailable(true);
        RecordingCandidate partitioned = campaign("blind", store);

        letTimePass(ttl(), partitioned);
        assertThat(partitioned.calls()).isEmpty();
        store.setUnavailable(false);

        awaitElected(partitioned);
    }

    @Test
    void detectsADeletedLeaseBeforeItsRenewal() {
        RecordingCandidate alone = campaignForLong("alone");
        awaitElected(alone);
        await().atMost(SOON).until(() -> alone.calls().size() == 1);

        revoke();
        long started = System.nanoTime();
        await().atMost(SOON).until(() -> alone.calls().contains("lost"));
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        measured("a lost lease is noticed", took, DETECTION);
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(alone.calls())
                                        .containsExactly("elected: true", "lost", "elected: true"));
    }
}
