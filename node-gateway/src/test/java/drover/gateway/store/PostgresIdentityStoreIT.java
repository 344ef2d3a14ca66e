package drover.gateway.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

class PostgresIdentityStoreIT extends IdentityStoreContract {
    private static EmbeddedPostgres server;
    private static HikariDataSource pool;

    @BeforeAll
    static void startPostgres() {
        try {
            server = EmbeddedPostgres.start();
        } catch (IOException | IllegalStateException e) {
            Assumptions.abort("SKIPPED: no PostgreSQL can be started here: " + e.getMessage());
        }
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.getPostgresDatabase());
        config.setMaximumPoolSize(8); // as the gateway's own
        pool = new HikariDataSource(config);
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        if (server != null) {
            pool.close();
            server.close();
        }
    }

    @Override
    void open() {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA IF EXISTS gateway CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        nodes = PostgresNodeStore.open(pool);
        store = new PostgresIdentityStore(pool);
        certificates = new PostgresCertificateStore(pool);
    }
}
