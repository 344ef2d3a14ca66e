package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.adopt.ProgramAdopter;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.main.Waits;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that somebody else started are taken over as they are. */
class UnmanagedProcessSelectorTest {
    private static final BinaryName NAP = new BinaryName("nap");
    private static final NodePath PROGRAM = new NodePath("/opt/nap");
    private static final NodePath CONFIG = new NodePath("/etc/nap.conf");

    @TempDir Path folder;
    private final List<Process> started = new ArrayList<>();
    private Path root;
    private Path program;
    private StateDirectory state;

    @BeforeEach
    void aProgram() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sleep")), "Skipped: no /bin/sleep to copy");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "Skipped: no setsid");
        root = folder.toRealPath().resolve("root");
        program = root.resolve("opt/nap");
        Files.createDirectories(root.resolve("opt"));
        Files.createDirectories(root.resolve("etc"));
        Files.copy(Path.of("/bin/sleep"), program);
        Files.writeString(root.resolve("etc/nap.conf"), "deep = 1");
        state =
                new StateDirectory(
                        folder.resolve("state"),
                        new DurableFiles(new LocalDisk(), new SecureRandom()));
    }

    @AfterEach
    void nothingIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("DEPTH", "3");
        Process process = builder.start();
        started.add(process);
        await().atMost(Waits.LIMIT).until(() -> Files.isSameFile(program, exe(process)));
        return process;
    }

    private static Path exe(Process process) {
        return Path.of("/proc", Long.toString(process.pid()), "exe");
    }

    private ProcessRuntime runtime() {
        SystemTicker ticker = new SystemTicker();
        return new ProcessRuntime(
                ProcessRuntime.PROCESS,
                new RuntimeContext(
                        state,
                        root,
                        new SimulatedFetcher(Map.of()),
                        new LinuxProcesses(ticker),
                        ticker,
                        Duration.ZERO));
    }

    private static AdoptionRequest request(String depth, String... arguments) {
        LaunchSpec launch =
                new LaunchSpec(
                        PROGRAM,
                        "",
                        List.of(arguments),
                        Map.of("DEPTH", depth),
                        "",
                        ProgramDigestSource.EXE);
        ProgramSpec spec = new ProgramSpec(NAP, "process", launch, List.of());
        return new AdoptionRequest(new ProgramProfile(spec, List.of(CONFIG)), "v1", "", List.of());
    }

    @Test
    @DisplayName("D4: a process that was adopted is the one that the agent sees and stops")
    void adoptsAProcessThatAnotherStarted() throws Exception {
        Process nap = start("setsid", program.toString(), "600");
        ProcessRuntime runtime = runtime();
        ProgramAdopter adopter = new ProgramAdopter(state, runtime);
        adopter.recordAndAdopt(adopter.inspect(request("3", "{path}", "600")));
        ProcessRuntime agent = runtime();
        agent.adopt(NAP);
        assertThat(agent.status(NAP))
                .isInstanceOfSatisfying(
                        ProgramState.Up.class,
                        up -> {
                            assertThat(up.runId()).contains(":" + nap.pid() + ":");
                            assertThat(up.digest()).isEqualTo(new Digest(agent.digestOf(PROGRAM)));
                        });
        assertThat(nap.isAlive()).isTrue();
        agent.stop(
                NAP,
                StopSettings.RUNTIME_DEFAULT,
                new SystemTicker().deadlineIn(Duration.ofSeconds(20)));
        assertThat(nap.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void refusesWhatDoesNotRun() {
        refused(request("3", "{path}", "600"), ReasonCode.NOT_RUNNING, "start the program");
    }

    @Test
    void refusesAProcessThatWasStartedOtherwise() throws IOException {
        start("setsid", program.toString(), "600");
        refused(request("3", "{path}", "700"), ReasonCode.OTHER_PROGRAM, "profile's arguments");
        refused(request("4", "{path}", "600"), ReasonCode.OTHER_PROGRAM, "without DEPTH");
    }

    @Test
    @DisplayName("A placeholder in the environment is compared by what it stands for")
    void adoptsAProcessWithAPlaceOnTheNodeInItsEnvironment() throws IOException {
        start("setsid", "env", "DEPTH=" + root + "/3", program.toString(), "600");
        refused(request("{path}/3", "{path}", "600"), ReasonCode.OTHER_PROGRAM, "without DEPTH");
        ProgramAdopter adopter = new ProgramAdopter(state, runtime());

        adopter.recordAndAdopt(adopter.inspect(request("{root}/3", "{path}", "600")));

        ProcessRuntime agent = runtime();
        agent.adopt(NAP);
        assertThat(agent.status(NAP)).isInstanceOf(ProgramState.Up.class);
    }

    @Test
    @DisplayName("D4: what shares its session with others cannot be stopped as a whole")
    void refusesAProcessInTheSessionOfOthers() throws IOException {
        start(program.toString(), "600");
        refused(request("3", "{path}", "600"), ReasonCode.PROGRAM_REFUSED, "start it with setsid");
    }

    @Test
    void refusesToChooseBetweenTwo() throws IOException {
        start("setsid", program.toString(), "600");
        start("setsid", program.toString(), "600");
        refused(request("3", "{path}", "600"), ReasonCode.PROGRAM_REFUSED, "2 processes run");
    }

    @Test
    @DisplayName("D5: a file that was replaced since the start proves nothing")
    void refusesAFileThatWasReplaced() throws IOException {
        start("setsid", program.toString(), "600");
        Path next = Files.copy(Path.of("/bin/sleep"), root.resolve("opt/next"));
        Files.move(next, program, StandardCopyOption.REPLACE_EXISTING);
        refused(request("3", "{path}", "600"), ReasonCode.OTHER_PROGRAM, "was replaced");
    }

    private void refused(AdoptionRequest request, ReasonCode reason, String why) {
        ProgramAdopter adopter = new ProgramAdopter(state, runtime());
        assertThatThrownBy(() -> adopter.inspect(request))
                .isInstanceOfSatisfying(
                        ActionFailed.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(why);
        assertThat(folder.resolve("state")).doesNotExist();
    }
}
