package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.AgentFinding;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.engine.LogRequestHandler;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Journal;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.SelfReport;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.time.AutoAdvancingTicker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("D12: what an agent does for its node")
final class AgentCoreTest {
    private static final StateDirectoryAndRoot LAYOUT =
            new StateDirectoryAndRoot(Path.of("/state"), Path.of("/node"));
    private static final byte[] PROGRAM = "the program".getBytes(StandardCharsets.UTF_8);
    private static final String URL = "http://artifacts.example/app";
    private static final ProgramSpec SPEC =
            new ProgramSpec(
                    new BinaryName("app"),
                    "simulated",
                    new LaunchSpec(
                            new NodePath("/opt/app"),
                            "",
                            List.of(),
                            Map.of(),
                            "",
                            ProgramDigestSource.EXE),
                    List.of());

    private static final Probe PROBE =
            new Probe(
                    "alive",
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ZERO,
                    new Probe.Check.ProcessAlive(),
                    new Probe.StatusWhileFailing.HealthWhileFailing(ApplicationHealth.CRITICAL));

    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SimulatedProcesses processes =
            new SimulatedProcesses(disk, ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS);

    private AgentCore care() {
        return care(SPEC);
    }

    private AgentCore care(ProgramSpec spec) {
        disk.putDurableFile(
                LAYOUT.stateDirectory().resolve("keep"), new byte[0], FileAttributes.PRIVATE);
        disk.putDurableFile(LAYOUT.root().resolve("keep"), new byte[0], FileAttributes.PRIVATE);
        SimulatedFetcher fetcher = new SimulatedFetcher(Map.of(URL, PROGRAM));
        Random random = new Random(1);
        InitialProgramInstaller.installSimulated(
                LAYOUT,
                List.of(
                        new InitialProgramInstallation(
                                spec,
                                "v1",
                                URL,
                                Digest.of(PROGRAM),
                                Map.of(new NodePath("/etc/app.toml"), "a = 1"))),
                disk,
                random,
                fetcher,
                processes,
                ticker);
        return new AgentCore(
                new OpsAgentConfig(
                        LAYOUT.stateDirectory(),
                        LAYOUT.root(),
                        List.of(new GatewayAddress("in-process:nobody")),
                        "secret",
                        "simulated",
                        Duration.ZERO,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        "test"),
                new OpsAgent.Dependencies(
                        disk,
                        processes,
                        fetcher,
                        (_, _, _) -> "",
                        ticker,
                        random,
                        Duration.ofHours(1),
                        _ -> ExecutorLock.alwaysHeld()),
                true,
                () -> {});
    }

    @Test
    @DisplayName("what should run is looked for first when work begins, and by nobody before")
    void startsWhatShouldRunBeforeItTakesOnAnything() {
        AgentCore care = care();
        care.startIncarnation();
        care.supervisePrograms();
        assertThat(processes.allProcesses()).as("nobody has decided yet what should run").isEmpty();
        care.processPending();
        assertThat(processes.allProcesses().values()).containsExactly(Digest.of(PROGRAM));
    }

    @ParameterizedTest
    @DisplayName("D9: the drift of a missing file says that it is missing, not that it changed")
    @ValueSource(strings = {"/etc/app.toml", "/opt/app"})
    void reportsAMissingFileAsMissing(String missing) {
        AgentCore care = care();
        care.startIncarnation();
        care.processPending();
        disk.delete(LAYOUT.root().resolve(missing.substring(1)));
        assertThat(care.buildReport(1).findings())
                .extracting(AgentFinding::detail)
                .singleElement()
                .asString()
                .contains(missing + " is missing")
                .doesNotContain("changed after", "managed: merge");
    }

