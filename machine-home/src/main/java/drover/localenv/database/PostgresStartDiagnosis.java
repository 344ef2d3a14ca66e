package drover.localenv.database;

import drover.localenv.UserFacingError;
import java.nio.file.Path;
import java.util.List;

/** Says in one sentence why PostgreSQL did not start. */
final class PostgresStartDiagnosis {
    private PostgresStartDiagnosis() {}

    /** What PostgreSQL prints for a cause, and what to do about it. */
    private record KnownCause(String printed, String sentence) {}

    /** What it prints while another process, or what is left of it, holds its files. */
    private static final List<String> LOCKED =
            List.of(
                    "lock file \"postmaster.pid\" already exists",
                    "pre-existing shared memory block");

    private static final String HELD =
            "another process still holds its files; end the postgres processes that are left on"
                    + " them, or, when there is none, delete the file cluster/postmaster.pid there,"
                    + " and start again";

    private static final List<KnownCause> KNOWN =
            List.of(
                    new KnownCause(LOCKED.getFirst(), HELD),
                    new KnownCause(LOCKED.getLast(), HELD),
                    new KnownCause(
                            "No space left on device",
                            "the disk is full; make room and start again, nothing is lost"),
                    new KnownCause(
                            "Disk quota exceeded",
                            "the disk quota is used up; make room and start again, nothing is lost"),
                    new KnownCause(
                            "Read-only file system",
                            "the file system is read-only; choose another directory with --data"),
                    new KnownCause(
                            "incompatible with server",
                            "the files are of another PostgreSQL; choose another directory with"
                                    + " --data"),
                    new KnownCause(
                            "Permission denied",
                            "its files belong to another user; start Drover as that user, or choose"
                                    + " another directory with --data"),
                    new KnownCause(
                            "invalid permissions",
                            "its directory is open to other users; run chmod 700 on its folder"
                                    + " 'cluster'"),
                    new KnownCause(
                            "could not create shared memory",
                            "the machine gives it no shared memory; end other programs or raise the"
                                    + " limit"),
                    new KnownCause(
                            "Operation not permitted",
                            "user namespaces are switched off for root; start Drover as an ordinary"
                                    + " user, or name a database with --postgres URL"));

    /** True when it did not start for files that are held: this may pass by itself. */
    static boolean isLockConflict(String output) {
        return LOCKED.stream().anyMatch(output::contains);
    }

    /**
     * @param output what PostgreSQL printed
     * @param home where its files are
     */
    static UserFacingError explain(String output, Path home) {
        String cause =
                KNOWN.stream()
                        .filter(known -> output.contains(known.printed()))
                        .map(KnownCause::sentence)
                        .findFirst()
                        .orElseGet(
                                () ->
                                        lastErrorLine(output)
                                                + "; its log is "
                                                + home.resolve("postgres.log"));
        return new UserFacingError("PostgreSQL on " + home + " did not start: " + cause + ".");
    }

    private static String lastErrorLine(String output) {
        List<String> fatal =
                output.lines()
                        .filter(line -> line.contains("FATAL") || line.contains("error:"))
                        .toList();
        return fatal.isEmpty() ? "it gave no reason" : fatal.getLast().strip();
    }
}
