package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What electors keep that several candidates share. */
abstract class SharedElectorContract extends ElectorContract {
    /** Where the candidates of one test find the same lease. */
    abstract Lease.Source leases();

    abstract Duration ttl();

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
        Campaigner first = campaign("first");
        awaitElected(first);
        Campaigner second = campaign("second");
        try (Rivals rivals = Rivals.watch(List.of(first, second))) {
            rivals.look(ttl().dividedBy(2));
            assertThat(second.isElected()).isFalse();
            long began = System.nanoTime();

            first.close();
            awaitElected(second);

            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("far sooner than the lease ends")
                    .isLessThan(ttl().dividedBy(2));
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
                    .isGreaterThan(ttl().dividedBy(2))
                    .isLessThan(ttl().plusSeconds(5));
            await().atMost(SOON)
                    .untilAsserted(
                            () ->
                                    assertThat(first.told())
                                            .containsExactly("elected: true", "lost"));
        }
    }

    @Test
    void whatIsTakenAwayIsNoticedWithinASecondAndCampaignedForAgain() {
        Campaigner alone = campaign("alone");
        awaitElected(alone);
        await().atMost(SOON).until(() -> alone.told().size() == 1);

        takeAway();

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(alone.told())
                                        .containsExactly("elected: true", "lost", "elected: true"));
    }
}
