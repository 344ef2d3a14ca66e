package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.UpgradeAction;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.recreate.RecreationCheck;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.ForeignOwnedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A container of a real engine, made with about everything that containers are made with, and an
 * agent's desk that has taken it over. Skipped aloud where there is no engine.
 */
abstract class ContainerNode {
    static final String OLD_CONFIG = "a = 1";
    static final String NEW_CONFIG = "a = 2";
    private static final String RUNS =
            "CMD [\"/bin/sh\",\"-c\",\"cat /etc/app/app.toml; sleep 999\"]";
    private static final String VOLUME = "VOLUME /data";

    private static Path directory;
    static RealEngine engine;
    static String old;
    static String young;
    static String falling;
    static String looping;

    Path home;
    RealEngineNode node;

    @BeforeAll
    static void anEngine() throws IOException {
        Optional<String> whyNot = RealEngine.whyNot();
        whyNot.ifPresent(why -> System.out.println("The real Docker engine is skipped: " + why));
        Assumptions.assumeTrue(whyNot.isEmpty(), whyNot.orElse(""));
        directory = Files.createTempDirectory("drover-docker").toRealPath();
        engine = RealEngine.start(directory);
        old = engine.publish("1", RUNS, VOLUME, "ENV VERSION=1", "LABEL v=1");
        young = engine.publish("2", RUNS, VOLUME, "ENV VERSION=2", "LABEL v=2");
        falling = engine.publish("3", "CMD [\"/bin/sh\",\"-c\",\"echo I fall; exit 1\"]", VOLUME);
        looping = engine.publish("4", "CMD [\"/bin/sh\",\"-c\",\"sleep 1; exit 1\"]", VOLUME);
        engine.docker("network", "create", "--subnet", "10.77.0.0/24", "front");
        engine.docker("network", "create", "--subnet", "10.78.0.0/24", "back");
    }

    @AfterAll
    static void noEngineIsLeft() throws IOException {
        if (engine != null) {
            engine.close();
            try (Stream<Path> all = Files.walk(directory)) {
                all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            }
        }
    }

    @BeforeEach
    void aContainerThatRuns() throws IOException {
        home = Files.createTempDirectory(directory, "node");
        Files.createDirectories(home.resolve("etc"));
        Files.writeString(home.resolve("etc/app.toml"), OLD_CONFIG);
        ForeignOwnedFile.make(home.resolve("etc/app.toml"), "rw-r-----");
        List<String> run =
                new ArrayList<>(List.of("run", "-d", "--name", "app", "--restart", "always"));
        run.addAll(List.of("--stop-signal", "SIGKILL", "-e", "OWN=1", "-l", "team=a"));
        run.addAll(List.of("-v", home.resolve("etc") + ":/etc/app:ro", "--memory", "64m"));
        run.addAll(List.of("--network", "front", "--ip", "10.77.0.9"));
        run.addAll(List.of("--cap-add", "NET_ADMIN", "--tmpfs", "/scratch:size=1m"));
        run.addAll(List.of("--health-cmd", "true", "--health-interval", "30s"));
        run.addAll(List.of("--log-opt", "max-size=1m", "--add-host", "other:10.77.0.3"));
        run.addAll(List.of("--mount", "type=volume,dst=/more", "--dns", "10.77.0.2"));
        run.addAll(List.of("-p", "127.0.0.1:18080:80", "--hostname", "chosen"));
        run.addAll(List.of("--network-alias", "service", "--ulimit", "nofile=99:100", old));
        engine.docker(run.toArray(String[]::new));
        engine.docker("network", "connect", "--alias", "store", "back", "app");
        node = RealEngineNode.of(engine, home).adopt().boot();
    }

    @AfterEach
    void noContainerIsLeft() throws IOException {
        for (String id : engine.docker("ps", "-aq").lines().toList()) {
            engine.docker("rm", "-f", "-v", id);
        }
    }

    static CommandWithContents upgrade(long attempt, String image) {
        return RealEngineNode.upgrade(attempt, old, image, NEW_CONFIG, Map.of("LEVEL", "new"));
    }

    /** So that it is got again. */
    static void forgetImage(String image) throws IOException {
        if (!engine.images(image).isEmpty()) {
            engine.docker("image", "rm", image);
        }
    }

    /** An agent of its own begins the upgrade, and ends as nothing else does. */
    void killIn(UpgradeAction action, long attempt) throws Exception {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(PausedAgentMain.class.getName(), home.toString()));
        command.addAll(List.of(engine.socket().toString(), action.name()));
        command.addAll(List.of(Long.toString(attempt), old, young, NEW_CONFIG));
        Process agent = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> output = new ArrayList<>();
        try (BufferedReader lines = agent.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                if (line.equals("stopped here")) {
                    break;
                }
            }
            assertThat(output).as("%s", output).contains("stopped here");
        } finally {
            agent.destroyForcibly().waitFor();
        }
    }

    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"));
    }

    Container inspected() throws IOException {
        return new Container(EngineJson.parseObject(inspect().getBytes(StandardCharsets.UTF_8)));
    }

    private static String inspect() throws IOException {
        String all = engine.docker("inspect", "app").strip();
        return all.substring(1, all.length() - 1);
    }

    static List<String> running() throws IOException {
        return engine.docker("ps", "--format", "{{.Names}}").lines().toList();
    }

    /** The very container of before, as it was, and no other that runs. */
    void assertIsOld(Container before) throws IOException {
        Container now = inspected();
        assertThat(now.id()).isEqualTo(before.id());
        assertThat(now.isRunning()).isTrue();
        assertThat(now.restartPolicy()).isEqualTo(before.restartPolicy());
        assertThat(RecreationCheck.findDifferences(before, now)).isEmpty();
        assertThat(Files.readString(home.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(running()).containsExactly("app");
    }
}
