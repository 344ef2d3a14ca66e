package drover.opsagent.disk;

import drover.opsagent.main.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real ext4 in a file, mounted for a test, whose power can be cut: what is not on the disk at
 * that moment is lost, as the file system itself would lose it.
 */
public final class LoopFilesystem implements AutoCloseable {
    private static final int SHUTDOWN = 0x8004587d; // EXT4_IOC_SHUTDOWN
    private static final int READ_ONLY_DIRECTORY = 0x10000; // O_RDONLY | O_DIRECTORY
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle OPEN =
            call("open", 2, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    private static final MethodHandle CLOSE =
            call("close", 1, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private static final MethodHandle IOCTL =
            call(
                    "ioctl",
                    2,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS);

    private final Path directory;
    private Path image;
    private String device = "";

    /** How the power goes. */
    public enum Cut {
        /** The journal of the file system is lost from its last commit on. */
        BEFORE_THE_LOG(2),
        /** The journal of the file system still reaches the disk, data may not. */
        AFTER_THE_LOG(1);

        private final int flags;

        Cut(int flags) {
            this.flags = flags;
        }
    }

    private LoopFilesystem(Path image, Path directory) {
        this.image = image;
        this.directory = directory;
    }

    /** Makes one of so many mebibytes and mounts it. */
    public static LoopFilesystem of(Path where, int mebibytes) throws IOException {
        Path image = where.resolve("image");
        Path directory = Files.createDirectories(where.resolve("mounted"));
        Files.write(image, new byte[0]);
        try (var channel =
                java.nio.channels.FileChannel.open(image, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(new byte[1]), ((long) mebibytes << 20) - 1);
        }
        run("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
        LoopFilesystem made = new LoopFilesystem(image, directory);
        made.mount();
        return made;
    }

    /** Why this machine cannot do it; empty when it can. */
    public static String missing(Path where) {
        try (LoopFilesystem tried = of(where, 4)) {
            tried.turnReadOnly();
            tried.repair();
            tried.cut(Cut.BEFORE_THE_LOG);
            return "";
        } catch (IOException | RuntimeException e) {
            return "No ext4 can be mounted from a file and shut down here: " + e.getMessage();
        }
    }

    public Path directory() {
        return directory;
    }

    /** Cuts the power; everything after it fails until {@link #restart()}. */
    public void cut(Cut how) {
        try (Arena arena = Arena.ofConfined()) {
            int open =
                    (int)
                            OPEN.invokeExact(
                                    arena.allocateFrom(directory.toString()), READ_ONLY_DIRECTORY);
            MemorySegment flags = arena.allocateFrom(ValueLayout.JAVA_INT, how.flags);
            int result = (int) IOCTL.invokeExact(open, Integer.toUnsignedLong(SHUTDOWN), flags);
            int closed = (int) CLOSE.invokeExact(open);
            if (open < 0 || result != 0 || closed != 0) {
                throw new IllegalStateException("The file system cannot be shut down");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The power comes back: the file system recovers from its journal. It does so on a copy of the
     * disk: whoever has copied this machine's mounts meanwhile, such as a container that started,
     * keeps the old one, which has no power.
     */
    public void restart() {
        unmount();
        Path old = image;
        image = old.resolveSibling(old.getFileName() + "+");
        run("cp", "--sparse=always", old.toString(), image.toString());
        delete(old);
        mount();
    }

    /** Everything written so far is on the disk. */
    public void settle() {
        run("sync", "--file-system", directory.toString());
    }

    /**
     * As after an error of the device: ext4 turns itself read-only, whoever is writing. A remount
     * would wait until nobody is.
     */
    public void turnReadOnly() {
        Path trigger =
                Path.of("/sys/fs/ext4", Path.of(device).getFileName() + "", "trigger_fs_error");
        try {
            Files.writeString(trigger, "a test of Drover");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (takesWrites()) {
            throw new IllegalStateException("The file system went on as if nothing had happened");
        }
    }

    private boolean takesWrites() {
        try {
            Files.delete(Files.createTempFile(directory, "any", ""));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** People repair it, which takes it out of use for a moment. */
    public void repair() {
        unmount();
        mount();
    }

    /**
     * On a loop device of its own: by the name of the file one could be found that still belongs to
     * a deleted file with the same number, and with it what that file's system was.
     */
    private void mount() {
        device = run("losetup", "--find", "--show", image.toString());
        run("mount", "-o", "errors=remount-ro", device, directory.toString());
    }

    private void unmount() {
        if (!device.isEmpty()) {
            run("umount", directory.toString());
            run("losetup", "--detach", device);
            device = "";
        }
    }

    @Override
    public void close() {
        unmount();
        delete(image);
    }

    private static void delete(Path image) {
        try {
            Files.delete(image);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What it says. */
    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String message =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                    || process.exitValue() != 0) {
                throw new IllegalStateException(List.of(command) + ": " + message.strip());
            }
            return message.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("restricted") // there is no other way to this ioctl from Java
    private static MethodHandle call(
            String name, int fixed, ValueLayout result, ValueLayout... arguments) {
        MemorySegment function = LINKER.defaultLookup().find(name).orElseThrow();
        return LINKER.downcallHandle(
                function,
                FunctionDescriptor.of(result, arguments),
                Linker.Option.firstVariadicArg(Math.min(fixed, arguments.length)));
    }
}
