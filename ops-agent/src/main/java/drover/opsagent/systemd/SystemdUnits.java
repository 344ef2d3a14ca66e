package drover.opsagent.systemd;

import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** The service units of this machine, as its systemd keeps them. */
public interface SystemdUnits {
    /** How the unit stands. */
    UnitProperties readProperties(UnitName unit);

    /** Starts it and waits until systemd says that it has been started, or could not be. */
    void start(UnitName unit, Deadline deadline);

    /** Stops it, in its own way, and waits until systemd has done so. */
    void stop(UnitName unit, Deadline deadline);

    /** Ends every process of it, also those that its stop left behind. */
    void kill(UnitName unit);

    /** Forgets that it failed, and how often it was started again. */
    void resetFailed(UnitName unit);

    /** Makes systemd read unit files again. */
    void reload(Deadline deadline);

    /**
     * Whether a unit may execute a file, in the mounts that systemd sees; true if the agent cannot
     * find out.
     *
     * @param user name or number; empty for root
     * @param groups names of groups that the unit has in addition to those of the user
     */
    boolean isExecutableBy(String user, List<String> groups, Path file);

    /** The processes in a control group and those below it; empty when there is no such group. */
    List<Long> members(String controlGroup);

    /**
     * End of what one run of the unit wrote to the journal.
     *
     * @param invocation id of the run
     * @param bytes at most so many
     * @throws SystemdCallFailed if the journal cannot be read
     */
    String journalTail(UnitName unit, String invocation, int bytes);

    /**
     * Exit code of a run that has ended, 128 plus the signal if a signal ended it; empty if the
     * journal does not have it, as of a run that ended with 0.
     *
     * @throws SystemdCallFailed if the journal cannot be read
     */
    OptionalInt exitCodeIfNonZero(UnitName unit, String invocation);

    /** Systemd did not do what it was asked, or did not answer in time. */
    final class SystemdCallFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Says what it did not do. */
        public SystemdCallFailed(String what) {
            super(what);
        }

        /** Says what it did not do, and why. */
        public SystemdCallFailed(String what, Throwable cause) {
            super(what, cause);
        }
    }
}
