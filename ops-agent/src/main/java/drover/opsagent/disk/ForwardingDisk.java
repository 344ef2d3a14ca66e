package drover.opsagent.disk;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Hands everything on to another disk; who extends it says what is different. Digests are made of
 * what is read here, so that a difference in reading shows in them too.
 */
public abstract class ForwardingDisk implements Disk {
    private final Disk disk;

    /** Over this disk. */
    protected ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public EntryKind kind(Path path) {
        return disk.kind(path);
    }

    @Override
    public void requireReplaceable(Path file) {
        disk.requireReplaceable(file);
    }

    @Override
    public DeviceAndLinkCount identity(Path path) {
        return disk.identity(path);
    }

    @Override
    public DiskFileWriter createExclusive(Path file) {
        return disk.createExclusive(file);
    }

    @Override
    public DiskFileWriter openForAppend(Path file) {
        return disk.openForAppend(file);
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
    public FileAttributes attributes(Path file) {
        return disk.attributes(file);
    }

    @Override
    public boolean isExecutable(Path file) {
        return disk.isExecutable(file);
    }

    @Override
    public void rename(Path from, Path to) {
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) {
        disk.delete(file);
    }

    @Override
    public void createDirectory(Path directory) {
        disk.createDirectory(directory);
    }

    @Override
    public void makePrivate(Path directory) {
        disk.makePrivate(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        disk.syncDirectory(directory);
    }

    @Override
    public List<Path> list(Path directory) {
        return disk.list(directory);
    }

    @Override
    public long freeFiles(Path path) {
        return disk.freeFiles(path);
    }

    @Override
    public long freeBytes(Path path) {
        return disk.freeBytes(path);
    }
}
