package drover.standalone.doctor;

import static drover.standalone.doctor.DoctorFinding.Level.FAIL;
import static drover.standalone.doctor.DoctorFinding.Level.OK;
import static drover.standalone.doctor.DoctorFinding.Level.WARN;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import drover.localenv.DataDirectory;
import drover.localenv.RunningDeployment;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.demo.DemoConfigFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoctorTest {
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir Path folder;

    @Test
    void aPortOfAnotherProgramFails() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int taken = other.getLocalPort();
            List<DoctorFinding> found =
                    PortCheck.run(new PortCheck.RequiredPorts(taken, 0, 0), Optional.empty());

            assertThat(found).extracting(DoctorFinding::level).containsExactly(FAIL, OK, OK);
            assertThat(found.getFirst().sentence()).contains(String.valueOf(taken), "--http-port");
        }
    }

    @Test
    void portsOfOurOwnDeploymentAreHealthy() {
        assertThat(
                        PortCheck.run(
                                new PortCheck.RequiredPorts(8080, 9090, 9091),
                                Optional.of(new RunningDeployment(1, 1, 2, 3, 4, true))))
                .containsExactly(
                        DoctorFinding.ok("ports", "This mesh has its doors open: 1, 2 and 3."));
    }

    @Test
    void reportsADirectoryThatIsNotWritable() {
        DataDirectory data = new DataDirectory(Path.of("/proc/drover"));

        assertThat(MachineCheck.run(data))
                .anySatisfy(
                        finding -> {
                            assertThat(finding.level()).isEqualTo(FAIL);
                            assertThat(finding.sentence()).contains("/proc", "--data");
                        });
    }

    @Test
    void theDiskOfADirectoryThatIsNotMadeYetIsMeasuredAndLeftAsItWas() throws IOException {
        List<DoctorFinding> found = MachineCheck.run(new DataDirectory(folder.resolve("a/b")));

        assertThat(found)
                .extracting(DoctorFinding::check)
                .contains("java", "memory", "disk", "fsync");
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerFailsAndTheRestIsChecked() {
        List<DoctorFinding> found =
                Doctor.run(
                        new Doctor.DeploymentToCheck(
                                new DataDirectory(folder),
                                Optional.of("postgres://nobody@127.0.0.1:1/none"),
                                Optional.empty(),
                                0,
                                0,
                                0),
                        CLOCK);

        assertThat(found)
                .anySatisfy(
                        finding -> {
                            assertThat(finding.check()).isEqualTo("database");
                            assertThat(finding.level()).isEqualTo(FAIL);
                        });
        assertThat(found).extracting(DoctorFinding::check).contains("ports", "config", "clock");
    }

    @Test
    void aRunningDeploymentWithoutItsPostgresFails() {
        assertThat(
                        DatabaseCheck.run(
                                new DataDirectory(folder),
                                Optional.empty(),
                                Optional.of(new RunningDeployment(1, 1, 1, 1, 1, true)),
                                CLOCK))
                .singleElement()
                .satisfies(
                        finding -> {
                            assertThat(finding.level()).isEqualTo(FAIL);
                            assertThat(finding.sentence())
                                    .contains("does not run", "'drover up' restarts it");
                        });
    }

    @Test
    void anAddressThatTheNextStartCannotFetchFails() throws IOException {
        Path there = Files.writeString(folder.resolve("there"), "program");
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> respond(exchange, 404));
        server.createContext("/there", exchange -> respond(exchange, 200));
        server.start();
        String http = "http://127.0.0.1:" + server.getAddress().getPort();
        try {
            writeNodes(
                    there.toUri().toString(),
                    folder.resolve("missing").toUri().toString(),
                    http + "/there",
                    http + "/missing?secret=1");

            List<DoctorFinding> found =
                    InitialArtifactUrlCheck.run(new DataDirectory(folder.resolve("data")), folder);

            assertThat(found).extracting(DoctorFinding::level).containsExactly(FAIL, FAIL);
            assertThat(found.getFirst().sentence())
                    .startsWith(
                            "nodes.yaml: the url of program greeter of node a-2 cannot be fetched")
                    .contains("there is no readable file");
            assertThat(found.getLast().sentence())
                    .contains("node a-4", "status 404")
                    .doesNotContain("secret");
        } finally {
            server.stop(0);
        }
    }

    /** Presigned addresses are valid for GET alone. */
    @Test
    void addressesThatTheAgentCanDownloadAreAccepted() throws IOException {
        Path there = Files.writeString(folder.resolve("a program"), "program");
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        List<String> ranges = new CopyOnWriteArrayList<>();
        server.createContext(
                "/presigned",
                exchange -> {
                    boolean get = exchange.getRequestMethod().equals("GET");
                    ranges.add(String.valueOf(exchange.getRequestHeaders().getFirst("Range")));
                    respond(exchange, get ? 206 : 403);
                });
        server.createContext("/endless", DoctorTest::respondWithoutEnd);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        String http = "127.0.0.1:" + server.getAddress().getPort();
        try {
            writeNodes(
                    there.toUri().toString().replace("file:", "FILE:"),
                    "HTTP://" + http + "/presigned?sig=1",
                    "http://" + http + "/endless");

            assertThat(
                            InitialArtifactUrlCheck.run(
                                    new DataDirectory(folder.resolve("data")), folder))
                    .isEmpty();
            assertThat(ranges).containsExactly("bytes=0-0");
        } finally {
            server.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 407})
    void anAddressThatNeedsACredentialIsAWarning(int status) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> respond(exchange, status));
        server.start();
        try {
            writeNodes("http://127.0.0.1:" + server.getAddress().getPort() + "/app?secret=1");

            assertThat(
                            InitialArtifactUrlCheck.run(
                                    new DataDirectory(folder.resolve("data")), folder))
                    .singleElement()
                    .satisfies(
                            finding -> {
                                assertThat(finding.level()).isEqualTo(WARN);
                                assertThat(finding.sentence())
                                        .contains("node a-1", "cannot be checked", "" + status)
                                        .doesNotContain("secret");
                            });
        } finally {
            server.stop(0);
        }
    }

    @Test
    void theAddressOfAnInstalledNodeIsNotChecked() throws IOException {
        writeNodes(folder.resolve("missing").toUri().toString());
        DataDirectory data = new DataDirectory(folder.resolve("data"));
        Path state = data.node(new NodeId("a-1")).state();
        Files.createDirectories(state);
        Files.writeString(state.resolve("profile.json"), "{}");

        assertThat(InitialArtifactUrlCheck.run(data, folder)).isEmpty();
    }

    private static void respond(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /** Ignores the range, as some servers do. */
    private static void respondWithoutEnd(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            while (!Thread.currentThread().isInterrupted()) {
                out.write(new byte[8 * 1024]);
            }
        }
    }

    private void writeNodes(String... urls) throws IOException {
        StringBuilder text = new StringBuilder("nodes:\n");
        for (int i = 0; i < urls.length; i++) {
            text.append(
                    "  - { name: a-%d, chain: harbour, type: edge, programs: [{ name: greeter, version: v1, url: '%s', checksum: '%s' }] }\n"
                            .formatted(i + 1, urls[i], Digest.of("program")));
        }
        Files.writeString(folder.resolve("nodes.yaml"), text);
    }

    @Test
    void theDemosConfigurationIsHealthy() {
        DemoConfigFiles.writeUnlessWritten(folder);

        assertThat(CatalogAndNodesFileCheck.run(folder, true, CLOCK))
                .containsExactly(
                        DoctorFinding.ok("config", "1 chain profiles and 2 manifests are good."));
    }

    @Test
    void everyBrokenFileIsAFindingWithItsPlace() throws IOException {
        DemoConfigFiles.writeUnlessWritten(folder);
        Path manifest = folder.resolve("upgrades/harbour/greeter-v2.yaml");
        Files.writeString(
                manifest,
                Files.readString(manifest).replace("greeter.conf.v2.tmpl", "missing.tmpl"));
        Files.writeString(folder.resolve("chains/other.yaml"), "runtime: 1\n");
        Files.writeString(
                folder.resolve("nodes.yaml"),
                "nodes:\n  - { name: a-1, chain: nowhere, type: edge, programs: [] }\n");

        List<String> sentences =
                CatalogAndNodesFileCheck.run(folder, true, CLOCK).stream()
                        .filter(finding -> finding.level() == FAIL)
                        .map(DoctorFinding::sentence)
                        .toList();

        assertThat(sentences)
                .anySatisfy(s -> assertThat(s).contains("greeter-v2.yaml", "missing.tmpl"))
                .anySatisfy(s -> assertThat(s).contains("chains/other.yaml:1", "runtime"))
                .anySatisfy(s -> assertThat(s).contains("nodes.yaml", "a-1", "no profile"));
    }

    @Test
    void aNamedConfigurationThatIsNotThereFails() {
        Path nowhere = folder.resolve("nowhere");

        assertThat(CatalogAndNodesFileCheck.run(nowhere, true, CLOCK).getFirst().level())
                .isEqualTo(FAIL);
        assertThat(CatalogAndNodesFileCheck.run(nowhere, false, CLOCK).getFirst().level())
                .isEqualTo(OK);
    }

    @Test
    void aDeploymentThatDoesNotAnswerFails() {
        List<DoctorFinding> found =
                DoctorFinding.runCheck(
                        "nodes",
                        () ->
                                DeploymentAgentsCheck.run(
                                        new RunningDeployment(1, 1, 1, 1, 1, true),
                                        new DataDirectory(folder),
                                        Instant.EPOCH));

        assertThat(found).extracting(DoctorFinding::level).containsExactly(FAIL);
    }

    @Test
    void aJournalThatCannotBeReadFails() throws IOException {
        DataDirectory data = new DataDirectory(folder);
        Path attempts = folder.resolve("nodes/a-1/state/attempts");
        Files.createDirectories(attempts);
        Files.writeString(attempts.resolve("1.json"), "{");

        assertThat(JournalCheck.run(data.existingNodes(), Instant.EPOCH))
                .extracting(DoctorFinding::level)
                .containsExactly(FAIL);
    }
}
