package drover.opsagent.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Set;

/**
 * One file or directory of the disk, held by this process whatever its path leads to by now. The
 * JDK can neither look at a file without opening it for good, which never returns where a pipe was
 * put in its place, nor make a directory in one that is held; so the one call that can is made of
 * the C library itself. All else goes through {@link #descriptorPath()}.
 */
@SuppressWarnings("restricted") // whoever starts an agent allows it calls of the C library
final class NativeFileDescriptor implements AutoCloseable {
    private static final int FROM_HERE = -100; // AT_FDCWD
    private static final int WRITE = 1; // O_WRONLY
    private static final int NEW = 0100 | 0200; // O_CREAT | O_EXCL
    private static final int LOOKUP = 010000000; // O_PATH: held, but not opened
    private static final int ALONE = 02000000; // O_CLOEXEC: no program that is started has it
    private static final int OWNER_ALONE = 0600;
    // Of the flags used here these two alone differ between processors.
    private static final boolean ARM_OR_POWER =
            Set.of("aarch64", "arm", "ppc64", "ppc64le").contains(System.getProperty("os.arch"));
    private static final int DIRECTORY = ARM_OR_POWER ? 040000 : 0200000; // O_DIRECTORY
    private static final int NO_LINK = ARM_OR_POWER ? 0100000 : 0400000; // O_NOFOLLOW

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPEN =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("openat"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                    Linker.Option.captureCallState("errno"),
                    Linker.Option.firstVariadicArg(3));
    private static final MethodHandle RESERVE =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("posix_fallocate"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("close"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final int number;

    private NativeFileDescriptor(int number) {
        this.number = number;
    }

    /** A directory that is trusted to be what its path says, links on the way included. */
    static NativeFileDescriptor openDirectory(Path path) throws IOException {
        return open(FROM_HERE, path, LOOKUP | DIRECTORY);
    }

    /** A directory in this one; a link to one is none. */
    NativeFileDescriptor openSubdirectory(Path name) throws IOException {
        return open(number, name, LOOKUP | DIRECTORY | NO_LINK);
    }

    /** Whatever stands under a name in this directory, be it a link, a pipe or a device. */
    NativeFileDescriptor openEntry(Path name) throws IOException {
        return open(number, name, LOOKUP | NO_LINK);
    }

    /** A file at a path that was free, for its owner alone (H12). */
    static NativeFileDescriptor createNewFile(Path path) throws IOException {
        return open(FROM_HERE, path, WRITE | NEW | NO_LINK);
    }

    /** Whatever stands at a path, whose directories are trusted. */
    static NativeFileDescriptor openPath(Path path) throws IOException {
        return open(FROM_HERE, path, LOOKUP | NO_LINK);
    }

    /** A file under a name that was free, for its owner alone (H12). */
    NativeFileDescriptor createFile(Path name) throws IOException {
        return open(number, name, WRITE | NEW | NO_LINK);
    }

    private static NativeFileDescriptor open(int directory, Path name, int flags)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment text = arena.allocateFrom(name.toString());
            int opened = (int) OPEN.invokeExact(state, directory, text, flags | ALONE, OWNER_ALONE);
            if (opened < 0) {
                throw toIoException(name, (int) ERRNO.get(state, 0L));
            }
            return new NativeFileDescriptor(opened);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }

    private static IOException toIoException(Path name, int errno) {
        return switch (errno) {
            case IOExceptionReasons.NOT_THERE -> new NoSuchFileException(name.toString());
            case IOExceptionReasons.THERE -> new FileAlreadyExistsException(name.toString());
            case IOExceptionReasons.NO_DIRECTORY -> new NotDirectoryException(name.toString());
            default ->
                    new FileSystemException(
                            name.toString(), null, IOExceptionReasons.message(errno));
        };
    }

    /**
     * Makes a file that was created at least this long, with blocks of the file system. Where it
     * has no such call, the file stays as it is.
     */
    void reserve(long bytes) throws IOException {
        int errno;
        try {
            errno = (int) RESERVE.invokeExact(number, 0L, bytes);
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
        if (errno != 0 && errno != IOExceptionReasons.NOT_SUPPORTED) {
            throw new IOException(IOExceptionReasons.message(errno));
        }
    }

    /** Leads to what is held, and nowhere else, for as long as it is held. */
    Path descriptorPath() {
        return Path.of("/proc/self/fd", Integer.toString(number));
    }

    @Override
    public void close() {
        try {
            int _ = (int) CLOSE.invokeExact(number);
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }
}
