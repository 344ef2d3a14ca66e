package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.model.ActionName;
import drover.model.AttemptOutcome;
import drover.opsagent.OpsAgentMain;
import drover.opsagent.script.ReasonCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The docker runtime on a real engine. Skipped aloud where there is none. */
class DockerRuntimeIT {
    private static final String OLD_CONFIG = "a = 1";
    private static final String NEW_CONFIG = "a = 2";
    private static final String RUNS =
            "CMD [\"/bin/sh\",\"-c\",\"cat /etc/app/app.toml; sleep 999\"]";
    private static final String VOLUME = "VOLUME /data";

    private static Path directory;
    private static RealEngine engine;
    private static String old;
    private static String young;
    private static String falling;
    private static String looping;

    private Path home;
    private RealNode node;

    @BeforeAll
    static void anEngine() throws IOException {
        Optional<String> whyNot = RealEngine.whyNot();
        whyNot.ifPresent(why -> System.out.println("DockerRuntimeIT is skipped: " + why));
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
        node = RealNode.of(engine, home).adopt().boot();
    }

    @AfterEach
    void noContainerIsLeft() throws IOException {
        for (String id : engine.docker("ps", "-aq").lines().toList()) {
            engine.docker("rm", "-f", "-v", id);
        }
    }

    @Test
    @DisplayName(
            "An upgrade brings a like container of the new image, and a restore the old one back")
    void upgradesAndRollsBack() throws IOException {
        Container before = inspected();
        String data = engine.docker("exec", "app", "sh", "-c", "echo kept > /data/file");
        assertThat(data).isEmpty();
        node.desk.take(upgrade(1, young));
        assertThat(node.journal(1).ending().detail()).isEmpty();
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        Container after = inspected();
        assertThat(after.imageName()).isEqualTo(young);
        assertThat(after.restartPolicy()).isEqualTo(before.restartPolicy());
        assertThat(Endpoints.shown(after)).isEqualTo(Endpoints.shown(before));
        assertThat(Json.texts(after.config().path("Env")))
                .contains("OWN=1", "LEVEL=new", "VERSION=2");
        assertThat(after.label("v")).isEqualTo("2");
        assertThat(engine.docker("exec", "app", "cat", "/data/file")).isEqualTo("kept\n");
        assertThat(engine.docker("exec", "app", "cat", "/etc/app/app.toml")).isEqualTo(NEW_CONFIG);
        assertThat(running()).containsExactly("app");

        node.desk.take(RealNode.restore(2, 1, old, OLD_CONFIG));
        assertThat(node.outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertIsOld(before);
        assertThat(engine.docker("exec", "app", "cat", "/data/file")).isEqualTo("kept\n");
    }

    @Test
    @DisplayName(
            "A14: an upgrade of the configuration alone keeps the container and starts it anew")
    void upgradesTheConfigurationAlone() throws IOException {
        Container before = inspected();
        node.desk.take(RealNode.upgrade(1, old, old, NEW_CONFIG, Map.of()));
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(inspected().id()).isEqualTo(before.id());
        assertThat(inspected().startedAt()).isNotEqualTo(before.startedAt());
        assertThat(inspected().restartPolicy().name()).isEqualTo("always");
        assertThat(engine.docker("exec", "app", "cat", "/etc/app/app.toml")).isEqualTo(NEW_CONFIG);
    }

    @Test
    @DisplayName(
            "D6 D7: a program that falls at its start is put back, and what it said is reported")
    void goesBackFromAFailedStart() throws IOException {
        Container before = inspected();
        node.desk.take(upgrade(1, falling));
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(node.journal(1).ending().reason()).isEqualTo(ReasonCode.START_FAILED);
        assertThat(node.journal(1).ending().logTail()).contains("I fall");
        assertIsOld(before);
    }

    @Test
    @DisplayName(
            "A program that falls again and again is seen, and the restore brings the old back")
    void goesBackFromACrashLoop() throws IOException {
        Container before = inspected();
        node.desk.take(upgrade(1, looping));
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            node.supervise();
                            return node.runtime.isCrashLooping(RealNode.APP);
                        });
        node.desk.take(RealNode.restore(2, 1, old, OLD_CONFIG));
        assertThat(node.outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertIsOld(before);
    }

    @Test
    @DisplayName("D12: killed in each of the eight actions, the next agent ends the attempt whole")
    void survivesAKillInEachAction() throws Exception {
        Container before = inspected();
        long attempt = 0;
        for (ActionName action : ActionName.values()) {
            attempt++;
            if (action == ActionName.ACQUIRE_ARTIFACT && !engine.images(young).isEmpty()) {
                engine.docker("image", "rm", young); // so that it is got again
            }
            killIn(action, attempt);
            assertThat(running()).as("killed in %s", action).hasSizeLessThan(2);
            RealNode next = RealNode.of(engine, home).boot();
            next.supervise();
            assertThat(next.outcome(attempt))
                    .as("%s ends %s", action, next.journal(attempt).ending())
                    .isEqualTo(AttemptOutcome.SUCCEEDED);
            assertThat(inspected().imageName()).isEqualTo(young);
            assertThat(inspected().restartPolicy().name()).isEqualTo("always");
            assertThat(next.config()).isEqualTo(NEW_CONFIG);
            assertThat(running()).containsExactly("app");
            attempt++;
            next.desk.take(RealNode.restore(attempt, attempt - 1, old, OLD_CONFIG));
            assertThat(next.outcome(attempt)).isEqualTo(AttemptOutcome.RESTORED);
            assertIsOld(before);
        }
    }

