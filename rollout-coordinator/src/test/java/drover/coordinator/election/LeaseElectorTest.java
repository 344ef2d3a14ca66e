package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class LeaseElectorTest extends SharedElectorContract {
    private static final Duration TTL = Duration.ofSeconds(2); // a busy machine
    private final InMemoryLeases leases = new InMemoryLeases(TTL);

    @Override
    Lease.Source leases() {
        return leases;
    }

    @Override
    Duration ttl() {
        return TTL;
    }

    @Override
    void takeAway() {
        leases.takeAway();
    }

    @Test
    @DisplayName("F3, B5: without an answer it is lost, and it is elected anew afterwards")
    void withoutAnAnswerItIsLostAndElectedAnewAfterwards() {
        Campaigner alone = campaign("alone");
        awaitElected(alone);

        leases.away(true);
        await().atMost(SOON).until(() -> alone.told().contains("lost"));
        assertThat(alone.isElected()).isFalse();
        leases.away(false);

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(alone.told())
                                        .containsExactly("elected: true", "lost", "elected: true"));
    }

    @Test
    void anAnswerThatCameInTimeLosesNothing() {
        Campaigner alone = campaign("alone");
        awaitElected(alone);

        leases.away(true);
        leases.away(false);
        try (Rivals rivals = Rivals.watch(java.util.List.of(alone))) {
            rivals.look(TTL.multipliedBy(2));
        }

        assertThat(alone.told()).containsExactly("elected: true");
    }

    @Test
    @DisplayName("B5: whoever was stopped for longer than its lease is not elected when it wakes")
    void whoeverWakesAfterItsLeaseIsNotElected() {
        AtomicLong slept = new AtomicLong();
        LeaseElector elector =
                new LeaseElector(
                        new CutLeases(leases),
                        TTL,
                        StoreReach.isTheLease(),
                        () -> System.nanoTime() + slept.get());
        Campaigner sleeper = campaign("sleeper", elector);
        awaitElected(sleeper);

        leases.away(true);
        slept.set(TTL.toNanos());

        assertThat(sleeper.isElected()).as("before anybody could say so").isFalse();
    }
}
