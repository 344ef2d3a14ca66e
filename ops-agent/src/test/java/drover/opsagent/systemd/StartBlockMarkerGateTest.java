package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gate that root has put up for good, and that an agent without root closes (H16). */
class StartBlockMarkerGateTest {
    private static final UnitName UNIT = new UnitName("app.service");
    private static final Path MARKS = Path.of("/var/lib/drover-agent/gates");
    private static final Path DROP_IN =
            Path.of("/etc/systemd/system/app.service.d/zz-drover-gate.conf");
    private static final String CONDITION =
            "ConditionPathExists=!/var/lib/drover-agent/gates/app.service";

    private final SimulatedDisk disk = new SimulatedDisk();
    private final StartGate gate =
            AllowedUnitsAndGateDirectories.parse(Map.of("gate-marks", MARKS.toString()))
                    .createGate(new DurableFiles(disk, new Random(1)));

    private static UnitProperties loaded(String dropIns) {
        return new UnitProperties(Map.of("DropInPaths", dropIns));
    }

    private void put(String text) {
        disk.putDurableFile(DROP_IN, text.getBytes(StandardCharsets.UTF_8), FileAttributes.CONFIG);
    }

    @Test
    @DisplayName("D12: it is closed by a mark of the agent's own; no unit file is touched")
    void closesAndOpensByItsMark() {
        put("[Unit]\n" + CONDITION + "\n");
        assertThat(gate.isClosed(UNIT)).isFalse();
        gate.close(UNIT);
        assertThat(gate.isClosed(UNIT)).isTrue();
        assertThat(disk.kind(MARKS.resolve("app.service"))).isEqualTo(Disk.EntryKind.FILE);
        gate.open(UNIT);
        assertThat(gate.isClosed(UNIT)).isFalse();
        assertThat(gate.unsupportedReason(UNIT, loaded("/run/a.conf " + DROP_IN))).isEmpty();
    }

    @Test
    @DisplayName("D15: a directory that takes no mark is found before the stop; nothing is left")
    void findsThatItCannotBeClosed() {
        gate.requireClosable(UNIT);
        assertThat(disk.kind(MARKS)).isEqualTo(Disk.EntryKind.ABSENT);
        new DurableFiles(disk, new Random(1)).createDirectories(MARKS);
        disk.denyNewFiles(MARKS);
        assertThatThrownBy(() -> gate.requireClosable(UNIT)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> gate.close(UNIT)).isInstanceOf(DiskFailure.class);
        assertThat(gate.isClosed(UNIT)).isFalse();
    }

    @Test
    @DisplayName("D15: what a crash left of a trial above a missing directory is deleted")
    void deletesTheDirectoriesOfACrashedTrial() {
        String name = ".drover-0123456789abcdef0123456789abcdef";
        Path home = Path.of("/var/lib/drover-agent");
        Path beingWritten = home.resolve(".drover-fedcba9876543210fedcba9876543210");
        new DurableFiles(disk, new Random(1)).createDirectories(home.resolve(name));
        disk.createExclusive(home.resolve(name).resolve(name)).close();
        disk.createExclusive(beingWritten).close();
        disk.createDirectory(Path.of("/var/lib").resolve(name));

        gate.deleteTemporaryFiles(UNIT);

        assertThat(disk.list(home)).containsExactly(beingWritten);
        assertThat(disk.list(Path.of("/var/lib"))).containsExactly(home);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[Unit]\n",
                "[Unit]\n#ConditionPathExists=!/var/lib/drover-agent/gates/app.service\n",
                "[Unit]\nConditionPathExists=/var/lib/drover-agent/gates/app.service\n",
                "[Unit]\nConditionPathExists=!/var/lib/drover-agent/gates/other.service\n"
            })
    void refusesAUnitWithADifferentStartGate(String text) {
        put(text);
        assertThat(gate.unsupportedReason(UNIT, loaded(DROP_IN.toString())))
                .contains(CONDITION)
                .contains(DROP_IN.toString());
    }

    @Test
    void refusesAUnitWithoutGateOrWithOneThatSystemdHasNotRead() {
        assertThat(gate.unsupportedReason(UNIT, loaded(DROP_IN.toString()))).isNotEmpty();
        put("[Unit]\n" + CONDITION + "\n");
        assertThat(gate.unsupportedReason(UNIT, loaded(""))).isNotEmpty();
    }

    @Test
    void listsTheSettings() {
        assertThatThrownBy(() -> AllowedUnitsAndGateDirectories.parse(Map.of("gates", "/x")))
                .hasMessageContaining("gate-marks");
    }
}
