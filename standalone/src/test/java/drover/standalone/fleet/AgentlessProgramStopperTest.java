package drover.standalone.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.Await;
import drover.localenv.NodeDirectory;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
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
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node))).isEqualTo(1);
        assertThat(program.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void leavesTheRunsThatAreKept() throws Exception {
        NodeDirectory node = node(marker);
        assertThat(AgentlessProgramStopper.listActiveRuns(List.of(node))).isEmpty();
        program = sleeping(marker);
        Set<AgentlessProgramStopper.RecordedRun> running =
                AgentlessProgramStopper.listActiveRuns(List.of(node));
        assertThat(running)
                .extracting(AgentlessProgramStopper.RecordedRun::marker)
                .containsExactly(marker);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), running)).isZero();
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
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node))).isEqualTo(2);
        assertThat(running).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void leavesAnAdoptedProgramThatIsKept() throws Exception {
        program = new ProcessBuilder("sleep", "60").start();
        NodeDirectory node = adoptingNode(program.pid(), startTicks(program.pid()), bootId());
        Set<AgentlessProgramStopper.RecordedRun> running =
                AgentlessProgramStopper.listActiveRuns(List.of(node));
        assertThat(running).hasSize(1);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), running)).isZero();
        assertThat(program.isAlive()).isTrue();
    }

    /** Process numbers are used again: after a reboot, and within one boot. */
    @Test
    void leavesAProcessThatOnlyHasTheNumberOfAnAdoptedProgram() throws Exception {
        program = new ProcessBuilder("sleep", "60").start();
        long ticks = startTicks(program.pid());
        NodeDirectory earlier = adoptingNode(program.pid(), ticks - 1, bootId());
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(earlier))).isZero();
        NodeDirectory rebooted = adoptingNode(program.pid(), ticks, "another boot");
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(rebooted))).isZero();
        assertThat(program.isAlive()).isTrue();
    }

    @Test
    void leavesEverybodyElseAlone() throws Exception {
        program = sleeping("another run");
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node(marker)))).isZero();
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
        AgentlessProgramStopper.stopAllButExternal(List.of());
        assertThat(program.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private NodeDirectory node(String run) throws IOException {
        NodeDirectory node = new NodeDirectory(folder.resolve("edge-1"));
        Path directory = Files.createDirectories(node.state().resolve("run/greeter"));
        Files.writeString(directory.resolve("run.json"), "{\"marker\":\"" + run + "\"}");
        return node;
    }

    private NodeDirectory adoptingNode(long pid, long startTicks, String boot) throws IOException {
        NodeDirectory node = node("");
        String record =
                """
                {"desired": true, "marker": "", "first": {"number": %d, "startTicks": %d},
                 "bootId": "%s"}"""
                        .formatted(pid, startTicks, boot);
        Files.writeString(node.state().resolve("run/greeter/run.json"), record);
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
