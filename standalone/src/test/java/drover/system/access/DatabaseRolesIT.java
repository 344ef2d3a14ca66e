package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.RolloutCoordinatorMain;
import drover.coordinator.store.sql.Database;
import drover.gateway.Faults;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.LaunchedServices;
import drover.system.fixture.RestartablePostgres;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL in which each service has the role that {@code deploy/postgres} gives it. */
class DatabaseRolesIT {
    private static final Path ROLES = Path.of("..", "deploy", "postgres", "roles.sql");
    private static final Duration SOON = Waits.LIMIT;
    private static final String COORDINATOR = "drover_coordinator";
    private static final String GATEWAY = "drover_gateway";

    @TempDir Path directory;
    @AutoClose private LaunchedServices services;
    private RestartablePostgres postgres;

    @BeforeEach
    void startPostgres() {
        services = new LaunchedServices(directory);
        postgres = RestartablePostgres.start(directory.resolve("data"), services.port(), Map.of());
        services.closeLast(postgres::close);
    }

    @Test
    @DisplayName("D-185: each service makes and keeps its schema with a role that is its own")
    @Faults(
            rule = "D-185 (each service works with a database role of its own)",
            sample = "DatabaseRolesIT.whatAnotherUserMadeIsTheRolesAfterwards")
    void servicesWorkWithTheirOwnRoles() throws Exception {
        run("postgres", Files.readString(ROLES));

        services.ready(
                NodeGatewayMain.class,
                Map.of("DROVER_GATEWAY_POSTGRES", as(GATEWAY)),
                "id: gateway-1\nagent-listen: 127.0.0.1:0\ninternal-listen: 127.0.0.1:0\n");
        assertCoordinatorLeads();

        for (String done :
                new String[] {
                    "SELECT FROM coordinator.history",
                    "UPDATE coordinator.leader_epoch SET epoch = epoch",
                    "INSERT INTO coordinator.api_key DEFAULT VALUES",
                    "DROP TRIGGER history_append_only ON coordinator.history"
                }) {
            assertRefused(GATEWAY, done);
        }
        for (String done :
                new String[] {
                    "UPDATE gateway.node SET barred_at = NULL",
                    "DELETE FROM gateway.certificate",
                    "INSERT INTO gateway.join_token DEFAULT VALUES",
                    "DROP TABLE gateway.gateway"
                }) {
            assertRefused(COORDINATOR, done);
        }
    }

    /** It sees in the gateways' schema whom to attach to, and no question of its is refused. */
    private void assertCoordinatorLeads() throws IOException {
        DroverProcess coordinator =
                services.ready(
                        RolloutCoordinatorMain.class,
                        Map.of("DROVER_COORDINATOR_POSTGRES", as(COORDINATOR)),
                        """
                        id: coordinator-1
                        listen: 127.0.0.1:0
                        http: 127.0.0.1:%d
                        manifest: 127.0.0.1:%d
                        health: 127.0.0.1:%d
                        insecure: true
                        """
                                .formatted(services.port(), services.port(), services.port()));
        await().atMost(SOON)
                .until(() -> coordinator.output().contains("accepted this leader gatewayId="));
        assertThat(coordinator.output()).doesNotContain("permission denied");
    }

    @Test
    @DisplayName("D-185: a database that one user had goes over to the roles, and again to nothing")
    void whatAnotherUserMadeIsTheRolesAfterwards() throws Exception {
        try (ConnectionPool pool = ConnectionPool.open(postgres.url(), "test", 2)) {
            var _ = Database.migrateAndOpen(pool); // the coordinator's schema, a superuser's
        }
        String roles = Files.readString(ROLES);
        run("postgres", roles);
        run("postgres", roles);

        try (ConnectionPool pool = ConnectionPool.open(as(COORDINATOR), "test", 2)) {
            var _ = Database.migrateAndOpen(pool);
        }
        run(COORDINATOR, "ALTER TABLE coordinator.history ADD COLUMN later text"); // a later step
        assertRefused(GATEWAY, "SELECT FROM coordinator.history");
    }

    private String as(String role) {
        return postgres.url().replace("user=postgres", "user=" + role);
    }

    private void run(String role, String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(
                                role.equals("postgres") ? postgres.url() : as(role));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void assertRefused(String role, String sql) {
        assertThatThrownBy(() -> run(role, sql))
                .as(role + ": " + sql)
                .isInstanceOf(SQLException.class)
                .satisfies(
                        refused ->
                                assertThat(((SQLException) refused).getSQLState())
                                        .isEqualTo("42501")); // insufficient privilege
    }
}
