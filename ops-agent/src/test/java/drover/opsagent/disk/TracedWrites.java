package drover.opsagent.disk;

import drover.model.Digest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The durable operations of the agent, once each. {@link SystemCallsTest} runs them on the
 * simulated disk, which records what it is asked, and on the real disk under {@code strace}.
 */
final class TracedWrites {
    private static final byte[] FIRST = "first".getBytes(StandardCharsets.UTF_8);
    private static final byte[] SECOND = "second".getBytes(StandardCharsets.UTF_8);

    private TracedWrites() {}

    /** Runs the operations on the real disk: the directory, and whether it is jailed. */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        boolean jailed = Boolean.parseBoolean(arguments[1]);
        run(
                jailed ? LocalDisk.withJail(directory, Path.of("/nonexistent")) : new LocalDisk(),
                directory);
    }

    /** The operations. Names of temporary files are the same in each run. */
    static void run(Disk disk, Path directory) {
        DurableFiles files = new DurableFiles(disk, new Random(1));
        Path etc = directory.resolve("etc").resolve("app");
        files.createDirectories(etc);
        files.replace(etc.resolve("app.toml"), FIRST, FileAttributes.CONFIG);
        files.replace(etc.resolve("app.toml"), SECOND, FileAttributes.CONFIG);
        files.copy(
                etc.resolve("app.toml"),
                etc.resolve("copy.toml"),
                Digest.of(SECOND),
                FileAttributes.CONFIG);
        files.delete(etc.resolve("app.toml"));
        files.syncDirectories(directory, 2);
        files.delete(etc.resolve("copy.toml"));
        files.deleteIfEmpty(etc);
    }

    /** Records what is asked of a disk, by the last part of each path. */
    static final class RecordingDisk extends ForwardingDisk {
        final List<String> calls = new ArrayList<>();

        RecordingDisk(Disk disk) {
            super(disk);
        }

        private static String name(Path path) {
            return String.valueOf(path.getFileName());
        }

        @Override
        public DiskFileWriter createExclusive(Path file) {
            calls.add("create " + name(file));
            DiskFileWriter created = super.createExclusive(file);
            return new DiskFileWriter() {
                @Override
                public void write(byte[] bytes, int offset, int length) {
                    created.write(bytes, offset, length);
                }

                @Override
                public void reserve(long bytes) {
                    created.reserve(bytes);
                }

                @Override
                public void truncate() {
                    created.truncate();
                }

                @Override
                public void setAttributes(FileAttributes attributes) {
                    created.setAttributes(attributes);
                }

                @Override
                public void sync() {
                    calls.add("sync " + name(file));
                    created.sync();
                }

                @Override
                public void close() {
                    created.close();
                }
            };
        }

        @Override
        public void rename(Path from, Path to) {
            calls.add("rename " + name(from) + " " + name(to));
            super.rename(from, to);
        }

        @Override
        public void delete(Path file) {
            calls.add("delete " + name(file));
            super.delete(file);
        }

        @Override
        public void createDirectory(Path directory) {
            calls.add("mkdir " + name(directory));
            super.createDirectory(directory);
        }

        @Override
        public void syncDirectory(Path directory) {
            calls.add("sync " + name(directory));
            super.syncDirectory(directory);
        }
    }
}
