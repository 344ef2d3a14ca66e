package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Waits;
import drover.gateway.identity.BlockReason;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.kit.database.ConnectionPool;
import drover.model.Digest;
import drover.model.NodeId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway.Init") // open() sets them before every test
class PostgresEnrollmentStoreIT extends RevocationContract {
    private static final String BOUNDS =
            "current_setting('idle_in_transaction_session_timeout') || ' ' ||"
                    + " current_setting('tcp_user_timeout')";

    private TestPostgres database;
    private ConnectionPool pool;

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Override
    void open() {
        database = TestPostgres.open();
        pool = ConnectionPool.ofDataSource(database.dataSource(), 8); // as the gateway's own
        nodes = PostgresNodeStore.migrateAndOpen(pool);
        store = new PostgresEnrollmentStore(pool);
        certificates = new PostgresCertificateStore(pool);
    }

    @Override
    void twoMinutesPass() {
        database.run("UPDATE gateway.node SET shown_since = shown_since - interval '2 minutes'");
    }

    @Test
    @DisplayName("SECURITY 4: a copy that is judged while its machine is enrolled locks nobody")
    void copyDuringAnEnrollmentLocksNoNode() throws Exception {
        IssuedCertificate first = enrolled();
        IssuedCertificate second = renewed(first.serial(), "k2");
        var _ = show(second.serial());
        twoMinutesPass();
        try (Connection enrolling = pool.getConnection();
                Statement statement = enrolling.createStatement()) {
            enrolling.setAutoCommit(false);
            statement.execute("UPDATE gateway.node SET generation = generation + 1");
            statement.execute("UPDATE gateway.certificate SET revoked_at = now()");
            CompletableFuture<Optional<NodeCertificateStore.PresentedIdentity>> copy =
                    CompletableFuture.supplyAsync(
                            () -> certificates.recordPresentedAndLockCopied(first.serial()));
            await().atMost(Waits.LIMIT).until(this::isWaitingForLock);
            enrolling.commit();

            assertThat(
                            copy.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                                    .orElseThrow()
                                    .certificate()
                                    .revoked())
                    .isTrue();
        }
        assertThat(certificates.listLockedNodes()).isEmpty();
    }

