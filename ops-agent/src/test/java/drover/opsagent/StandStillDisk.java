package drover.opsagent;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileMode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The machine's disk, on which the agent stands still for good at the moment in which an action has
 * had its effect and the journal does not know it yet. The action's name is in a file.
 */
final class StandStillDisk implements Disk {
    private final Disk disk;
    private final Path failpoint;
    private final Path reached;

    StandStillDisk(Disk disk, Path exchange) {
        this.disk = disk;
        this.failpoint = exchange.resolve("failpoint");
        this.reached = exchange.resolve("reached");
    }

    @Override
    public void rename(Path from, Path to) {
        if (to.toString().contains("/attempts/")) {
            standStill(new String(disk.readAll(from), StandardCharsets.UTF_8));
        }
        disk.rename(from, to);
    }

    private void standStill(String journal) {
        try {
            String action = Files.exists(failpoint) ? Files.readString(failpoint) : "none";
            String entry = "\"action\":\"" + action + "\",\"outcome\":\"";
            if (journal.contains(entry + "DONE") || journal.contains(entry + "ALREADY_DONE")) {
                Files.writeString(reached, action);
                new CountDownLatch(1).await(); // until it is killed
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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
    public long freeBytes(Path path) {
        return disk.freeBytes(path);
    }
}
