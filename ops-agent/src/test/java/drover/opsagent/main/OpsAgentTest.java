package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.ForwardingDisk;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.fetch.SimulatedFetcher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts of agents that fail. */
class OpsAgentTest {
    private final SimulatedDisk disk = EmptyNode.disk();

    @TempDir Path lockDirectory;

    @Test
    @DisplayName("C8: an agent that cannot read its own files does not keep its node locked")
    void releasesTheLockIfItsOwnFilesAreDamaged() {
        disk.putDurableFile(
                EmptyNode.LAYOUT.stateDirectory().resolve("agent.json"),
                "damaged".getBytes(StandardCharsets.UTF_8),
                FileAttributes.PRIVATE);

        assertThatThrownBy(() -> startAgent(disk)).hasMessageContaining("agent.json");

        assertThatNodeIsNotLocked();
    }

    @Test
    @DisplayName("C8: an agent whose start fails does not keep its node locked")
    void releasesTheLockIfTheDiskFailsAtTheStart() {
        Disk failing =
                new ForwardingDisk(disk) {
                    @Override
                    public void syncDirectory(Path directory) {
                        throw new DiskFailure("Cannot sync", false, new IOException("broken"));
                    }
                };

        assertThatThrownBy(() -> startAgent(failing)).isInstanceOf(DiskFailure.class);

        assertThatNodeIsNotLocked();
    }

    private void assertThatNodeIsNotLocked() {
        try (ExecutorLock next = ExecutorLock.tryAcquire(lockDirectory)) {
            assertThat(next.isHeld()).isTrue();
        }
    }

    private void startAgent(Disk on) {
        OpsAgent.Dependencies simulated =
                OpsAgent.Dependencies.simulated(
                        on,
                        EmptyNode.processes(disk),
                        new SimulatedFetcher(Map.of()),
                        new Random(1));
        OpsAgent.start(
                EmptyNode.config("no-gateway", Duration.ofSeconds(1)),
                new OpsAgent.Dependencies(
                        simulated.disk(),
                        simulated.processes(),
                        simulated.fetcher(),
                        simulated.probes(),
                        simulated.ticker(),
                        simulated.random(),
                        simulated.supervisionInterval(),
                        _ -> ExecutorLock.tryAcquire(lockDirectory)));
    }
}
