package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodePath;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.ForwardingDisk;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AutoAdvancingTicker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** D16, B29: each new file needs room on the file system of its own directory. */
class TwoFileSystemsTest {
    private static final long STATE_DEVICE = 1;
    private static final long APP_DEVICE = 2;
    private static final long ROOT_DEVICE = 3;
    private static final NodePath APP = new NodePath("/opt/app/bin/app");
    private static final NodePath CONFIG = new NodePath("/opt/app/new/directory/app.toml");

    /** The agent's directory and /opt/app are mounts of their own; nothing lies on the root. */
    private static ProcessRuntime runtime(Map<Long, Long> freeBytes, Map<Long, Long> freeFiles) {
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(
                SimulatedNode.ROOT.resolve("opt/app/bin/app"),
                SimulatedNode.OLD,
                FileAttributes.PROGRAM);
        disk.createDirectory(SimulatedNode.STATE);
        AutoAdvancingTicker ticker = new AutoAdvancingTicker();
        ForwardingDisk mounted =
                new ForwardingDisk(disk) {
                    @Override
                    public DeviceAndLinkCount identity(Path path) {
                        return new DeviceAndLinkCount(device(path), 1);
                    }

                    @Override
                    public long freeBytes(Path path) {
                        return freeBytes.getOrDefault(device(path), Long.MAX_VALUE);
                    }

                    @Override
                    public long freeFiles(Path path) {
                        return freeFiles.getOrDefault(device(path), Long.MAX_VALUE);
                    }
                };
        return new ProcessRuntime(
                "simulated",
                new RuntimeContext(
                        new StateDirectory(
                                SimulatedNode.STATE, new DurableFiles(mounted, new Random(1))),
                        SimulatedNode.ROOT,
                        new SimulatedFetcher(Map.of()),
                        new SimulatedProcesses(
                                disk, ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS),
                        ticker,
                        Duration.ofSeconds(1)));
    }

    private static long device(Path path) {
        if (path.startsWith(SimulatedNode.ROOT.resolve("opt/app"))) {
            return APP_DEVICE;
        }
        return path.startsWith(SimulatedNode.ROOT) ? ROOT_DEVICE : STATE_DEVICE;
    }

    private static void requireSpace(ProcessRuntime runtime) {
        runtime.requireFreeSpace(100, 3, Map.of(APP, 60L, CONFIG, 40L));
    }

    @ParameterizedTest(name = "bytes free: agent {0}, /opt/app {1}, root {2}")
    @DisplayName("D16: bytes are counted on the file system of each directory")
    @CsvSource({
        "100, 8292, 0, ''", // two directories of 4 KiB
        "100, 8291, 1000000, /opt/app",
        "99, 8292, 1000000, /state",
    })
    void countsBytesByFileSystem(long agent, long app, long root, String full) {
        requireFound(
                runtime(Map.of(STATE_DEVICE, agent, APP_DEVICE, app, ROOT_DEVICE, root), Map.of()),
                full);
    }

    @ParameterizedTest(name = "files free: agent {0}, /opt/app {1}, root {2}")
    @DisplayName("B29: so are files, and directories that are created for them")
    @CsvSource({"3, 4, 0, ''", "3, 3, 1000000, /opt/app", "2, 4, 1000000, /state"})
    void countsFilesByFileSystem(long agent, long app, long root, String full) {
        requireFound(
                runtime(Map.of(), Map.of(STATE_DEVICE, agent, APP_DEVICE, app, ROOT_DEVICE, root)),
                full);
    }

    private static void requireFound(ProcessRuntime runtime, String full) {
        if (full.isEmpty()) {
            assertThatCode(() -> requireSpace(runtime)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> requireSpace(runtime))
                    .isInstanceOfSatisfying(
                            ActionFailed.class,
                            failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.DISK_FULL))
                    .hasMessageContaining(full);
        }
    }
}
