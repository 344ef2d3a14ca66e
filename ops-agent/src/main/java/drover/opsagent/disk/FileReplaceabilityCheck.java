package drover.opsagent.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reasons for which a file cannot be replaced although its directory takes new files: it is
 * immutable or append-only ({@code chattr +i}, {@code +a}), it is a mount point, or it belongs to
 * another user in a directory with the sticky bit. The JDK knows none of them, so {@code statx} of
 * the C library is called; where there is none, only the last reason is found.
 */
@SuppressWarnings("restricted") // the agent is started with the permission to call the C library
final class FileReplaceabilityCheck {
    private static final int NOT_PERMITTED = 1; // EPERM
    private static final int BUSY = 16; // EBUSY
    private static final int FROM_HERE = -100; // AT_FDCWD
    private static final int NO_LINK = 0x100; // AT_SYMLINK_NOFOLLOW
    private static final int MOUNT_ID = 0x1000; // STATX_MNT_ID
    private static final long IMMUTABLE_OR_APPEND = 0x10 | 0x20;
    private static final long STATX_BYTES = 256;
    private static final long MASK_OFFSET = 0;
    private static final long ATTRIBUTES_OFFSET = 8;
    private static final long MOUNT_ID_OFFSET = 144;
    private static final int STICKY = 01000;
    private static final long CAP_FOWNER = 1L << 3;
    private static final String CAPABILITIES = "CapEff:";
    private static final Optional<MethodHandle> STATX =
            Linker.nativeLinker()
                    .defaultLookup()
                    .find("statx")
                    .map(
                            found ->
                                    Linker.nativeLinker()
                                            .downcallHandle(
                                                    found,
                                                    FunctionDescriptor.of(
                                                            JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT,
                                                            JAVA_INT, ADDRESS)));

    private FileReplaceabilityCheck() {}

    /** What {@code statx} returns for a path; the mount is 0 if the kernel does not report it. */
    private record StatxResult(long attributes, long mount) {}

    /**
     * Checks a file and its directory.
     *
     * @throws IOException with the system's reason why a rename onto the file would fail
     */
    static void requireReplaceable(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            return;
        }
        if ((readStatx(directory).attributes() & IMMUTABLE_OR_APPEND) != 0) {
            throw failure(
                    file,
                    NOT_PERMITTED,
                    "the directory "
                            + directory
                            + " is immutable or append-only, see lsattr -d "
                            + directory);
        }
        if (!Files.isRegularFile(file)) {
            return;
        }
        StatxResult own = readStatx(file);
        if ((own.attributes() & IMMUTABLE_OR_APPEND) != 0) {
            throw failure(file, NOT_PERMITTED, "the file is immutable or append-only, see lsattr");
        }
        if (own.mount() != readStatx(directory).mount()) {
            throw failure(file, BUSY, "the file is a mount");
        }
        if (isProtectedBySticky(file, directory)) {
            throw failure(
                    file, NOT_PERMITTED, "the directory is sticky and the file is another user's");
        }
    }

    private static boolean isProtectedBySticky(Path file, Path directory) throws IOException {
        int agent = uid(Path.of("/proc/self"));
        return ((int) Files.getAttribute(directory, "unix:mode") & STICKY) != 0
                && uid(directory) != agent
                && uid(file) != agent
                && !hasOwnerCapability();
    }

    /** Whether the kernel treats the agent as the owner of any file; root can lack this, too. */
    private static boolean hasOwnerCapability() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(CAPABILITIES))
                .map(line -> line.substring(CAPABILITIES.length()).strip())
                .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) & CAP_FOWNER) != 0);
    }

    private static int uid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    private static StatxResult readStatx(Path path) {
        if (STATX.isEmpty()) {
            return new StatxResult(0, 0);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STATX_BYTES, Long.BYTES);
            int failed =
                    (int)
                            STATX.get()
                                    .invokeExact(
                                            FROM_HERE,
                                            arena.allocateFrom(path.toString()),
                                            NO_LINK,
                                            MOUNT_ID,
                                            found);
            if (failed != 0) {
                return new StatxResult(0, 0); // an old kernel
            }
            boolean knowsMount = (found.get(JAVA_INT, MASK_OFFSET) & MOUNT_ID) != 0;
            return new StatxResult(
                    found.get(JAVA_LONG, ATTRIBUTES_OFFSET),
                    knowsMount ? found.get(JAVA_LONG, MOUNT_ID_OFFSET) : 0);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }

    private static FileSystemException failure(Path file, int errno, String cause) {
        return new FileSystemException(
                file.toString(), null, IOExceptionReasons.message(errno) + " (" + cause + ")");
    }
}
