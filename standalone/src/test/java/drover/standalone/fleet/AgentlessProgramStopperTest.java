package drover.standalone.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.Await;
import drover.localenv.NodeDirectory;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.process.RunRecord;
import drover.opsagent.store.StateJson;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, marked as the agent marks them. */
class AgentlessProgramStopperTest {
    @TempDir Path folder;

    private final String marker = UUID.randomUUID().toString();
    private @Nullable Process program; // null before it is started

    @AfterEach
    void leaveNoProcess() {
        if (program != null) {
            program.destroyForcibly();
        }
    }

    @Test
    void endsTheProgramsThatAKilledDeploymentLeftBehind() throws Exception {
        NodeDirectory node = node(marker);
        program = sleeping(marker);
        assertThat(AgentlessProgramStopper.processesOf(List.of(node)))
                .extracting(ProcessHandle::pid)
                .containsExactly(program.pid());
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), _ -> {})).isEqualTo(1);
        assertThat(program.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void leavesTheRunsThatAreKept() throws Exception {
        NodeDirectory node = node(marker);
        assertThat(AgentlessProgramStopper.listActiveRuns(List.of(node))).isEmpty();
        program = sleeping(marker);
        Set<RecordedProgramRun> running = AgentlessProgramStopper.listActiveRuns(List.of(node));
        assertThat(running).extracting(RecordedProgramRun::marker).containsExactly(marker);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), running, _ -> {}))
                .isZero();
        assertThat(program.isAlive()).isTrue();
    }

    /** An adopted program was started without a marker, and its children know none. */
    @Test
    void stopsAnAdoptedProgramWithItsChildren() throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", "sleep 60 & wait").start();
        program = shell;
        NodeDirectory node = adoptingNode(shell.pid(), startTicks(shell.pid()), bootId());
        assertThat(Await.until(Waits.LIMIT, () -> shell.children().count() == 1)).isTrue();
        List<ProcessHandle> running = AgentlessProgramStopper.processesOf(List.of(node));
        assertThat(running)
                .extracting(ProcessHandle::pid)
                .contains(shell.pid(), shell.children().findFirst().orElseThrow().pid())
                .hasSize(2);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), _ -> {})).isEqualTo(2);
        assertThat(running).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void leavesAnAdoptedProgramThatIsKept() throws Exception {
        program = new ProcessBuilder("sleep", "60").start();
        NodeDirectory node = adoptingNode(program.pid(), startTicks(program.pid()), bootId());
        Set<RecordedProgramRun> running = AgentlessProgramStopper.listActiveRuns(List.of(node));
        assertThat(running).hasSize(1);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), running, _ -> {}))
                .isZero();
        assertThat(program.isAlive()).isTrue();
    }

    /** Process numbers are used again: after a reboot, and within one boot. */
    @Test
    void leavesAProcessThatOnlyHasTheNumberOfAnAdoptedProgram() throws Exception {
        program = new ProcessBuilder("sleep", "60").start();
        long ticks = startTicks(program.pid());
        NodeDirectory earlier = adoptingNode(program.pid(), ticks - 1, bootId());
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(earlier), _ -> {})).isZero();
        NodeDirectory rebooted = adoptingNode(program.pid(), ticks, "another boot");
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(rebooted), _ -> {})).isZero();
        assertThat(program.isAlive()).isTrue();
    }

    @Test
    void leavesEverybodyElseAlone() throws Exception {
        program = sleeping("another run");
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node(marker)), _ -> {}))
                .isZero();
        assertThat(program.isAlive()).isTrue();
    }

    @Test
    void endsTheProbesThatAKilledDeploymentLeftBehind() throws Exception {
        Path namespace = Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
        long self = ProcessHandle.current().pid();
        String earlierProcess = self + "-1-1"; // of the same number, started when the machine was
        program =
                sleeping(
                        "probe-"
                                + namespace.toString().replaceAll("\\D", "")
                                + "-"
                                + earlierProcess);
        AgentlessProgramStopper.stopAllButExternal(List.of(), _ -> {});
        assertThat(program.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void sendsTheSignalOfTheProgram() throws Exception {
        Path ended = folder.resolve("ended");
        String script = "trap '' TERM; trap 'touch " + ended + "; exit' USR1";
        program = looping(script);
        StopSettings stop =
                new StopSettings(Optional.of(StopSignal.USR1), Optional.of(Duration.ofHours(1)));
        List<NodeDirectory> nodes = List.of(node(marker, Pid.NONE, "", stop));
        assertThat(AgentlessProgramStopper.stopAllButExternal(nodes, _ -> {})).isPositive();
        assertThat(program.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(ended).exists();
        assertThat(AgentlessProgramStopper.longestStop(nodes)).isGreaterThan(Duration.ofHours(1));
    }

    @Test
    void killsAProgramAfterItsOwnTimeoutAndReportsThat() throws Exception {
        program = looping("trap '' TERM");
        StopSettings stop = new StopSettings(Optional.empty(), Optional.of(Duration.ofSeconds(1)));
        List<String> progress = new ArrayList<>();
        AgentlessProgramStopper.stopAllButExternal(
                List.of(node(marker, Pid.NONE, "", stop)), progress::add);
        assertThat(program.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(progress)
                .contains(
                        "greeter of node edge-1 did not end within 1 s of SIGTERM: it is killed.");
    }

    /** Otherwise another user's record could make root stop any process. */
    @Test
    void leavesAProcessThatIsNotOfTheOwnerOfTheRecord() throws Exception {
        program = new ProcessBuilder("sleep", "60").start();
        NodeDirectory node = adoptingNode(program.pid(), startTicks(program.pid()), bootId());
        Path record = node.state().resolve("run/greeter/run.json");
        Assumptions.assumeTrue(
                "root".equals(Files.getOwner(record).getName()), "only root can set an owner");
        UserPrincipal other =
                record.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName("nobody");
        Files.setOwner(record, other);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), _ -> {})).isZero();
        assertThat(program.isAlive()).isTrue();
    }

    private Process looping(String script) throws IOException {
        Path ready = folder.resolve("ready");
        ProcessBuilder builder =
                new ProcessBuilder(
                        "sh", "-c", script + "; touch " + ready + "; while :; do sleep 0.1; done");
        builder.environment().put("DROVER_RUN", marker);
        Process started = builder.start();
        assertThat(Await.until(Waits.LIMIT, () -> Files.exists(ready))).isTrue();
        return started;
    }

    private NodeDirectory node(String run) throws IOException {
        return node(run, Pid.NONE, "", StopSettings.RUNTIME_DEFAULT);
    }

    private NodeDirectory adoptingNode(long pid, long startTicks, String boot) throws IOException {
        return node("", new Pid(pid, startTicks), boot, StopSettings.RUNTIME_DEFAULT);
    }

    private NodeDirectory node(String run, Pid first, String boot, StopSettings stop)
            throws IOException {
        NodeDirectory node = new NodeDirectory(folder.resolve("edge-1"));
        Path directory = Files.createDirectories(node.state().resolve("run/greeter"));
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/opt/greeter"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE,
                        stop);
        Digest any = Digest.of("");
        RunRecord record = new RunRecord(true, run, first, boot, any, any, launch, 0, 0, 0);
        Files.write(directory.resolve("run.json"), new StateJson().write(record));
        return node;
    }

    private static String bootId() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    }

    private static long startTicks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19]);
    }

    private static Process sleeping(String run) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sleep", "60");
        builder.environment().put("DROVER_RUN", run);
        return builder.start();
    }
}