    @Test
    @DisplayName("D12: the engine started again in mid-upgrade starts neither the old nor the new")
    void survivesARestartOfTheEngine() throws Exception {
        Container before = inspected();
        killIn(ActionName.INSTALL_ARTIFACT, 1);
        engine.restart();
        assertThat(running()).isEmpty();
        RealNode next = RealNode.of(engine, home).boot();
        assertThat(next.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(running()).containsExactly("app");
        restartsWhatIsMeant(next, before);
    }

    /** After the attempt the engine's own restarts bring back exactly the one that is meant. */
    private void restartsWhatIsMeant(RealNode next, Container before) throws Exception {
        engine.restart();
        await().atMost(Duration.ofSeconds(10)).until(() -> running().equals(List.of("app")));
        assertThat(inspected().imageName()).isEqualTo(young);
        next.desk.take(RealNode.restore(2, 1, old, OLD_CONFIG));
        assertThat(next.outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertIsOld(before);
    }

    @Test
    @DisplayName("An engine that goes away under a running attempt is waited for, and asked again")
    void waitsForAnEngineThatGoesAwayUnderIt() throws Exception {
        Container before = inspected();
        CompletableFuture<Void> back = new CompletableFuture<>();
        AtomicBoolean first = new AtomicBoolean(true);
        RealNode next =
                new RealNode(
                                home,
                                engine.socket(),
                                it ->
                                        StoppedAgent.before(
                                                it,
                                                "rename",
                                                () -> {
                                                    if (first.getAndSet(false)) {
                                                        goAway(back);
                                                    }
                                                }),
                                _ -> {})
                        .boot();
        next.desk.take(upgrade(1, young));
        back.get(60, TimeUnit.SECONDS);
        assertThat(next.journal(1).ending().detail()).isEmpty();
        assertThat(next.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(running()).containsExactly("app");
        next.desk.take(RealNode.restore(2, 1, old, OLD_CONFIG));
        assertIsOld(before);
    }

    /** Comes back when the engine has gone; it is started again meanwhile. */
    private static void goAway(CompletableFuture<Void> back) {
        Thread.startVirtualThread(
                () -> {
                    try {
                        engine.restart();
                        back.complete(null);
                    } catch (IOException | RuntimeException e) {
                        back.completeExceptionally(e);
                    }
                });
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !engine.answers());
    }

    @Test
    @DisplayName("The agent's own program takes a container over by its flags alone")
    void isTheAgentsRuntimeByItsFlags() throws Exception {
        Path record = home.resolve("state/run/app/container.json");
        Files.delete(record);
        Path token = Files.writeString(home.resolve("token"), "secret");
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(OpsAgentMain.class.getName(), "--gateway", "127.0.0.1:1"));
        command.addAll(List.of("--state", home.resolve("state").toString()));
        command.addAll(List.of("--root", home.toString(), "--token-file", token.toString()));
        command.addAll(List.of("--runtime", "docker", "--set", "socket=" + engine.socket()));
        command.addAll(List.of("--set", "containers=app"));
        Path log = home.resolve("agent.log");
        Process agent =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(record));
            assertThat(Files.readString(record)).contains(inspected().id(), "\"wanted\":true");
        } finally {
            agent.destroyForcibly().waitFor();
        }
        assertThat(running()).containsExactly("app");
    }

    @Test
    @DisplayName("A pull of what the registry does not have never stops the program")
    void neverStopsTheProgramForAnAbsentImage() throws IOException {
        Container before = inspected();
        String absent = young.replace("/app@", "/none@");
        node.desk.take(upgrade(1, absent));
        assertThat(node.journal(1).ending().reason()).isEqualTo(ReasonCode.ARTIFACT_NOT_FOUND);
        assertThat(inspected().startedAt()).isEqualTo(before.startedAt());
    }

    private static drover.opsagent.engine.Delivery upgrade(long attempt, String image) {
        return RealNode.upgrade(attempt, old, image, NEW_CONFIG, Map.of("LEVEL", "new"));
    }

    private void killIn(ActionName action, long attempt) throws Exception {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(StoppedAgent.class.getName(), home.toString()));
        command.addAll(List.of(engine.socket().toString(), action.name()));
        command.addAll(List.of(Long.toString(attempt), old, young, NEW_CONFIG));
        Process agent = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> said = new ArrayList<>();
        try (BufferedReader lines = agent.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
                if (line.equals("stopped here")) {
                    break;
                }
            }
            assertThat(said).as("%s", said).contains("stopped here");
        } finally {
            agent.destroyForcibly().waitFor();
        }
    }

    private static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"));
    }

    private Container inspected() throws IOException {
        return new Container(Json.read(inspect().getBytes(StandardCharsets.UTF_8)));
    }

    private static String inspect() throws IOException {
        String all = engine.docker("inspect", "app").strip();
        return all.substring(1, all.length() - 1);
    }

    private static List<String> running() throws IOException {
        return engine.docker("ps", "--format", "{{.Names}}").lines().toList();
    }

    /** The very container of before, as it was, and no other that runs. */
    private void assertIsOld(Container before) throws IOException {
        Container now = inspected();
        assertThat(now.id()).isEqualTo(before.id());
        assertThat(now.isRunning()).isTrue();
        assertThat(now.restartPolicy()).isEqualTo(before.restartPolicy());
        assertThat(RoundTrip.differences(before, now)).isEmpty();
        assertThat(Files.readString(home.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(running()).containsExactly("app");
    }
}
