package drover.opsagent.systemd;

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

    /** Closes it durably; systemd has to read unit files again before it counts in this boot. */
    void close(UnitName unit);

    /** Opens it durably. It counts at once: systemd looks for its file at each start. */
    void open(UnitName unit);

    /** Why it would not keep this unit, in one sentence; empty when it would. */
    String unsupportedReason(UnitName unit, UnitProperties view);
}
