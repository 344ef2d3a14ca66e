package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.gateway.Waits;
import drover.kit.database.ConnectionPool;
import drover.kit.database.SchemaMigration;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A schema that is brought up to date while others use what has to be changed. */
class SchemaMigrationIT {
    private static final String HISTORY = "schema_history";
    private static final int POOL = 8; // as a gateway has it
    private static final Duration STATEMENT = Duration.ofSeconds(5); // of a leader, at most

    private final TestPostgres database = TestPostgres.withoutSchema();
    private final ConnectionPool pool = ConnectionPool.ofDataSource(database.dataSource(), POOL);
    private final ConnectionPool another = ConnectionPool.ofDataSource(database.dataSource(), POOL);

    private final ExecutorService programs = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeEach
    void makeATable() {
        database.run("CREATE TABLE public.used (id text)");
    }

    @AfterEach
    void closeThePools() {
        pool.close();
        another.close();
        programs.close();
    }

    @Test
    @DisplayName("D-178: who waits for a table that others read keeps nobody else from it")
    void waitingForATableBlocksNoOther() throws SQLException {
        CompletableFuture<Void> first;
        CompletableFuture<Void> second;
        try (Connection dump = database.dataSource().getConnection();
                Statement reading = dump.createStatement()) {
            dump.setAutoCommit(false);
            reading.execute("SELECT * FROM public.used");
            first = CompletableFuture.runAsync(() -> bringUpToDate(pool), programs);
            await().atMost(Waits.LIMIT).until(this::aStepWaits);
            second = CompletableFuture.runAsync(() -> bringUpToDate(another), programs);

            long started = System.nanoTime();
            CompletableFuture<Void> leader =
                    CompletableFuture.runAsync(
                            () -> database.run("SELECT * FROM public.used"), programs);
            assertThat(leader).succeedsWithin(Waits.LIMIT);
            Duration took = Duration.ofNanos(System.nanoTime() - started);

            assertThat(first).as("with the dump under way").isNotDone();
            Waits.measured("SchemaIT: a statement of a leader", took, STATEMENT);
            await().atMost(Waits.LIMIT).until(this::aStepWaits);
        }

        assertThat(first).succeedsWithin(Waits.LIMIT);
        assertThat(second).as("which began meanwhile").succeedsWithin(Waits.LIMIT);
        assertThat(database.text("SELECT count(more) FROM public.used")).isEqualTo("0");
        try (Connection next = pool.getConnection();
                Statement statement = next.createStatement();
                var row = statement.executeQuery("SHOW lock_timeout")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).as("whoever has the connection next").isEqualTo("0");
        }
    }

    @Test
    @DisplayName("D-178: who cannot change a table says what to do, and leaves nothing half done")
    void expiredWaitReportsTheRemedy() throws SQLException {
        try (Connection dump = database.dataSource().getConnection();
                Statement reading = dump.createStatement()) {
            dump.setAutoCommit(false);
            reading.execute("SELECT * FROM public.used");

            assertThatThrownBy(
                            () ->
                                    SchemaMigration.migrateToLatest(
                                            pool, "held", HISTORY, Duration.ofSeconds(1)))
                    .isInstanceOf(SchemaMigration.TablesInUse.class)
                    .hasMessage(
                            "Tables of the schema held that have to be changed for this version"
                                    + " were in use for 1 s: wait for whatever reads them for long,"
                                    + " such as a dump, or end it, and start again.");
        }

        bringUpToDate(pool);
        assertThat(database.text("SELECT count(more) FROM public.used")).isEqualTo("0");
    }

    private static void bringUpToDate(ConnectionPool pool) {
        SchemaMigration.migrateToLatest(pool, "held", HISTORY);
    }

    private boolean aStepWaits() {
        return !database.text(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted"
                                + " AND mode = 'AccessExclusiveLock'")
                .equals("0");
    }
}
