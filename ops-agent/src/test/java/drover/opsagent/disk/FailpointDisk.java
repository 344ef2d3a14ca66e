package drover.opsagent.disk;

import java.nio.file.Path;

/** A disk that calls something before each of its writes: a place for trouble. */
public final class FailpointDisk extends ForwardingDisk {
    private final Runnable beforeEachWrite;

    public FailpointDisk(Disk disk, Runnable beforeEachWrite) {
        super(disk);
        this.beforeEachWrite = beforeEachWrite;
    }

    @Override
    public DiskFileWriter createExclusive(Path file) {
        beforeEachWrite.run();
        DiskFileWriter created = super.createExclusive(file);
        return new DiskFileWriter() {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                beforeEachWrite.run();
                created.write(bytes, offset, length);
            }

            @Override
            public void reserve(long bytes) {
                beforeEachWrite.run();
                created.reserve(bytes);
            }

            @Override
            public void truncate() {
                beforeEachWrite.run();
                created.truncate();
            }

            @Override
            public void setAttributes(FileAttributes attributes) {
                beforeEachWrite.run();
                created.setAttributes(attributes);
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
    public void rename(Path from, Path to) {
        beforeEachWrite.run();
        super.rename(from, to);
    }

    @Override
    public void delete(Path file) {
        beforeEachWrite.run();
        super.delete(file);
    }

    @Override
    public void createDirectory(Path directory) {
        beforeEachWrite.run();
        super.createDirectory(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        beforeEachWrite.run();
        super.syncDirectory(directory);
    }
}
