package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.NodeLayout;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.AgentFinding;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.engine.LogRequestHandler;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.SelfReport;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.time.ManualTicker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("D12: what an agent does for its node")
final class AgentCoreTest {
    private static final NodeLayout LAYOUT = new NodeLayout(Path.of("/state"), Path.of("/node"));
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

    private final ManualTicker ticker = new ManualTicker();
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
                care(
                        new ProgramSpec(
                                SPEC.name(), SPEC.runtime(), SPEC.launch(), List.of(PROBE)));
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
