package drover.opsagent.engine;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileMode;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** A disk that calls something before each of its writes: a place for trouble. */
final class FailpointDisk implements Disk {
    private final Disk disk;
    private final Runnable beforeEachWrite;

    FailpointDisk(Disk disk, Runnable beforeEachWrite) {
        this.disk = disk;
        this.beforeEachWrite = beforeEachWrite;
    }

    @Override
    public Kind kind(Path path) {
        return disk.kind(path);
    }

    @Override
    public Identity identity(Path path) {
        return disk.identity(path);
    }

    @Override
    public DiskFile createExclusive(Path file, FileMode mode) {
        beforeEachWrite.run();
        DiskFile created = disk.createExclusive(file, mode);
        return new DiskFile() {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                beforeEachWrite.run();
                created.write(bytes, offset, length);
            }

            @Override
            public void truncate() {
                beforeEachWrite.run();
                created.truncate();
            }

            @Override
            public void sync() {
                beforeEachWrite.run();
                created.sync();
            }

            @Override
            public void close() {
                created.close();
            }
        };
    }

    @Override
    public InputStream read(Path file) {
        return disk.read(file);
    }

    @Override
    public long size(Path file) {
        return disk.size(file);
    }

    @Override
    public FileMode mode(Path file) {
        return disk.mode(file);
    }

    @Override
    public void rename(Path from, Path to) {
        beforeEachWrite.run();
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) {
        beforeEachWrite.run();
        disk.delete(file);
    }

    @Override
    public void createDirectory(Path directory) {
        beforeEachWrite.run();
        disk.createDirectory(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        beforeEachWrite.run();
        disk.syncDirectory(directory);
    }

    @Override
    public List<Path> list(Path directory) {
        return disk.list(directory);
    }

    @Override
    public long freeBytes(Path path) {
        return disk.freeBytes(path);
    }
}
