package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A gate that the agent puts up and takes away, and what is not its own beside it. */
class DropInGateTest {
    private static final UnitName UNIT = new UnitName("app.service");
    private static final Path UNITS = Path.of("/etc/systemd/system");
    private static final Path DIRECTORY = UNITS.resolve("app.service.d");

    private final SimulatedDisk disk = new SimulatedDisk();
    private final DurableFiles files = new DurableFiles(disk, new Random(1));
    private final StartGate gate = new DropInGate(files, UNITS);

    @Test
    @DisplayName("D3: a directory that was made for the gate goes with it, also by another agent")
    void removesWhatItCreated() {
        disk.putDurableFile(UNITS.resolve("app.service"), new byte[0], FileAttributes.CONFIG);
        gate.close(UNIT);
        gate.close(UNIT); // asked for again
        new DropInGate(files, UNITS).open(UNIT);
        assertThat(disk.kind(DIRECTORY)).isEqualTo(Disk.EntryKind.ABSENT);
    }

    @Test
    @DisplayName("the owner's directory stays, though nothing else is in it")
    void leavesWhatIsNotItsOwn() {
        files.createDirectories(DIRECTORY);
        gate.close(UNIT);
        assertThat(gate.isClosed(UNIT)).isTrue();
        gate.open(UNIT);
        assertThat(gate.isClosed(UNIT)).isFalse();
        assertThat(disk.kind(DIRECTORY)).isEqualTo(Disk.EntryKind.DIRECTORY);
    }

    @Test
    @DisplayName("D15: a trial leaves neither file nor directory")
    void triesToCloseWithoutATrace() {
        disk.putDurableFile(UNITS.resolve("app.service"), new byte[0], FileAttributes.CONFIG);
        gate.requireClosable(UNIT);
        assertThat(disk.list(UNITS)).containsExactly(UNITS.resolve("app.service"));
    }

    @Test
    @DisplayName("D15: a trial finds a directory that takes no gate")
    void findsThatItCannotBeClosed() {
        files.createDirectories(UNITS);
        disk.denyNewFiles(UNITS);
        assertThatThrownBy(() -> gate.requireClosable(UNIT))
                .isInstanceOf(DiskFailure.class)
                .hasMessageContaining(DIRECTORY.toString());
    }

    @Test
    @DisplayName("D12: a closed gate stays closed if it cannot be written again")
    void staysClosedIfItCannotBeWrittenAgain() {
        gate.close(UNIT);
        disk.denyNewFiles(DIRECTORY);
        assertThatThrownBy(() -> gate.close(UNIT)).isInstanceOf(DiskFailure.class);
        assertThat(gate.isClosed(UNIT)).isTrue();
    }

    @Test
    @DisplayName("what somebody put beside the gate meanwhile keeps the directory")
    void leavesWhatWasPutBeside() {
        gate.close(UNIT);
        disk.putDurableFile(DIRECTORY.resolve("owner.conf"), new byte[0], FileAttributes.CONFIG);
        gate.open(UNIT);
        assertThat(disk.kind(DIRECTORY.resolve("owner.conf"))).isEqualTo(Disk.EntryKind.FILE);
    }
}
