package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import drover.coordinator.FreezableProxy;
import drover.coordinator.Waits;
import drover.coordinator.store.sql.TestDatabase;
import drover.kit.database.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // tests share nothing, and wait
final class LeaseTableElectorIT extends SharedElectorContract {
    private static final Duration TTL = Duration.ofSeconds(6); // a third of it without an answer
    private final TestDatabase database = TestDatabase.open();

    @AfterEach
    void closeTheDatabase() {
        closeAll();
        database.close();
    }

    @Override
    Lease.Factory leases(Duration length) {
        return new PostgresLeases(database.dataSource()::getConnection, length);
    }

    @Override
    Duration ttl() {
        return TTL;
    }

    @Override
    void revoke() {
        database.run("DELETE FROM leader_lease");
    }

    private boolean campaigns(String name) {
        try (ConnectionPool own = database.through(database.port(), 1)) {
            Lease lease = new PostgresLeases(own::getConnection, TTL).openFor(name);
            return lease.acquireOrRenew(); // and goes without a farewell
        }
    }

    private void shift(String interval) {
        database.run(
                "UPDATE leader_lease SET acquired_at = acquired_at + ?::interval, renewed_at ="
                        + " renewed_at + ?::interval, expires_at = expires_at + ?::interval",
                interval,
                interval,
                interval);
    }

    @Test
    @DisplayName("Seed 004: won without a lease, with one's own, or with one that has ended")
    void oneCandidateWinsTheCampaign() {
        assertThat(campaigns("a")).as("nobody has it").isTrue();
        Object since = database.row("SELECT acquired_at FROM leader_lease").get("acquired_at");
        assertThat(campaigns("b")).as("a has it").isFalse();
        assertThat(campaigns("a")).as("its own").isTrue();
        assertThat(database.row("SELECT acquired_at FROM leader_lease"))
                .as("renewing is not acquiring")
                .containsEntry("acquired_at", since);

        shift("-6 seconds"); // its time is over
        assertThat(campaigns("b")).isTrue();

        assertThat(database.texts("SELECT holder FROM leader_lease")).containsExactly("b");
        assertThat(database.row("SELECT acquired_at FROM leader_lease").get("acquired_at"))
                .isNotEqualTo(since);
    }

    @Test
    @DisplayName("Whoever waits does so until the other's lease ends, not until the next look")
    void theEndOfALeaseIsWaitedFor() {
        assertThat(campaigns("dead")).isTrue();
        try (ConnectionPool own = database.through(database.port(), 1);
                Lease next = new PostgresLeases(own::getConnection, TTL).openFor("next")) {
            assertThat(next.acquireOrRenew()).isFalse();

            assertThat(CompletableFuture.runAsync(() -> awaitForAnHour(next))).succeedsWithin(SOON);

            assertThat(next.acquireOrRenew()).as("the first time that it is asked for").isTrue();
        }
    }

    private static void awaitForAnHour(Lease lease) {
        try {
            lease.awaitAvailable(Duration.ofHours(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @DisplayName("The database's clock goes forward: two at once for a round at most, then one")
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseTableElectorIT.withoutTheDatabaseTheLeaseIsLost")
    void theClockOfTheDatabaseGoesForward() {
        RecordingCandidate first = campaign("first");
        awaitElected(first);
        RecordingCandidate second = campaign("second");

        shift("-1 hour"); // as if it were an hour later

        await().atMost(SOON).until(() -> first.isElected() != second.isElected());
        await().during(TTL).atMost(SOON).until(() -> first.isElected() != second.isElected());
    }

    @Test
    @DisplayName("The database's clock goes back: a dead leader's lease does not last for longer")
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseTableElectorIT.withoutTheDatabaseTheLeaseIsLost")
    void theClockOfTheDatabaseGoesBack() {
        assertThat(campaigns("dead")).isTrue();
        shift("1 hour"); // as if it were an hour earlier

        assertThat(campaigns("next")).isTrue();
        shift("2 seconds"); // less than a lease: it may as well be two writers' race
        assertThat(campaigns("dead")).isFalse();
    }

    @Test
    @DisplayName("B5, fail closed: with the database away nobody is elected within the lease")
    void withoutTheDatabaseTheLeaseIsLost() {
        try (FreezableProxy wire = new FreezableProxy(database.port());
                ConnectionPool own = database.through(wire.port(), 2)) {
            RecordingCandidate alone =
                    campaign(
                            "alone",
                            new LeaseElector(new PostgresLeases(own::openUnpooled, TTL), TTL));
            awaitElected(alone);
            long started = System.nanoTime();

            wire.freeze();
            await().atMost(SOON).until(() -> !alone.isElected());
            Waits.measured(
                    "LeaseTableElectorIT: the database is away: lost",
                    Duration.ofNanos(System.nanoTime() - started),
                    TTL);

            await().atMost(SOON).until(() -> alone.calls().contains("lost"));
            wire.thaw();
            awaitElected(alone);
            alone.close();
        }
    }

    @Test
    @DisplayName("It asks over a connection of its own, though every one of the pool is lent")
    @Faults(
            rule = "D-125 (a pool without a free connection is not a lost database)",
            sample = "PostgresReachabilityProbeIT.aPoolThatIsLentIsNoSign")
    void probesWithADedicatedConnection() throws SQLException {
        try (ConnectionPool own = database.through(database.port(), 1);
                Connection lent = own.getConnection()) {
            Lease lease = new PostgresLeases(own::openUnpooled, TTL).openFor("a");
            assertThat(lease.acquireOrRenew()).isTrue();
            assertThat(lease.checkHeld()).isTrue();

            lease.close();

            assertThat(lent.isValid(5)).isTrue();
            await().atMost(SOON).until(() -> listening() == 0); // sessions end when they can
        }
        assertThat(database.count("SELECT count(*) FROM leader_lease")).isZero();
    }

    private long listening() {
        return database.count(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN drover_lease%' OR query LIKE '%leader_lease WHERE holder%')");
    }
}
