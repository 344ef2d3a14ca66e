package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.ProcessRuntime;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.time.AutoAdvancingTicker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's own directories on the machine's disk, and somebody who was there before it. */
class StateDirectoryPermissionsTest {
    private static final Artifact ARTIFACT =
            new Artifact(SimulatedNode.URL, Digest.of(SimulatedNode.NEW), SimulatedNode.NEW.length);

    @TempDir Path directory;
    private Path outside;
    private Path own;
    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();

    @BeforeEach
    void directoryOfAnotherUser() throws IOException {
        outside = Files.createDirectory(directory.resolve("outside"));
        own = directory.resolve("state");
        Files.createDirectory(directory.resolve("node"));
    }

    private StateDirectory state() {
        LocalDisk disk = LocalDisk.withJail(directory.resolve("node"), own);
        return new StateDirectory(own, new DurableFiles(disk, new Random(1)));
    }

    private ProcessRuntime runtime(StateDirectory state) {
        SimulatedProcesses processes =
                new SimulatedProcesses(
                        state.files().disk(), ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS);
        return new ProcessRuntime(
                "simulated",
                new RuntimeContext(
                        state,
                        directory.resolve("node"),
                        new SimulatedFetcher(Map.of(SimulatedNode.URL, SimulatedNode.NEW)),
                        processes,
                        ticker,
                        Duration.ofSeconds(1)));
    }

    private void acquire(StateDirectory state, Path staged) {
        runtime(state).acquire(ARTIFACT, staged, ticker.deadlineIn(Duration.ofMinutes(1)), _ -> {});
    }

    private void open(StateDirectory state) {
        new CommandProcessor(state, runtime(state), ticker, new StatusSlot(ticker, () -> {}), true)
                .startIncarnation();
    }

    private static String mode(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("H12: what is staged lies in a directory of the agent alone")
    void keepsOthersOut() throws IOException {
        Files.createDirectories(own.resolve("staging"));
        for (Path made : new Path[] {own, own.resolve("staging")}) {
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        StateDirectory state = state();
        open(state);
        Path staged = state.staging().resolve("staged");
        acquire(state, staged);
        assertThat(mode(own)).isEqualTo("rwx------");
        assertThat(mode(state.staging())).isEqualTo("rwx------");
        assertThat(mode(staged)).isEqualTo("rw-------");
    }

    @Test
    @DisplayName("H12: a link in the place of the agent's directory is refused")
    void refusesALinkAsItsDirectory() throws IOException {
        Files.createSymbolicLink(own, outside);
        assertThatThrownBy(() -> open(state()))
                .isInstanceOf(DiskFailure.class)
                .hasMessage(own + " is no directory: File exists");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    @DisplayName("H12: a link in the place of the staging directory is refused")
    void refusesALinkAsItsStagingDirectory() throws IOException {
        StateDirectory state = state();
        open(state);
        Files.createSymbolicLink(state.staging(), outside);
        assertThatThrownBy(() -> acquire(state, state.staging().resolve("staged")))
                .isInstanceOf(DiskFailure.class)
                .hasMessage(state.staging() + " is no directory: File exists");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    @DisplayName("H12: a link in the place of what is to be staged is refused")
    void refusesALinkAsWhatIsStaged() throws IOException {
        StateDirectory state = state();
        open(state);
        state.createStaging();
        Path staged = state.staging().resolve("staged");
        Files.createSymbolicLink(staged, outside.resolve("taken"));
        assertThatThrownBy(() -> acquire(state, staged)).isInstanceOf(DiskFailure.class);
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    @DisplayName("H12: a link in the place of the lock is refused")
    void refusesALinkAsItsLock() throws IOException {
        Files.createDirectory(own);
        Files.createSymbolicLink(own.resolve("executor.lock"), outside.resolve("taken"));
        assertThatThrownBy(() -> ExecutorLock.tryAcquire(own).close())
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("The state directory " + own + " cannot be used");
        assertThat(outside).isEmptyDirectory();
    }
}