    @Test
    @DisplayName("D15: a full disk is a finding before any command; the reserve needs no restart")
    void reportsAFullDiskAndRenewsTheReserveWithoutARestart() {
        AgentCore care = care();
        care.startIncarnation();
        care.processPending();
        Map<Path, Long> reserve = reserveFiles();
        assertThat(reserve).hasSize(4);
        assertThat(findingCodes(care)).isEmpty();
        disk.limitNewFiles(0);
        assertThat(findingCodes(care)).as("before a rollout").containsExactly("DISK_FULL");
        for (long attempt = 1; attempt <= 3; attempt++) {
            care.onCommand(SimulatedNode.upgrade(attempt));
            care.processPending();
            Journal last = Objects.requireNonNull(care.statusSlot().currentStatus()).journal();
            assertThat(last.attempt()).isEqualTo(attempt);
            assertThat(last.ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        }
        care.processPending();
        assertThat(reserveFiles()).as("used").hasSizeLessThan(4);
        assertThat(findingCodes(care)).containsExactly("DISK_FULL");
        disk.limitNewFiles(20);
        care.processPending();
        assertThat(reserveFiles()).isEqualTo(reserve);
        assertThat(findingCodes(care)).isEmpty();
    }

    @Test
    @DisplayName("D15: while the reserve is complete, nothing is written")
    void writesNothingWhileTheReserveIsComplete() {
        AgentCore care = care();
        care.startIncarnation();
        care.processPending();
        int[] writes = {0};
        disk.setWriteHook(() -> writes[0]++);
        disk.limitNewFiles(0);
        care.processPending();
        care.buildReport(1);
        disk.limitNewFiles(20);
        care.processPending();
        assertThat(writes[0]).isZero();
    }

    @Test
    @DisplayName("D15: a directory that cannot be written is a finding until it can")
    void reportsADirectoryThatCannotBeWritten() {
        AgentCore care = care();
        care.startIncarnation();
        care.processPending();
        disk.setWriteHook(
                () -> {
                    throw new DiskFailure(
                            "Read-only file system", false, new IllegalStateException());
                });
        care.onCommand(SimulatedNode.upgrade(1));
        care.processPending();
        assertThat(care.statusSlot().currentStatus()).as("nothing durable").isNull();
        assertThat(findingCodes(care)).containsExactly("DISK_ERROR");
        disk.setWriteHook(() -> {});
        care.processPending();
        assertThat(findingCodes(care)).isEmpty();
    }

    private static List<String> findingCodes(AgentCore care) {
        return care.buildReport(1).findings().stream().map(AgentFinding::code).toList();
    }

    private Map<Path, Long> reserveFiles() {
        return disk.list(LAYOUT.stateDirectory().resolve("attempts")).stream()
                .filter(file -> String.valueOf(file.getFileName()).startsWith("reserve"))
                .collect(Collectors.toMap(file -> file, disk::size));
    }

    @Test
    @DisplayName("A crash loop whose program file is gone names the file, and so does its log")
    void namesTheMissingFileOfACrashLoop() {
        AgentCore care = care();
        care.startIncarnation();
        care.processPending();
        disk.delete(LAYOUT.root().resolve("opt/app"));
        processes.allProcesses().keySet().forEach(processes::crash);
        for (int i = 0; i < 5; i++) {
            ticker.pause(Duration.ofSeconds(20));
            care.supervisePrograms();
        }
        SelfReport report = care.buildReport(1);
        assertThat(report.findings())
                .filteredOn(finding -> finding.code().equals("CRASH_LOOP"))
                .extracting(AgentFinding::detail)
                .singleElement()
                .asString()
                .contains("there is no file /opt/app");
        assertThat(report.programs().getFirst().signals().details().getFirst())
                .contains("there is no file /opt/app");
        care.onLogRequest(new LogRequestHandler.Request("r1", "app"));
        care.readRequestedLog();
        assertThat(care.takeLogResponse().orElseThrow().detail())
                .contains("there is no file /opt/app");
    }

    @Test
    @DisplayName("How an earlier run ended is no problem of a program that is healthy now")
    void reportsNoEarlierCrashOfAHealthyProgram() {
        AgentCore care =
                care(new ProgramSpec(SPEC.name(), SPEC.runtime(), SPEC.launch(), List.of(PROBE)));
        care.startIncarnation();
        care.processPending();
        processes.allProcesses().keySet().forEach(processes::crash);
        ticker.pause(Duration.ofSeconds(20));
        care.supervisePrograms();
        assertThat(processes.allProcesses()).hasSize(1);
        assertThat(details(care)).singleElement().asString().startsWith("its last run ended");
        care.runDueProbes();
        assertThat(details(care)).isEmpty();
    }

    private static List<String> details(AgentCore care) {
        return care.buildReport(1).programs().getFirst().signals().details();
    }
}
