package drover.standalone.doctor;

import java.time.Duration;

/** Decides whether a machine will do. Pure: what was measured comes in. */
final class MachineRules {
    private static final int JAVA = 25;
    private static final long MIB = 1L << 20;

    /** The mesh's heap may grow to 1 GiB; PostgreSQL and a few programs need something too. */
    private static final long MEMORY_WANTED = 1536 * MIB;

    private static final long MEMORY_NEEDED = 512 * MIB;

    /** Backups of a large program on a few nodes. */
    private static final long DISK_WANTED = 2048 * MIB;

    /** PostgreSQL unpacks 60 MiB and begins with 40 MiB of files. */
    private static final long DISK_NEEDED = 200 * MIB;

    /** An upgrade syncs about fifty times: 50 ms each is 2.5 s of waiting. */
    private static final Duration SLOW_SYNC = Duration.ofMillis(50);

    /** A clock that is kept by NTP is slewed by at most 0.5 ms a second. */
    private static final Duration CLOCK_STEP = Duration.ofMillis(100);

    /** Times on screens come from both clocks; two seconds apart they contradict each other. */
    private static final Duration CLOCKS_APART = Duration.ofSeconds(2);

    private MachineRules() {}

    static DoctorFinding checkJavaVersion(int feature) {
        return feature >= JAVA
                ? DoctorFinding.ok("java", "Java " + feature + ".")
                : DoctorFinding.fail(
                        "java",
                        "Java "
                                + feature
                                + " is too old: install a JDK 25 and set JAVA_HOME to it.");
    }

    static DoctorFinding checkSessions(boolean possible) {
        return possible
                ? DoctorFinding.ok("setsid", "Programs start in separate sessions.")
                : DoctorFinding.warn(
                        "setsid",
                        "There is no setsid in /usr/bin, /bin or /usr/local/bin, so that Ctrl-C at"
                                + " 'drover up' also ends programs: install util-linux, or stop"
                                + " with 'drover down'.");
    }

    static DoctorFinding checkMemory(long available) {
        String message = available / MIB + " MiB of memory are available";
        if (available < MEMORY_NEEDED) {
            return DoctorFinding.fail("memory", message + ", a mesh needs 512: end some programs.");
        }
        return available < MEMORY_WANTED
                ? DoctorFinding.warn(
                        "memory", message + ", a busy mesh takes 1536: end some programs.")
                : DoctorFinding.ok("memory", message + ".");
    }

    static DoctorFinding checkDiskSpace(long free) {
        String message = free / MIB + " MiB are free on the disk of the data directory";
        if (free < DISK_NEEDED) {
            return DoctorFinding.fail(
                    "disk",
                    message + ", a mesh needs 200: make room or choose another with --data.");
        }
        return free < DISK_WANTED
                ? DoctorFinding.warn(
                        "disk", message + ": backups of upgrades may fill them, make room.")
                : DoctorFinding.ok("disk", message + ".");
    }

    static DoctorFinding checkSyncDuration(Duration median) {
        String message = "Writing durably takes %.1f ms".formatted(median.toNanos() / 1_000_000.0);
        return median.compareTo(SLOW_SYNC) > 0
                ? DoctorFinding.warn(
                        "fsync",
                        message + ": every step of an upgrade waits for it, use a faster disk.")
                : DoctorFinding.ok("fsync", message + ".");
    }

    /**
     * @param drift how far the wall clock moved beyond the monotonic one while it was watched
     */
    static DoctorFinding checkClockDrift(Duration drift) {
        return drift.abs().compareTo(CLOCK_STEP) > 0
                ? DoctorFinding.warn(
                        "clock",
                        "The clock was set by %d ms while it was watched: let NTP keep it."
                                .formatted(drift.toMillis()))
                : DoctorFinding.ok("clock", "The clock runs evenly.");
    }

    /**
     * @param ahead how far the database's clock is ahead of this machine's
     */
    static DoctorFinding checkDatabaseClock(Duration ahead) {
        return ahead.abs().compareTo(CLOCKS_APART) > 0
                ? DoctorFinding.warn(
                        "clock",
                        "The database's clock is %.1f s %s this machine's: let NTP keep both."
                                .formatted(
                                        ahead.abs().toMillis() / 1000.0,
                                        ahead.isNegative() ? "behind" : "ahead of"))
                : DoctorFinding.ok("clock", "The database's clock agrees with this machine's.");
    }
}
