package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // tests share nothing, and wait
final class LeaseElectorTest extends SharedElectorContract {
    private static final Duration TTL = Duration.ofSeconds(5); // a third of it without an answer
    private final InMemoryLeases leases = new InMemoryLeases(TTL);
    private final InMemoryLeases others = new InMemoryLeases(LongLease.NEVER);

    @Override
    Lease.Factory leases(Duration length) {
        return length.equals(TTL) ? leases : others;
    }

    @Override
    Duration ttl() {
        return TTL;
    }

    @Override
    void revoke() {
        leases.revoke();
        others.revoke();
    }

    @Test
    @DisplayName("F3, B5: without an answer it is lost, and it is elected anew afterwards")
    void withoutAnAnswerItIsLostAndElectedAgainAfterwards() {
        RecordingCandidate alone = campaign("alone");
        awaitElected(alone);

        leases.setUnavailable(true);
        await().atMost(SOON).until(() -> alone.calls().contains("lost"));
        assertThat(alone.isElected()).isFalse();
        leases.setUnavailable(false);

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(alone.calls())
                                        .containsExactly("elected: true", "lost", "elected: true"));
    }

    @Test
    void anAnswerThatCameInTimeLosesNothing() {
        LongLease lease = new LongLease(others, DatabaseProbe.alwaysReachable());
        RecordingCandidate alone = campaign("alone", lease.elector());
        await().atMost(SOON).until(() -> alone.calls().size() == 1);

        others.setUnavailable(true);
        lease.advance(); // the renewal is due
        lease.awaitFailure();
        lease.renewAfter(() -> others.setUnavailable(false));
        lease.renew();
        lease.renew();

        assertThat(alone.calls()).containsExactly("elected: true");
    }

    @Test
    @DisplayName("D-125: without the database for a lease the leader resigns and another one leads")
    void withoutAStoreForALeaseItResignsAndAnotherLeads() {
        CountedReach store = new CountedReach();
        LongLease lease = new LongLease(others, store);
        RecordingCandidate cutOff = campaign("cut-off", lease.elector());
        await().atMost(SOON).until(() -> cutOff.calls().size() == 1);
        RecordingCandidate other =
                campaign(
                        "other",
                        new LeaseElector(others, LongLease.NEVER, new InMemoryDatabaseProbe()));
        try (SplitBrainDetector rivals = SplitBrainDetector.watch(List.of(cutOff, other))) {
            store.setUnavailable(true);
            lease.renew();
            lease.renew();
            assertThat(cutOff.calls()).as("50 minutes of 60").containsExactly("elected: true");

            lease.advance();
            await().atMost(SOON).until(() -> !other.calls().isEmpty());
            await().atMost(SOON).until(() -> cutOff.calls().contains("lost"));
            store.setUnavailable(false);
            rivals.check(Duration.ofSeconds(2)); // two rounds

            assertThat(rivals.together()).as("elected at the same time").isZero();
        }
        assertThat(cutOff.calls()).containsExactly("elected: true", "lost");
        assertThat(other.calls()).as("undisturbed").containsExactly("elected: true");
    }

    /** A store whose changes wait until a request was made after them. */
    private static final class CountedReach implements DatabaseProbe {
        private final AtomicInteger requests = new AtomicInteger();
        private volatile boolean unavailable;

        void setUnavailable(boolean now) {
            unavailable = now;
            int second = requests.get() + 2; // the first may have been under way
            await().atMost(SOON).until(() -> requests.get() >= second);
        }

        @Override
        public boolean checkReachable() {
            boolean answer = !unavailable;
            requests.incrementAndGet();
            return answer;
        }

        @Override
        public void close() {}
    }

    @Test
    @DisplayName("B5: whoever was stopped for longer than its lease is not elected when it wakes")
    void candidateThatWakesAfterItsLeaseIsNotElected() {
        AtomicLong slept = new AtomicLong();
        LeaseElector elector =
                new LeaseElector(
                        new PartitionedLeases(leases),
                        TTL,
                        DatabaseProbe.alwaysReachable(),
                        () -> System.nanoTime() + slept.get());
        RecordingCandidate sleeper = campaign("sleeper", elector);
        awaitElected(sleeper);

        leases.setUnavailable(true);
        slept.set(TTL.toNanos());

        assertThat(sleeper.isElected()).as("before anybody could say so").isFalse();
    }

    @Test
    @DisplayName("B5: whoever is stuck in a question for more loses its lease by the clock alone")
    void stuckLeaderLosesItsLease() {
        AtomicInteger stuck = new AtomicInteger();
        AtomicBoolean unresponsive = new AtomicBoolean();
        LeaseElector elector =
                new LeaseElector(
                        name -> new Mutable(leases.openFor(name), unresponsive, stuck), TTL);
        RecordingCandidate alone = campaign("alone", elector);
        awaitElected(alone);

        unresponsive.set(true);
        await().atMost(SOON).until(() -> alone.calls().contains("lost"));

        assertThat(alone.isElected()).isFalse();
        assertThat(stuck).as("its first question is still waited for").hasValue(1);
    }

    @Test
    @DisplayName("whoever leads resigns over the connection that it has, which an interrupt closes")
    void leaderIsNotInterruptedToResign() throws Exception {
        CountDownLatch requested = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        LeaseElector elector =
                new LeaseElector(
                        name -> new Slow(leases.openFor(name), requested, interrupted), TTL);
        awaitElected(campaign("alone", elector));
        requested.await();

        elector.close();

        assertThat(interrupted).isFalse();
        assertThat(leases.openFor("another").acquireOrRenew()).as("it was given up").isTrue();
    }

    /** A lease that is looked at for a moment. */
    private record Slow(Lease lease, CountDownLatch requested, AtomicBoolean interrupted)
            implements ForwardingLease {
        private static final long MOMENT_MILLIS = 100;

        @Override
        public boolean checkHeld() {
            requested.countDown();
            try {
                var _ = new CountDownLatch(1).await(MOMENT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted.set(true);
                Thread.currentThread().interrupt();
            }
            return lease.checkHeld();
        }
    }

    /** A lease whose questions are never answered from some moment on. */
    private record Mutable(Lease lease, AtomicBoolean unresponsive, AtomicInteger stuck)
            implements ForwardingLease {
        @Override
        public boolean acquireOrRenew() {
            hang();
            return lease.acquireOrRenew();
        }

        @Override
        public boolean checkHeld() {
            hang();
            return lease.checkHeld();
        }

        private void hang() {
            if (!unresponsive.get()) {
                return;
            }
            stuck.incrementAndGet();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LeaseUnavailable("asking", e);
            }
        }
    }
}
