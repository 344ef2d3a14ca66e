package drover.localenv.database;

import drover.localenv.AtomicFileWriter;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.Ports;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * PostgreSQL on the mesh's own directory, on 127.0.0.1 and a free port, with a password that only
 * the directory's owner can read. It runs in a session of its own: neither Ctrl-C nor a {@code kill
 * -9} of the mesh ends it in the middle of a commit; {@link #start} looks for such a server first.
 */
final class EmbeddedPostgres implements AutoCloseable {
    private static final Duration STARTUP = Duration.ofSeconds(60); // measured 1–4 s; slow disks
    private static final Duration SHUTDOWN = Duration.ofSeconds(30);
    private static final Duration TOOL = Duration.ofSeconds(90); // initdb: measured 2 s
    // A killed server's pid is taken until somebody reaps it, which can last some seconds.
    private static final Duration LOCKED = Duration.ofSeconds(15);
    private static final Duration LOCKED_STEP = Duration.ofMillis(500);
    private static final String USER = "drover";
    private static final String NAME = "postgres";

    private final PostgresFiles files;
    private final PostgresBinaries binaries;
    private final int port;
    private final long logMark; // where its own part of the log begins
    private final Process process;

    private EmbeddedPostgres(PostgresFiles files, PostgresBinaries binaries, int port) {
        this.files = files;
        this.binaries = binaries;
        this.port = port;
        this.logMark = files.logLength();
        this.process = launch(files, binaries, port);
    }

    /**
     * Starts the server, making its files at the first time and ending a server that an earlier
     * mesh left behind.
     *
     * @throws UserFacingError when it cannot run; the sentence says why
     */
    static EmbeddedPostgres start(DataDirectory directory) {
        return start(directory, OptionalInt.empty());
    }

    /** Starts the server again on the same port, after this one has ended. */
    EmbeddedPostgres restart(DataDirectory directory) {
        return start(directory, OptionalInt.of(port));
    }

    /** Waits until the server ends; returns its exit code. */
    int awaitExit() throws InterruptedException {
        return process.waitFor();
    }

    private static EmbeddedPostgres start(DataDirectory directory, OptionalInt port) {
        NonRootCommand.requireUserNamespacesIfRoot();
        PostgresFiles files = new PostgresFiles(directory.postgres());
        PostgresBinaries binaries = PostgresBinaries.findOrUnpack();
        files.checkVersion();
        stopLeftover(files, binaries);
        if (!files.clusterExists()) {
            createCluster(files, binaries);
        }
        files.rotateLogIfLarge();
        EmbeddedPostgres[] latest = {tryStart(files, binaries, port)};
        Await.until(
                LOCKED,
                LOCKED_STEP,
                () -> {
                    if (latest[0].isLockedOut()) {
                        latest[0] = tryStart(files, binaries, port);
                    }
                    return !latest[0].isLockedOut();
                });
        latest[0].requireReadyOrStop();
        return latest[0];
    }

    /** Returns when it answers, when it has ended, or when the time for its start is over. */
    private static EmbeddedPostgres tryStart(
            PostgresFiles files, PostgresBinaries binaries, OptionalInt port) {
        EmbeddedPostgres server =
                new EmbeddedPostgres(
                        files, binaries, port.orElseGet(() -> Ports.findFree(Set.of())));
        Await.until(STARTUP, () -> !server.process.isAlive() || server.acceptsConnections());
        return server;
    }

    /**
     * Ends the server of a directory whose mesh is gone.
     *
     * @return true when there was one
     */
    static boolean stopLeftover(DataDirectory directory) {
        PostgresFiles files = new PostgresFiles(directory.postgres());
        return PostmasterPid.findLive(files.cluster()).isPresent()
                && stopLeftover(files, PostgresBinaries.findOrUnpack());
    }

    private static boolean stopLeftover(PostgresFiles files, PostgresBinaries binaries) {
        return PostmasterPid.findLive(files.cluster())
                .map(
                        live -> {
                            stop(files, binaries, live);
                            return true;
                        })
                .orElse(false);
    }

    /** The version that could be started here. */
    static String requireStartableVersion() {
        NonRootCommand.requireUserNamespacesIfRoot();
        PostgresTool.Result version =
                PostgresTool.run(
                        NonRootCommand.wrapIfRoot(
                                PostgresBinaries.findOrUnpack().program("postgres"), "--version"),
                        TOOL);
        if (version.exitCode() != 0) {
            throw new UserFacingError(
                    "PostgreSQL cannot be started on this machine ("
                            + version.output().strip()
                            + "); name a database of yours with --postgres URL.");
        }
        return version.output().strip().replace("postgres (PostgreSQL)", "PostgreSQL");
    }

    /** Where the server of a directory answers, if it runs. */
    static Optional<String> findRunningUrl(DataDirectory directory) {
        PostgresFiles files = new PostgresFiles(directory.postgres());
        return PostmasterPid.findLive(files.cluster())
                .flatMap(_ -> PostmasterPid.readPort(files.cluster()))
                .map(port -> jdbcUrl(port, files));
    }

    /** Where it can be reached; holds the password. */
    String jdbcUrl() {
        return jdbcUrl(port, files);
    }

    private static String jdbcUrl(int port, PostgresFiles files) {
        return "jdbc:postgresql://127.0.0.1:"
                + port
                + "/"
                + NAME
                + "?user="
                + USER
                + "&password="
                + files.password();
    }

    private static void createCluster(PostgresFiles files, PostgresBinaries binaries) {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        try {
            Files.createDirectories(files.home());
        } catch (IOException e) {
            throw new UserFacingError(files.home() + " cannot be made; check the disk.", e);
        }
        AtomicFileWriter.writeSecret(files.passwordFile(), HexFormat.of().formatHex(random));
        PostgresFiles staged = files.withStagingCluster();
        staged.deleteCluster();
        PostgresTool.Result made =
                PostgresTool.run(
                        NonRootCommand.wrapIfRoot(
                                binaries.program("initdb"),
                                "-D",
                                staged.cluster().toString(),
                                "-U",
                                USER,
                                "-E",
                                "UTF-8",
                                "--no-locale",
                                "--auth=scram-sha-256",
                                "--pwfile=" + files.passwordFile()),
                        TOOL);
        if (made.exitCode() != 0) {
            staged.deleteCluster();
            throw PostgresStartDiagnosis.explain(made.output(), files.home());
        }
        staged.moveClusterTo(files); // a crash before this leaves nothing that looks whole
    }

    private static Process launch(PostgresFiles files, PostgresBinaries binaries, int port) {
        List<String> command = new ArrayList<>();
        if (PostgresTool.isOnPath("setsid")) {
            command.add("setsid");
        }
        command.addAll(
                NonRootCommand.wrapIfRoot(
                        binaries.program("postgres"),
                        "-D",
                        files.cluster().toString(),
                        "-p",
                        Integer.toString(port)));
        files.settings()
                .forEach(
                        (name, value) -> {
                            command.add("-c");
                            command.add(name + "=" + value);
                        });
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(files.log().toFile()))
                    .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
        } catch (IOException e) {
            throw PostgresStartDiagnosis.explain(String.valueOf(e.getMessage()), files.home());
        }
    }

    private boolean isLockedOut() {
        return !process.isAlive()
                && PostgresStartDiagnosis.isLockConflict(files.logTailSince(logMark));
    }

    private void requireReadyOrStop() {
        if (!process.isAlive() || !acceptsConnections()) {
            process.destroy();
            throw PostgresStartDiagnosis.explain(files.logTailSince(logMark), files.home());
        }
    }

    private boolean acceptsConnections() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl())) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false; // not yet
        }
    }

    private static void stop(PostgresFiles files, PostgresBinaries binaries, PostmasterPid live) {
        for (String mode : List.of("fast", "immediate")) { // both lose nothing that was committed
            PostgresTool.run(
                    NonRootCommand.wrapIfRoot(
                            binaries.program("pg_ctl"),
                            "stop",
                            "-D",
                            files.cluster().toString(),
                            "-m",
                            mode,
                            "-t",
                            Long.toString(SHUTDOWN.toSeconds())),
                    SHUTDOWN.plusSeconds(5));
            if (Await.until(Duration.ofSeconds(2), () -> !live.isAlive())) {
                return;
            }
        }
        throw new UserFacingError(
                "PostgreSQL (process "
                        + live.pid()
                        + ") on "
                        + files.home()
                        + " does not stop; end that process and try again.");
    }

    @Override
    public void close() {
        PostmasterPid.findLive(files.cluster()).ifPresent(live -> stop(files, binaries, live));
        Await.until(SHUTDOWN, () -> !process.isAlive());
    }
}
