package drover.system.compose;

import static org.awaitility.Awaitility.await;

import drover.system.fixture.DockerCompose;
import drover.system.fixture.DockerTestEngine;
import drover.system.fixture.PortForward;
import drover.system.fixture.RestClient;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * {@code deploy/compose} run on an engine of its own. Images are those that {@code .ci/images}
 * makes, on a base of Debian's packages; what a registry would give is stood in for.
 */
final class ComposeDeployment implements AutoCloseable {
    private static final Path STAND_INS = Path.of("src/test/compose");

    private final Path place;
    private final DockerTestEngine engine;
    private final DockerCompose compose;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    private ComposeDeployment(Path place, DockerTestEngine engine, DockerCompose compose) {
        this.place = place;
        this.engine = engine;
        this.compose = compose;
    }

    /** Why it cannot be run here; empty when it can. */
    static Optional<String> whyNot() {
        return DockerTestEngine.whyNot()
                .or(
                        () ->
                                Files.exists(Path.of("target/image/sbom.json"))
                                        ? Optional.empty()
                                        : Optional.of("there is no target/image: add -Pimages"));
    }

    /** Returns when everything has been started in its order. */
    static ComposeDeployment start(Path place, DockerCompose operators) throws IOException {
        DockerTestEngine engine =
                DockerTestEngine.start(Files.createDirectories(place.resolve("engine")));
        DockerCompose compose =
                operators.with(
                        STAND_INS.resolve("compose.proof.yaml").toRealPath(),
                        engine.socket(),
                        Map.of(
                                "STAND_INS",
                                STAND_INS.toRealPath().toString(),
                                "TEST_CLASSES",
                                Path.of("target/test-classes").toRealPath().toString(),
                                "OTLP_JAR",
                                jarOf(io.opentelemetry.proto.trace.v1.Span.class)));
        ComposeDeployment deployment = new ComposeDeployment(place, engine, compose);
        try {
            deployment.standIn();
            deployment.images();
            compose.run("up", "-d", "--quiet-pull");
            return deployment;
        } catch (IOException | RuntimeException | AssertionError e) {
            deployment.close();
            throw e;
        }
    }

    private static String jarOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    private void standIn() throws IOException {
        String stock = DockerCompose.CACHE.resolve("stand-ins").toString();
        standIn(
                "java",
                List.of("-C", stock, "java"),
                "ENV JAVA_HOME=/java PATH=/java/bin:/usr/bin:/bin");
        standIn("etcd", List.of("-C", stock, "bin/etcd", "bin/etcdctl"), "ENV PATH=/usr/bin:/bin");
        for (String server : List.of("nats-server", "prometheus")) {
            standIn(
                    server,
                    List.of("-C", stock, "bin/" + server),
                    "ENV PATH=/usr/bin:/bin",
                    "ENTRYPOINT [\"" + server + "\"]");
        }
        Path own = postgres();
        String scripts = STAND_INS.toRealPath().toString();
        standIn(
                "postgres",
                List.of(
                        "-C",
                        own.toString(),
                        "postgres",
                        "var",
                        "-C",
                        scripts,
                        "postgres-entrypoint",
                        "pg_isready"),
                "ENV PATH=/postgres/bin:/:/usr/bin:/bin",
                "USER 999:999",
                "ENTRYPOINT [\"bash\", \"/postgres-entrypoint\"]");
    }

    /** The system's files and these, as an image. */
    private void standIn(String name, List<String> files, String... changes) throws IOException {
        Path archive = place.resolve(name + ".tar");
        List<String> pack = new ArrayList<>(List.of("tar", "-cf", archive.toString()));
        pack.addAll(List.of("-C", DockerCompose.CACHE.resolve("stand-ins/system").toString(), "."));
        pack.addAll(files);
        run(pack.toArray(String[]::new));
        List<String> command = new ArrayList<>(List.of("import"));
        for (String change : changes) {
            command.addAll(List.of("-c", change));
        }
        command.addAll(List.of(archive.toString(), "stand-in/" + name));
        engine.docker(command.toArray(String[]::new));
        Files.delete(archive);
    }

    /** PostgreSQL as Maven has it, and the place for its data, which its user owns. */
    private Path postgres() throws IOException {
        Path own = Files.createDirectory(place.resolve("own"));
        Path programs = Files.createDirectory(own.resolve("postgres"));
        Path archive = place.resolve("postgres.txz");
        try (var in = getClass().getResourceAsStream("/postgres-linux-x86_64.txz")) {
            Files.copy(Objects.requireNonNull(in, "PostgreSQL for this machine"), archive);
        }
        run("tar", "-C", programs.toString(), "-xJf", archive.toString());
        Path data = Files.createDirectories(own.resolve("var/lib/postgresql/data"));
        run("chown", "999:999", data.toString());
        run("chmod", "1777", data.toString()); // as its image has it, for other users
        return own;
    }

    private void images() throws IOException {
        DockerCompose.output(
                Map.of("DOCKER", engine.client()),
                "../.ci/images",
                "--packaged",
                "--base",
                "stand-in/java");
    }

    private static void run(String... command) throws IOException {
        DockerCompose.output(Map.of(), command);
    }

    /** A command of docker compose. */
    String compose(String... words) throws IOException {
        return compose.run(words);
    }

    /** Runs a program in the container of a service. */
    String in(String service, String... program) throws IOException {
        List<String> words = new ArrayList<>(List.of("exec", "-T", service));
        words.addAll(List.of(program));
        return compose.run(words.toArray(String[]::new));
    }

    /** What a service's container is, in the engine's words. */
    String inspected(String service, String format) throws IOException {
        return engine.docker("inspect", "-f", format, "drover-" + service + "-1").strip();
    }

    /** REST of a coordinator, with its administrator's key. */
    RestClient rest(String coordinator, String key) throws IOException {
        String address =
                inspected(coordinator, "{{.NetworkSettings.Networks.drover_operators.IPAddress}}");
        PortForward relay = PortForward.open(engine.inside("nc", address, "8080"));
        open.push(relay);
        RestClient rest =
                verified(relay.port(), key, in(coordinator, "cat", "tls/coordinator/trust.pem"));
        open.push(rest);
        return rest;
    }

    /** As an operator on the machine that it is published to. */
    private static RestClient verified(int port, String key, String authority) throws IOException {
        try {
            return RestClient.verified(
                    port, key, TlsKeyChainAndTrust.authorities(authority).getFirst());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Until every container that looks at itself says that it is well. */
    void awaitHealthy(Duration timeout) {
        await().atMost(timeout)
                .pollInterval(Duration.ofSeconds(2))
                .until(
                        () ->
                                engine.docker("ps", "--format", "{{.Names}} {{.Status}}")
                                        .lines()
                                        .noneMatch(
                                                it -> it.matches(".*\\((starting|un|health:).*")));
    }

    @Override
    public void close() throws IOException {
        try {
            while (!open.isEmpty()) {
                open.pop().close();
            }
        } catch (Exception e) {
            throw new IOException(e);
        } finally {
            Files.writeString(Path.of("target/compose.log"), compose.run("logs", "--no-color"));
            engine.close();
            run("rm", "-rf", "--one-file-system", place.toString());
        }
    }
}
