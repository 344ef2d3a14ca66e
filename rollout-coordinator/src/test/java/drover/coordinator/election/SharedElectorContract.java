package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What electors keep that several candidates share. */
abstract class SharedElectorContract extends ElectorContract {
    /** A lease that ends in no test: a change has another cause. */
    private static final Duration NEVER = Duration.ofHours(1);

    /** Where the candidates of one test find the same lease, of this length. */
    abstract Lease.Source leases(Duration length);

    private Lease.Source leases() {
        return leases(ttl());
    }

    private Campaigner campaignForLong(String name) {
        return campaign(name, new LeaseElector(leases(NEVER), NEVER));
    }

    abstract Duration ttl();

    /** A candidate that also needs a store. */
    private Campaigner campaign(String name, StoreReach store) {
        return campaign(name, new LeaseElector(leases(), ttl(), store));
    }

    private void letTimePass(Duration length, Campaigner... candidates) {
        try (Rivals rivals = Rivals.watch(List.of(candidates))) {
            rivals.look(length);
            assertThat(rivals.together()).as("elected at the same time").isZero();
        }
    }

    /** Whoever has the lease has it no longer. */
    abstract void takeAway();

    @Override
    LeaderElector elector() {
        return new LeaseElector(leases(), ttl());
    }

    @Test
    void ofSeveralCandidatesOneIsElected() {
        List<Campaigner> three = List.of(campaign("a"), campaign("b"), campaign("c"));
        try (Rivals rivals = Rivals.watch(three)) {
            await().atMost(SOON).until(() -> three.stream().anyMatch(Campaigner::isElected));

            rivals.look(ttl().plus(ttl().dividedBy(2)));

            assertThat(rivals.together()).as("elected at the same time").isZero();
            assertThat(three.stream().flatMap(each -> each.told().stream()))
                    .as("one was elected and stayed so")
                    .containsExactly("elected: true");
        }
    }

    @Test
    void whoeverResignsIsFollowedAtOnce() {
        Campaigner first = campaignForLong("first");
        awaitElected(first);
        Campaigner second = campaignForLong("second");
        try (Rivals rivals = Rivals.watch(List.of(first, second))) {
            rivals.look(ttl().dividedBy(2));
            assertThat(second.isElected()).isFalse();

            first.close();
            awaitElected(second);

            assertThat(rivals.together()).isZero();
        }
    }

    @Test
    @DisplayName("B5: cut off, it steps down before its lease is another's")
    void theDeadAreFollowedWhenTheirLeaseHasEndedAndNotBefore() {
        CutLeases cut = new CutLeases(leases());
        Campaigner first = campaign("first", new LeaseElector(cut, ttl()));
        awaitElected(first);
        Campaigner second = campaign("second");
        try (Rivals rivals = Rivals.watch(List.of(first, second))) {
            long began = System.nanoTime();

            cut.cut();
            awaitElected(second);
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            assertThat(rivals.together()).isZero();
            assertThat(took)
                    .as("a third of it may have passed before the cut")
                    .isGreaterThan(ttl().dividedBy(2));
            await().atMost(SOON)
                    .untilAsserted(
                            () ->
                                    assertThat(first.told())
                                            .containsExactly("elected: true", "lost"));
        }
    }

    @Test
    @DisplayName("D-125: whom the store does not answer resigns within a lease and two rounds")
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseElectorTest.withoutAnAnswerItIsLostAndElectedAnewAfterwards")
    void whoeverReachesNoStoreLetsOneLeadThatDoes() {
        InMemoryStoreReach store = new InMemoryStoreReach();
        Campaigner cutOff = campaign("cut-off", store);
        awaitElected(cutOff);
        await().atMost(SOON).until(() -> cutOff.told().size() == 1);
        Campaigner other = campaign("other", new InMemoryStoreReach());
        try (Rivals rivals = Rivals.watch(List.of(cutOff, other))) {
            long began = System.nanoTime();

            store.away(true);
            awaitElected(other);
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            assertThat(rivals.together()).isZero();
            assertThat(took)
                    .as("a round may have passed since the store answered last")
                    .isGreaterThan(ttl().dividedBy(2));
        }
        store.away(false);
        letTimePass(ttl(), cutOff, other);
        assertThat(cutOff.told()).containsExactly("elected: true", "lost");
        assertThat(other.told()).as("undisturbed").containsExactly("elected: true");
    }

    @Test
    @DisplayName("D-125: a store that is away for everybody is no reason to hand anything round")
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseElectorTest.withoutAnAnswerItIsLostAndElectedAnewAfterwards")
    void withTheStoreAwayForEverybodyNobodyCampaigns() {
        InMemoryStoreReach store = new InMemoryStoreReach();
        List<Campaigner> two = List.of(campaign("a", store), campaign("b", store));
        await().atMost(SOON).until(() -> two.stream().anyMatch(Campaigner::isElected));

        store.away(true);
        await().atMost(SOON).until(() -> two.stream().noneMatch(Campaigner::isElected));
        letTimePass(ttl().multipliedBy(2), two.getFirst(), two.getLast());
        assertThat(two.stream().flatMap(each -> each.told().stream()))
                .as("one was elected, and then nobody")
                .containsExactly("elected: true", "lost");

        store.away(false);
        await().atMost(SOON).until(() -> two.stream().anyMatch(Campaigner::isElected));
    }

    @Test
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseElectorTest.withoutAnAnswerItIsLostAndElectedAnewAfterwards")
    void aStoreThatAnswersAgainWithinALeaseCostsNothing() {
        InMemoryStoreReach store = new InMemoryStoreReach();
        Campaigner alone = campaign("alone", store);
        awaitElected(alone);

        store.away(true);
        letTimePass(ttl().dividedBy(2), alone);
        store.away(false);
        letTimePass(ttl().multipliedBy(2), alone);

        assertThat(alone.told()).containsExactly("elected: true");
    }

    @Test
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseElectorTest.withoutAnAnswerItIsLostAndElectedAnewAfterwards")
    void whoeverReachesNoStoreDoesNotBegin() {
        InMemoryStoreReach store = new InMemoryStoreReach();
        store.away(true);
        Campaigner blind = campaign("blind", store);

        letTimePass(ttl(), blind);
        assertThat(blind.told()).isEmpty();
        store.away(false);

        awaitElected(blind);
    }

    @Test
    void whatIsTakenAwayIsNoticedBeforeTheLeaseIsRenewedAndCampaignedForAgain() {
        Campaigner alone = campaignForLong("alone");
        awaitElected(alone);
        await().atMost(SOON).until(() -> alone.told().size() == 1);

        takeAway();
        await().atMost(SOON).until(() -> alone.told().contains("lost"));
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(alone.told())
                                        .containsExactly("elected: true", "lost", "elected: true"));
    }
}
