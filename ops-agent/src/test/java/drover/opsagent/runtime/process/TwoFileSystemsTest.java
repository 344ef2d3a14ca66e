package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.ForwardingDisk;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.ManualTicker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** D16: the node's files and the agent's own directory may be on different file systems. */
class TwoFileSystemsTest {
    private static final long NEEDED = 100;

    private static ProcessRuntime runtime(long freeForTheNode, long freeForTheAgent) {
        SimulatedDisk disk = new SimulatedDisk();
        ManualTicker ticker = new ManualTicker();
        ForwardingDisk two =
                new ForwardingDisk(disk) {
                    @Override
                    public long freeBytes(Path path) {
                        return path.startsWith(SimulatedNode.STATE)
                                ? freeForTheAgent
                                : freeForTheNode;
                    }
                };
        return new ProcessRuntime(
                "simulated",
                new RuntimeContext(
                        new StateDirectory(
                                SimulatedNode.STATE, new DurableFiles(two, new Random(1))),
                        SimulatedNode.ROOT,
                        new SimulatedFetcher(Map.of()),
                        new SimulatedProcesses(
                                disk, ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS),
                        ticker,
                        Duration.ofSeconds(1)));
    }

    @ParameterizedTest(name = "free for the node: {0}, free for the agent: {1}")
    @DisplayName("D16: an upgrade needs room on both file systems")
    @CsvSource({
        "100, 100, true",
        "99, 100, false",
        "100, 99, false",
        "1000000, 99, false",
        "99, 1000000, false"
    })
    void needsSpaceOnBoth(long freeForTheNode, long freeForTheAgent, boolean enough) {
        ProcessRuntime runtime = runtime(freeForTheNode, freeForTheAgent);
        if (enough) {
            assertThatCode(() -> runtime.requireFreeSpace(NEEDED, 1)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> runtime.requireFreeSpace(NEEDED, 1))
                    .isInstanceOfSatisfying(
                            ActionFailed.class,
                            failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.DISK_FULL));
        }
    }
}
