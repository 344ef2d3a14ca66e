package drover.localenv.database;

import drover.localenv.UserFacingError;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The files of an embedded server.
 *
 * @param home what lies under {@code {data}/postgres}: the cluster, its password, its log
 * @param cluster what PostgreSQL calls its data directory
 */
record PostgresFiles(Path home, Path cluster) {
    /** The major version of the programs that Drover brings. */
    static final String MAJOR = "17";

    private static final long LOG_LIMIT = 10L << 20;
    private static final int TAIL = 4096;

    PostgresFiles(Path home) {
        this(home, home.resolve("cluster"));
    }

    /** The same, with a cluster that is still being made. */
    PostgresFiles withStagingCluster() {
        return new PostgresFiles(home, home.resolve("cluster.new"));
    }

    /** True once a whole cluster is there. */
    boolean clusterExists() {
        return Files.exists(cluster.resolve("PG_VERSION"));
    }

    /**
     * What it must be started with: PostgreSQL's own defaults for durability, said aloud and
     * checked after the start, and small memory.
     */
    Map<String, String> settings() {
        return Map.ofEntries(
                Map.entry("fsync", "on"),
                Map.entry("synchronous_commit", "on"),
                Map.entry("full_page_writes", "on"),
                Map.entry("listen_addresses", "127.0.0.1"),
                Map.entry("unix_socket_directories", ""),
                Map.entry("max_connections", "100"),
                Map.entry("shared_buffers", "64MB"),
                Map.entry("timezone", "UTC"),
                Map.entry("log_timezone", "UTC"));
    }

    Path passwordFile() {
        return home.resolve("password");
    }

    String password() {
        try {
            return Files.readString(passwordFile()).strip();
        } catch (IOException e) {
            throw new UserFacingError(
                    "The database's password "
                            + passwordFile()
                            + " cannot be read; check the disk.",
                    e);
        }
    }

    Path log() {
        return home.resolve("postgres.log");
    }

    /** Refuses files of another PostgreSQL: they would be misread. */
    void checkVersion() {
        Path file = cluster.resolve("PG_VERSION");
        try {
            String found = Files.exists(file) ? Files.readString(file).strip() : MAJOR;
            if (!found.equals(MAJOR)) {
                throw new UserFacingError(
                        home
                                + " holds files of PostgreSQL "
                                + found
                                + ", and this Drover brings "
                                + MAJOR
                                + "; start the Drover that made them, or choose another directory"
                                + " with --data.");
            }
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be read; check the disk.", e);
        }
    }

    /** How long the server's log is, in bytes. */
    long logLength() {
        return log().toFile().length(); // 0 when there is none yet
    }

    /** The end of the server's log, nothing of what stood there before {@code mark}. */
    String logTailSince(long mark) {
        try (RandomAccessFile file = new RandomAccessFile(log().toFile(), "r")) {
            long from = Math.max(mark, file.length() - TAIL);
            byte[] tail = new byte[(int) Math.max(0, file.length() - from)];
            file.seek(from);
            file.readFully(tail);
            return new String(tail, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** Starts a new log once the present one is long; one old one is kept. */
    void rotateLogIfLarge() {
        try {
            if (Files.exists(log()) && Files.size(log()) > LOG_LIMIT) {
                Files.move(
                        log(),
                        home.resolve("postgres.log.old"),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UserFacingError(log() + " cannot be renamed; check the disk.", e);
        }
    }

    void moveClusterTo(PostgresFiles whole) {
        try {
            Files.move(cluster, whole.cluster, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UserFacingError(whole.cluster + " cannot be made; check the disk.", e);
        }
    }

    void deleteCluster() {
        if (!Files.exists(cluster)) {
            return;
        }
        try (Stream<Path> entries = Files.walk(cluster)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        } catch (IOException e) {
            throw new UserFacingError(cluster + " cannot be deleted; check the disk.", e);
        }
    }
}
