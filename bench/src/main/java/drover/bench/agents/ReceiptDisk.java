package drover.bench.agents;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileMode;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Another disk, which tells when the journal of an attempt gets its name: the moment from which an
 * agent is bound by the command.
 */
final class ReceiptDisk implements Disk {
    private static final Pattern JOURNAL = Pattern.compile(".*/attempts/([0-9]+)\\.json");

    private final Disk disk;
    private final LongConsumer journalled;

    /**
     * @param journalled told the attempt, each time that its journal is written
     */
    ReceiptDisk(Disk disk, LongConsumer journalled) {
        this.disk = disk;
        this.journalled = journalled;
    }

    @Override
    public void rename(Path from, Path to) {
        disk.rename(from, to);
        Matcher journal = JOURNAL.matcher(to.toString());
        if (journal.matches()) {
            journalled.accept(Long.parseLong(journal.group(1)));
        }
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
        return disk.createExclusive(file, mode);
    }

    @Override
    public InputStream read(Path file) {
        return disk.read(file);
    }

    @Override
    public Digest digest(Path file) {
        return disk.digest(file);
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
    public void delete(Path file) {
        disk.delete(file);
    }

    @Override
    public void createDirectory(Path directory) {
        disk.createDirectory(directory);
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
    public boolean isWritable(Path directory) {
        return disk.isWritable(directory);
    }

    @Override
    public long freeBytes(Path path) {
        return disk.freeBytes(path);
    }
}