    @Test
    @DisplayName("H3: whoever waits while a certificate is being ended does not get the next one")
    void aCertificateThatIsBeingEndedIsNotRenewed() throws Exception {
        IssuedCertificate first = enrolled();
        try (Connection ending = pool.getConnection();
                Statement statement = ending.createStatement()) {
            ending.setAutoCommit(false);
            statement.execute("SELECT 1 FROM gateway.node WHERE id = 'n1' FOR UPDATE");
            statement.execute("UPDATE gateway.certificate SET revoked_at = now()");
            CompletableFuture<Optional<IssuedCertificate>> renewal =
                    CompletableFuture.supplyAsync(() -> validate(first));
            await().atMost(Waits.LIMIT).until(this::isWaitingForLock);
            ending.commit();

            assertThat(renewal.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    @DisplayName("H3 what was retired or revoked by the version before is over too")
    void anUpgradeEndsWhatTheVersionBeforeLeftOpen() {
        IssuedCertificate given = enrolled();
        NodeIdentity other =
                new NodeIdentity(
                        new NodeId("n2"),
                        known().getFirst().chain(),
                        known().getFirst().type(),
                        known().getFirst().labels());
        var _ = nodes.register(other, Digest.of("stolen"));
        database.run("UPDATE gateway.node SET retired_at = now() WHERE id = 'n1'");
        database.run(
                "UPDATE gateway.node SET barred_at = now(), barred_why = 'REVOKED' WHERE id = 'n2'");
        database.run("DROP TABLE gateway.ended_token");
        database.run("DELETE FROM gateway.schema_history WHERE version = '7'");

        nodes = PostgresNodeStore.migrateAndOpen(pool);

        assertThat(certificates.findRevokedCredentials(List.of()))
                .containsExactly(new StreamCredential.Certificate(given.serial()));
        database.run(
                "UPDATE gateway.node SET token_sha256 = NULL, barred_at = NULL WHERE id = 'n2'");
        assertThat(nodes.register(other, Digest.of("stolen")))
                .isEqualTo(new NodeStore.NodeRegistrationResult.NodeTokenRevoked());
    }

    @Test
    @DisplayName("C15: a node that a later version barred stays barred, and hides no other node")
    void whatALaterVersionBlockedStaysBlocked() {
        IssuedCertificate given = enrolled();
        database.run("ALTER TABLE gateway.node DROP CONSTRAINT node_barred_why_check");
        database.run(
                "UPDATE gateway.node SET barred_at = now(), barred_why = 'MELTED' WHERE id = 'n1'");

        assertThat(nodes.list(NodeStore.Query.firstPage()))
                .extracting(node -> node.blockReason().orElseThrow())
                .containsExactly(BlockReason.UNKNOWN);
        assertThat(show(given.serial()).blockReason()).contains(BlockReason.UNKNOWN);
    }

    @Test
    @DisplayName("H3: who revokes a node while its machine is enrolled comes after, without a lock")
    void whoRevokesWhileAMachineIsEnrolledWaitsForIt() throws Exception {
        var _ = enrolled();
        grant("t2", "n1", 1);
        try (Connection enrolling = pool.getConnection();
                Statement statement = enrolling.createStatement()) {
            enrolling.setAutoCommit(false);
            statement.execute("UPDATE gateway.join_token SET uses = uses + 1 WHERE id = 't2'");
            CompletableFuture<Optional<NodeRevocationCounts>> revoked =
                    CompletableFuture.supplyAsync(
                            () -> certificates.revokeNode(new NodeId("n1"), "key:boss"));
            await().atMost(Waits.LIMIT).until(this::isWaitingForLock);
            statement.execute("SET LOCAL lock_timeout = '200ms'"); // long before a deadlock is seen
            statement.execute("UPDATE gateway.node SET generation = generation + 1");
            enrolling.commit();

            assertThat(revoked.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("the join token is used up by then")
                    .contains(new NodeRevocationCounts(1, 0));
        }
    }

    @Test
    @DisplayName(
            "H3: a copy that is judged while its machine is enrolled waits for it, without a lock")
    void copyIsCheckedAfterTheHolderOfTheJoinToken() throws Exception {
        IssuedCertificate first = enrolled();
        IssuedCertificate second = renewed(first.serial(), "k2");
        var _ = show(second.serial());
        twoMinutesPass();
        grant("t2", "n1", 1);
        try (Connection enrolling = pool.getConnection();
                Statement statement = enrolling.createStatement()) {
            enrolling.setAutoCommit(false);
            statement.execute("UPDATE gateway.join_token SET uses = uses + 1 WHERE id = 't2'");
            CompletableFuture<Optional<NodeCertificateStore.PresentedIdentity>> copy =
                    CompletableFuture.supplyAsync(
                            () -> certificates.recordPresentedAndLockCopied(first.serial()));
            await().atMost(Waits.LIMIT).until(this::isWaitingForLock);
            statement.execute("SET LOCAL lock_timeout = '200ms'"); // long before a deadlock is seen
            statement.execute("UPDATE gateway.node SET generation = generation + 1");
            enrolling.rollback();

            assertThat(copy.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isPresent();
        }
        assertThat(certificates.listLockedNodes()).containsExactly(new NodeId("n1"));
        assertSpent(enroll("t2", "k9"), "revoked");
    }

    @Test
    @DisplayName("A7: a gateway that freezes in a renewal keeps its node from no other gateway")
    void aGatewayThatFreezesInARenewalKeepsItsNodeFromNoOther() throws Exception {
        IssuedCertificate first = enrolled();
        CountDownLatch frozen = new CountDownLatch(1);
        CountDownLatch thawed = new CountDownLatch(1);
        EnrollmentStore.CertificateIssuer freezing =
                (node, generation) -> {
                    frozen.countDown();
                    awaited(thawed);
                    return certificate(node, generation, "k2");
                };
        try (ExecutorService gateways = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> halfWay =
                    gateways.submit(
                            () -> certificates.renew(first.serial(), Digest.of("k2"), freezing));
            awaited(frozen);
            Future<IssuedCertificate> elsewhere =
                    gateways.submit(() -> renewed(first.serial(), "k3"));
            try {
                assertThat(elsewhere.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS).generation())
                        .isEqualTo(2);
            } finally {
                thawed.countDown();
            }
            assertThat(halfWay)
                    .as("its certificate is good, and its session is over")
                    .failsWithin(Waits.LIMIT)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(StoreUnavailable.class);
        }
        assertThat(certificates.recordPresentedAndLockCopied("k2-2"))
                .as("nobody remembers it")
                .isEmpty();
        assertThat(show("k3-2").generation()).isEqualTo(2);
    }

    @Test
    @DisplayName("D-158: every transaction asks the server for both bounds, and leaves none behind")
    void everyTransactionIsBounded() throws SQLException {
        GatewayTransactionRunner gateway = new GatewayTransactionRunner(pool);

        assertThat(gateway.inTransaction("look", PostgresEnrollmentStoreIT::bounds))
                .isEqualTo("10s 10000");

        try (Connection next = pool.getConnection();
                Statement statement = next.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + BOUNDS)) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).as("the pool may be shared").isEqualTo("0 0");
        }
    }

    private static String bounds(Handle handle) {
        return handle.createQuery("SELECT " + BOUNDS).mapTo(String.class).one();
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean isWaitingForLock() {
        return !database.text("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0");
    }
}
