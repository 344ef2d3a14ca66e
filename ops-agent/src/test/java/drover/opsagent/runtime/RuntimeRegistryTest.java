package drover.opsagent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AutoAdvancingTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which runtimes an agent has. */
class RuntimeRegistryTest {
    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @ValueSource(strings = {"process", "simulated"})
    void opensTheRuntimesThatComeWithTheAgent(String name) {
        assertThat(RuntimeRegistry.builtIn(Map.of()).open(name, ports()).name()).isEqualTo(name);
    }

    @Test
    void listsTheRuntimesForAnUnknownOne() {
        assertThatThrownBy(() -> RuntimeRegistry.builtIn(Map.of()).open("podman", ports()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'podman' is no runtime of this agent, which has ")
                .hasMessageContaining("process");
    }

    @Test
    void refusesSystemdWhereItDoesNotRunTheMachine() {
        assumeFalse(
                Files.isDirectory(Path.of("/run/systemd/system")),
                "Skipped: systemd runs this machine");
        assertThatThrownBy(() -> RuntimeRegistry.builtIn(Map.of()).open("systemd", ports()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("systemd does not run this machine: choose another --runtime.");
    }

    @Test
    void refusesADirectoryThatIsNotThere() {
        assertThatThrownBy(() -> RuntimeRegistry.withPlugins(Path.of("/not/there"), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The runtimes in /not/there cannot be read: check the directory.");
    }

    @Test
    void rejectsAJarThatAnotherUserMayHaveWritten(@TempDir Path folder) throws IOException {
        Path jar = Files.writeString(folder.resolve("podman.jar"), "");
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-r--"));
        assertThatThrownBy(() -> RuntimeRegistry.withPlugins(folder, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("podman.jar must be a plain file of")
                .hasMessageContaining("that nobody else may write");
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> RuntimeRegistry.withPlugins(folder, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be a plain directory of");
    }

    private RuntimeContext ports() {
        StateDirectory state =
                new StateDirectory(Path.of("/state"), new DurableFiles(disk, new Random(1)));
        return new RuntimeContext(
                state,
                Path.of("/node"),
                new SimulatedFetcher(Map.of()),
                new SimulatedProcesses(disk, ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS),
                ticker,
                Duration.ofSeconds(1));
    }
}
