package drover.opsagent.systemd;

import drover.opsagent.disk.DiskFailure;
import java.nio.file.Path;

/**
 * Keeps a unit from being started while an attempt has it half changed, by whomever: by the machine
 * after a reboot, by a socket, by a person (D12). Outlives a reboot.
 */
interface StartGate {
    /** Drop-in that forbids the start; read after others, so that none takes it back. */
    String FILE = "zz-drover-gate.conf";

    /** Where a machine's own units are. */
    Path UNITS = Path.of("/etc/systemd/system");

    /** Whether the unit cannot be started. */
    boolean isClosed(UnitName unit);

    /**
     * Closes it durably; systemd has to read unit files again before it counts in this boot. If it
     * fails, the gate is as it was, as far as the disk permits.
     */
    void close(UnitName unit);

    /**
     * Tries to close it with a temporary file, which is deleted.
     *
     * @throws DiskFailure with the reason of the system, if it could not be closed
     */
    void requireClosable(UnitName unit);

    /** Deletes what an interrupted close or trial left. */
    void deleteTemporaryFiles(UnitName unit);

    /** Opens it durably. It counts at once: systemd looks for its file at each start. */
    void open(UnitName unit);

    /** Why it would not keep this unit, in one sentence; empty when it would. */
    String unsupportedReason(UnitName unit, UnitProperties view);
}
