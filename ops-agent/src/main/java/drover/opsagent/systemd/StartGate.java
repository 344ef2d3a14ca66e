package drover.opsagent.systemd;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Keeps a unit from being started while an attempt has it half changed, by whomever: by the machine
 * after a reboot, by a socket, by a person (D12). It is a drop-in of the unit that forbids the
 * start for as long as it is there itself. Outside of attempts at most its empty directory is left.
 */
final class StartGate {
    /** Read after other drop-ins, so that none of them takes its condition back. */
    static final String FILE = "zz-drover-gate.conf";

    /** Where a machine's own units are. */
    static final Path UNITS = Path.of("/etc/systemd/system");

    private final DurableFiles files;
    private final Path units;

    /** Gates of the units in a directory that outlives a reboot. */
    StartGate(DurableFiles files, Path units) {
        this.files = files;
        this.units = units;
    }

    /** Whether the unit cannot be started. */
    boolean isClosed(UnitName unit) {
        return files.disk().kind(file(unit)) == Disk.Kind.FILE;
    }

    /** Closes it durably; systemd has to read unit files again before it counts in this boot. */
    void close(UnitName unit) {
        Path gate = file(unit);
        files.createDirectories(directory(unit));
        files.replace(gate, text(gate).getBytes(StandardCharsets.UTF_8), FileMode.CONFIG);
    }

    /** Opens it durably. It counts at once: systemd looks for the file at each start. */
    void open(UnitName unit) {
        files.delete(file(unit));
        files.sweep(directory(unit));
    }

    private Path directory(UnitName unit) {
        return units.resolve(unit + ".d");
    }

    private Path file(UnitName unit) {
        return directory(unit).resolve(FILE);
    }

    private static String text(Path gate) {
        return """
        # An upgrade has this unit stopped and its files half changed. The agent removes this file
        # before it starts the unit again. Where it stays, the node could not be brought back: see
        # the agent's log, repair the files, clear the node.
        [Unit]
        ConditionPathExists=!%s
        """
                .formatted(gate);
    }
}
