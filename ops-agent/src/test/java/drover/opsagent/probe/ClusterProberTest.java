package drover.opsagent.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.cluster.ClusterRole;
import drover.model.program.BinaryName;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.main.Waits;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.time.AutoAdvancingTicker;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The state of a cluster, as drivers report it that also break the contract. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterProberTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final String RUN = "run-1";
    private static final Digest PROGRAM = Digest.of("program".getBytes(StandardCharsets.UTF_8));
    private static final String VALID =
            """
            {"cluster": "st", "member": "st-2", "role": "leader", "voter": true, "term": 7,\
             "voters": ["st-1", "st-2"], "healthy_voters": ["st-1", "st-2"],\
             "lag": {"value": 0, "unit": "entries", "ok": true}, "safe_to_stop": "yes"}
            """;

    // Processes of other tests and of earlier runs are none of this one's.
    private final String sleeper = "86400." + ProcessHandle.current().pid() + System.nanoTime();
    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private ProgramState state = up(RUN);

    @TempDir private Path directory;
    private Prober prober = newProber(LocalPolicy.WHOLE_ROOT);

    @BeforeEach
    void letOtherUsersRunTheDriver() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @AfterEach
    void close() {
        prober.close();
        sleepers().forEach(ProcessHandle::destroyForcibly);
    }

    private static ProgramState up(String runId) {
        return new ProgramState.Up(runId, PROGRAM, PROGRAM, Duration.ofMinutes(1), 0);
    }

    private Prober newProber(LocalPolicy policy) {
        NodeRuntime runtime =
                (NodeRuntime)
                        Proxy.newProxyInstance(
                                NodeRuntime.class.getClassLoader(),
                                new Class<?>[] {NodeRuntime.class},
                                (proxy, method, arguments) -> this.state);
        return new Prober(runtime, ticker, new LocalProbeRunner(policy));
    }

    private Path driverFile() {
        return directory.resolve("driver");
    }

    /** The executable runs these lines; the policy lists it. */
    private ProgramSpec driver(String lines) throws IOException {
        Files.writeString(directory.resolve("line"), VALID);
        Files.writeString(
                driverFile(),
                "#!/bin/sh\ncd " + directory + "\n" + lines.replace("TAG", sleeper) + "\n");
        Files.setPosixFilePermissions(driverFile(), PosixFilePermissions.fromString("rwxr-xr-x"));
        prober = newProber(LocalPolicy.ofDriver(new NodePath(driverFile().toString())));
        return member(driverFile().toString(), "");
    }

    private static ProgramSpec member(String driver, String endpoint) {
        return member(driver, endpoint, Optional.empty());
    }

    private static ProgramSpec member(String driver, String endpoint, Optional<NodePath> userFile) {
        return new ProgramSpec(
                new BinaryName("app"),
                "process",
                new LaunchSpec(
                        new NodePath("/bin/app"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE),
                List.of(),
                List.of(),
                Optional.of(
                        new ClusterProbe(
                                driver,
                                endpoint,
                                INTERVAL,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                userFile)));
    }

    private List<ProcessHandle> sleepers() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(sleeper))
                .toList();
    }

    private void round(ProgramSpec... specs) {
        var _ = prober.runDueProbesAndDetectChange(List.of(specs));
    }

    private ClusterReading read(ProgramSpec spec) {
        return prober.readCluster(spec, RUN).orElseThrow();
    }

    private ClusterReading awaitResult(ProgramSpec spec) {
        round(spec);
        return await().atMost(Waits.LIMIT)
                .until(() -> read(spec), it -> !it.problem().contains("not ended yet"));
    }

    private String awaitProblem(ProgramSpec spec) {
        ClusterReading reading = awaitResult(spec);
        assertThat(reading.report()).isEmpty();
        assertThat(reading.problem()).endsWith(".").hasLineCount(1);
        return reading.problem();
    }

    private long calls() throws IOException {
        Path file = directory.resolve("calls");
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    @Test
    void reportsTheStateAndItsAge() throws IOException {
        ProgramSpec spec = driver("cat line");

        ClusterReading reading = awaitResult(spec);
        assertThat(reading.report().orElseThrow().role()).isEqualTo(ClusterRole.LEADER);
        assertThat(reading.age()).isZero();
        ticker.pause(Duration.ofSeconds(3));
        assertThat(read(spec).age()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    @DisplayName("K4: a report older than 3 intervals does not count")
    void dropsAReportThatIsTooOld() throws IOException {
        ProgramSpec spec = driver("cat line");
        var _ = awaitResult(spec);
        ticker.pause(INTERVAL.multipliedBy(3));
        assertThat(read(spec).report()).isPresent();

        ticker.pause(Duration.ofMillis(1));

        assertThat(read(spec).report()).isEmpty();
        assertThat(read(spec).problem()).contains("older than 3 intervals");
    }

    @Test
    @DisplayName("K4: a report of an earlier run, or of a program that is down, does not count")
    void dropsTheReportOfAnEarlierRun() throws IOException {
        ProgramSpec spec = driver("cat line");
        var _ = awaitResult(spec);

        assertThat(prober.readCluster(spec, "run-2").orElseThrow().report()).isEmpty();
        assertThat(prober.readCluster(spec, "").orElseThrow().problem())
                .isEqualTo("The program does not run.");
        state = new ProgramState.Down(false, 0);
        round(spec);
        assertThat(read(spec).report()).isEmpty();
    }

    @Test
    @DisplayName("K4: a failed probe drops the report of the probe before")
    void aFailureDropsTheReport() throws IOException {
        ProgramSpec spec = driver("cat line; rm line");
        var _ = awaitResult(spec);
        ticker.pause(INTERVAL);

        round(spec);

        ClusterReading after =
                await().atMost(Waits.LIMIT).until(() -> read(spec), it -> it.report().isEmpty());
        assertThat(after.problem()).contains("exited with 1");
    }

    @Test
    void aBrokenDriverGivesNoReport() throws IOException {
        assertThat(awaitProblem(driver("echo garbage"))).contains("not valid JSON");
        assertThat(awaitProblem(driver("exit 1"))).contains("exited with 1");
        assertThat(awaitProblem(driver("head -c 5000 /dev/zero"))).contains("more than 4096 bytes");
        assertThat(awaitProblem(driver("sed s/leader/king/ line"))).contains("role must be one of");
    }

    @Test
    @DisplayName("A driver that hangs is killed after 5 s, and delays neither health nor a stop")
    void aDriverThatHangsIsKilled() throws IOException {
        ProgramSpec spec = driver("echo >> calls; sleep TAG & sleep TAG");
        round(spec);
        await().atMost(Waits.LIMIT).until(() -> calls() == 1);
        ticker.pause(INTERVAL.multipliedBy(2));
        round(spec);
        assertThat(prober.summarize(spec, (ProgramState.Up) state).health())
                .isEqualTo(ApplicationHealth.UNKNOWN);

        assertThat(awaitProblem(spec)).contains("did not end within 5 s");
        assertThat(sleepers()).isEmpty();
        assertThat(calls()).as("one call at a time").isEqualTo(1);
    }

    @Test
    @DisplayName("The driver ends with its program, and the next run waits for its end")
    void theDriverEndsWithItsProgram() throws IOException {
        ProgramSpec spec = driver("echo >> calls; sleep TAG");
        round(spec);
        await().atMost(Waits.LIMIT).until(() -> calls() == 1 && sleepers().size() == 1);

        state = new ProgramState.Down(false, 0);
        round(spec);

        await().atMost(Waits.LIMIT).until(() -> sleepers().isEmpty());
        state = up("run-2");
        await().atMost(Waits.LIMIT)
                .until(
                        () -> {
                            round(spec);
                            return calls() == 2;
                        });
        round(); // the node has the program no more
        await().atMost(Waits.LIMIT).until(() -> sleepers().isEmpty());
    }

    @Test
    void nothingOutlivesTheAgent() throws IOException {
        ProgramSpec spec = driver("echo >> calls; sleep TAG");
        round(spec);
        await().atMost(Waits.LIMIT).until(() -> calls() == 1 && sleepers().size() == 1);

        prober.close();

        assertThat(sleepers()).isEmpty();
        ticker.pause(INTERVAL);
        round(spec);
        assertThat(calls()).isEqualTo(1);
    }

    @Test
    @DisplayName("H13: an executable that the policy does not list is not run")
    void anExecutableNeedsThePolicy() throws IOException {
        ProgramSpec spec = driver("echo >> calls; cat line");
        prober = newProber(LocalPolicy.WHOLE_ROOT);

        assertThat(awaitProblem(spec))
                .contains(driverFile().toString(), "let its owner list it under drivers");
        assertThat(calls()).isZero();
    }

    @Test
    @DisplayName("H13: etcd is probed at the node's own and at listed addresses only")
    void etcdNeedsAnAllowedAddress() {
        ProgramSpec elsewhere = member(ClusterProbe.ETCD, "http://192.0.2.1:2379");
        assertThat(awaitProblem(elsewhere)).contains("192.0.2.1", "probes.addresses");
        prober = newProber(LocalPolicy.WHOLE_ROOT);
        assertThat(awaitProblem(member(ClusterProbe.ETCD, "http://127.0.0.1:1")))
                .contains("the connection is refused");
    }

    @Test
    @DisplayName("H14: a user file that the policy does not list is not sent to the endpoint")
    void aUserFileNeedsThePolicy() {
        NodePath file = new NodePath(directory.resolve("user").toString());
        ProgramSpec spec = member(ClusterProbe.ETCD, "http://127.0.0.1:1", Optional.of(file));
        assertThat(awaitProblem(spec))
                .isEqualTo(
                        "This node's policy does not allow the cluster probe to read '"
                                + file
                                + "': let its owner list it under drivers.");
        prober = newProber(LocalPolicy.ofDriver(file));
        assertThat(awaitProblem(spec))
                .as("it is read")
                .contains(directory.toString())
                .doesNotContain("policy");
    }

    @Test
    void aProgramWithoutAClusterHasNoState() throws IOException {
        ProgramSpec member = driver("cat line");
        ProgramSpec plain =
                new ProgramSpec(member.name(), "process", member.launch(), member.probes());
        round(plain);
        assertThat(prober.readCluster(plain, RUN)).isEmpty();
    }
}
