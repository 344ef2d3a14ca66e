package drover.localenv.database;

import drover.localenv.UserFacingError;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked once per machine and version into the user's cache.
 *
 * @param home the unpacked tree
 */
record PostgresBinaries(Path home) {
    private static final int EXECUTABLE = 0100;

    /**
     * Finds the unpacked programs, or unpacks them (60 MB).
     *
     * @throws UserFacingError when none fit this machine or the cache cannot be written
     */
    static PostgresBinaries findOrUnpack() {
        String name = archiveName();
        URL archive = PostgresBinaries.class.getResource("/" + name);
        if (archive == null) {
            throw new UserFacingError(
                    "Drover brings no PostgreSQL for this machine ("
                            + name
                            + "); name a database of yours with --postgres URL.");
        }
        try {
            // The length tells one release of PostgreSQL from the next.
            long length = archive.openConnection().getContentLengthLong();
            Path home = cache().resolve(name.replace(".txz", "") + "-" + length);
            if (!Files.isDirectory(home)) {
                unpack(archive, home);
            }
            return new PostgresBinaries(home);
        } catch (IOException e) {
            throw new UserFacingError(
                    "PostgreSQL cannot be unpacked into "
                            + cache()
                            + " (it takes 60 MB); make room there, or name a database of yours with"
                            + " --postgres URL.",
                    e);
        }
    }

    /** One of the programs. */
    String program(String name) {
        return home.resolve("bin").resolve(name).toString();
    }

    private static String archiveName() {
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String architecture =
                switch (machine) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> machine;
                };
        return "postgres-linux-" + architecture + ".txz";
    }

    private static Path cache() {
        String configured = System.getenv("XDG_CACHE_HOME");
        Path base =
                configured == null || configured.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".cache")
                        : Path.of(configured);
        return base.resolve("drover").resolve("postgres");
    }

    /** Unpacks beside the final place and renames, so that a crash never leaves half a tree. */
    private static void unpack(URL archive, Path home) throws IOException {
        Path parent = Files.createDirectories(cache());
        Path staging = Files.createTempDirectory(parent, ".unpack");
        // PostgreSQL may run as another user than the one who unpacked it.
        Files.setPosixFilePermissions(staging, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (InputStream packed = archive.openStream();
                TarArchiveInputStream tar =
                        new TarArchiveInputStream(
                                new XZInputStream(new BufferedInputStream(packed)))) {
            for (TarArchiveEntry entry = tar.getNextEntry();
                    entry != null;
                    entry = tar.getNextEntry()) {
                extractEntry(tar, entry, staging);
            }
            Files.move(staging, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            delete(staging);
            if (!Files.isDirectory(home)) { // else another process was first
                throw e;
            }
        }
    }

    private static void extractEntry(TarArchiveInputStream tar, TarArchiveEntry entry, Path staging)
            throws IOException {
        Path target = staging.resolve(entry.getName()).normalize();
        if (!target.startsWith(staging)) {
            throw new FileAlreadyExistsException(entry.getName() + " leaves the archive");
        }
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(parentOf(target));
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
            Files.copy(tar, target);
            boolean executable = (entry.getMode() & EXECUTABLE) != 0;
            Files.setPosixFilePermissions(
                    target,
                    PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
        }
    }

    private static Path parentOf(Path path) {
        Path parent = path.getParent();
        return parent == null ? path : parent;
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> entries = Files.walk(tree)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        }
    }
}
