package drover.standalone.fleet;

import static org.assertj.core.api.Assertions.assertThat;

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
        assertThat(AgentlessProgramStopper.runningMarkers(List.of(node))).isEmpty();
        program = sleeping(marker);
        Set<String> running = AgentlessProgramStopper.runningMarkers(List.of(node));
        assertThat(running).containsExactly(marker);
        assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(node), running)).isZero();
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

    private static Process sleeping(String run) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sleep", "60");
        builder.environment().put("DROVER_RUN", run);
        return builder.start();
    }
}
