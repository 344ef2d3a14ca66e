package drover.system.access;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.RolloutCoordinatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.LaunchedServices;
import drover.system.fixture.RestartablePostgres;
import drover.system.fixture.Waits;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule.TlsRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A PostgreSQL that speaks TLS, and services whose address of it says that it must prove itself.
 */
class DatabaseTlsIT {
    private static final Duration LIFE = Duration.ofHours(1);
    private static final String GATEWAY =
            "id: gateway-1\nagent-listen: 127.0.0.1:0\ninternal-listen: 127.0.0.1:0\n";

    @TempDir Path directory;
    @AutoClose private LaunchedServices services;
    private RestartablePostgres postgres;

    @BeforeEach
    void startPostgres() throws IOException {
        services = new LaunchedServices(directory);
        certify("127.0.0.1");
        postgres =
                RestartablePostgres.start(
                        directory.resolve("data"),
                        services.port(),
                        Map.of(
                                "ssl",
                                "on",
                                "ssl_cert_file",
                                directory.resolve("server.pem").toString(),
                                "ssl_key_file",
                                directory.resolve("server-key.pem").toString()));
        services.closeLast(postgres::close);
    }

    /** An authority of the database's own, and what it has signed for this host. */
    private void certify(String host) throws IOException {
        var now = InstantSource.system().instant();
        CertificateAuthority.NewCa founded = CertificateAuthority.create("database", now, LIFE);
        CertificateRequestKeyPair own = CertificateRequestKeyPair.create();
        var leaf =
                CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem())
                        .issue(
                                new CertificateTemplate(
                                        "postgres",
                                        List.of(),
                                        List.of(host),
                                        Set.of(TlsRole.SERVER),
                                        false,
                                        CertificateTemplate.newSerial(new SecureRandom()),
                                        now.minusSeconds(60),
                                        now.plus(LIFE)),
                                own.publicKey());
        Files.writeString(directory.resolve("root.pem"), founded.certificatePem());
        Files.writeString(
                directory.resolve("server.pem"), CertificateAuthority.toPem(List.of(leaf)));
        Path key = Files.writeString(directory.resolve("server-key.pem"), own.pem());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                directory.resolve("other-root.pem"),
                CertificateAuthority.create("other", now, LIFE).certificatePem());
    }

    private String connectVerified(String host, String root) {
        return postgres.url(host) + "&sslmode=verify-full&sslrootcert=" + directory.resolve(root);
    }

    @Test
    @DisplayName(
            "D-126: with sslmode=verify-full coordinator and gateway speak TLS with PostgreSQL")
    void theAddressAloneHasCoordinatorAndGatewaySpeakTls() throws Exception {
        String address = connectVerified("127.0.0.1", "root.pem");

        services.ready(NodeGatewayMain.class, Map.of("DROVER_GATEWAY_POSTGRES", address), GATEWAY);
        services.ready(
                RolloutCoordinatorMain.class,
                Map.of("DROVER_COORDINATOR_POSTGRES", address),
                """
                id: coordinator-1
                listen: 127.0.0.1:0
                http: 127.0.0.1:%d
                manifest: 127.0.0.1:%d
                health: 127.0.0.1:%d
                insecure: true
                """
                        .formatted(services.port(), services.port(), services.port()));

        assertThat(sessions())
                .containsExactly("drover-coordinator TLSv1.3", "drover-gateway TLSv1.3");
    }

    /** The services' sessions and how they are protected. */
    private Set<String> sessions() throws Exception {
        Set<String> found = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection(postgres.url());
                ResultSet rows =
                        connection
                                .createStatement()
                                .executeQuery(
                                        "SELECT regexp_replace(application_name,"
                                                + " 'drover-leader/.*', 'drover-coordinator') || ' ' ||"
                                                + " coalesce(version, 'plain') FROM pg_stat_ssl JOIN"
                                                + " pg_stat_activity USING (pid) WHERE application_name"
                                                + " LIKE 'drover-%'")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    @Test
    @DisplayName("D-155: what the composed mesh tells PostgreSQL keeps out whoever speaks plain")
    void theComposedPostgresAnswersOverTlsAlone() throws Exception {
        String password = "&password=canary";
        writeAccessRules(Path.of("..", "deploy", "compose", "pg_hba.conf"));

        await().atMost(Waits.LIMIT) // the server reads it on its own time
                .untilAsserted(
                        () ->
                                assertThatThrownBy(
                                                () ->
                                                        DriverManager.getConnection(
                                                                postgres.url()
                                                                        + "&sslmode=disable"
                                                                        + password))
                                        .hasMessageContaining("no pg_hba.conf entry")
                                        .hasMessageContaining("no encryption"));
        try (Connection verified =
                DriverManager.getConnection(connectVerified("127.0.0.1", "root.pem") + password)) {
            assertThat(verified.isValid(10)).isTrue();
        }
    }

    /** As the composed mesh says it, for a user with a password. */
    private void writeAccessRules(Path rules) throws Exception {
        try (Connection connection = DriverManager.getConnection(postgres.url());
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER ROLE postgres PASSWORD 'canary'");
            try (ResultSet received = statement.executeQuery("SHOW hba_file")) {
                assertThat(received.next()).isTrue();
                Files.copy(rules, Path.of(received.getString(1)), REPLACE_EXISTING);
            }
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    @Test
    @DisplayName("D-126: a PostgreSQL that proves itself badly is not spoken to")
    void refusesADatabaseThatDoesNotAuthenticate() throws Exception {
        for (String address :
                List.of(
                        connectVerified("127.0.0.1", "other-root.pem"), // another authority's
                        connectVerified(
                                "localhost", "root.pem"))) { // a certificate of another host
            DroverProcess.Ended ended =
                    services.start(
                                    NodeGatewayMain.class,
                                    Map.of("DROVER_GATEWAY_POSTGRES", address),
                                    GATEWAY)
                            .process()
                            .ended();

            assertThat(ended.exitCode()).as(ended.output()).isEqualTo(1);
            assertThat(ended.output().lines()).anyMatch(line -> line.startsWith("gateway: "));
        }
    }
}
