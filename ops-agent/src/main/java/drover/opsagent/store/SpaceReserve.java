package drover.opsagent.store;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that occupy inodes and bytes in the agent's directory. If the disk is full, they are
 * deleted one after the other, so that rejected, withdrawn and compensated attempts can still be
 * recorded (D15). They are created again when the disk has space.
 *
 * <p>One thread writes; {@link #findProblem()} may be called from any.
 */
public final class SpaceReserve {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceReserve.class);

    /** A refusal needs two: its journal stays, the agent's record needs a temporary file. */
    private static final List<String> NAMES =
            List.of("reserve", "reserve-2", "reserve-3", "reserve-4");

    private static final int FILE_BYTES = 8 * 1024; // a journal of a refusal

    private final Path stateDirectory;
    private final Path directory;
    private final DurableFiles files;
    private volatile boolean complete;
    private volatile @Nullable DiskFailure failure;

    SpaceReserve(Path stateDirectory, Path directory, DurableFiles files) {
        this.stateDirectory = stateDirectory;
        this.directory = directory;
        this.files = files;
    }

    /**
     * Writes; while the disk is full, deletes a reserve file and writes again.
     *
     * @param write leaves either the old or the new state if it fails
     * @throws DiskFailure if the disk fails in another way, or the reserve is used up
     */
    void write(Runnable write) {
        try {
            boolean written = false;
            while (!written) {
                written = tryWrite(write);
            }
        } catch (DiskFailure e) {
            failure = e;
            throw e;
        }
    }

    private boolean tryWrite(Runnable write) {
        try {
            write.run();
            return true;
        } catch (DiskFailure e) {
            Path file = paths().filter(this::exists).findFirst().orElse(null);
            if (!e.isFull() || file == null) {
                throw e;
            }
            complete = false;
            LOG.warn("The disk is full: a reserve file is deleted file={}", file);
            files.delete(file);
            return false;
        }
    }

    /** Whether files are missing, or the latest write failed: {@link #renew()} has work to do. */
    public boolean needsRenewal() {
        return !complete || failure != null;
    }

    /**
     * Creates missing files if the disk has space, and tries the disk again after a failure. Does
     * not access the disk if there is nothing to do. A failure remains for {@link #findProblem()}.
     */
    public void renew() {
        if (!needsRenewal()) {
            return;
        }
        try {
            DiskFailure shortage = findShortage();
            if (shortage != null) {
                return;
            }
            files.createDirectories(directory);
            boolean failed = failure != null;
            paths().filter(file -> failed || !exists(file)).forEach(this::create);
            complete = true;
            failure = null;
        } catch (DiskFailure e) {
            failure = e;
        }
    }

    /**
     * Renews the reserve.
     *
     * @throws DiskFailure if it is still incomplete
     */
    void requireComplete() {
        renew();
        if (needsRenewal()) {
            DiskFailure problem = findProblem();
            if (problem != null) {
                throw problem;
            }
        }
    }

    private void create(Path file) {
        files.replace(file, new byte[FILE_BYTES], FileAttributes.PRIVATE);
    }

    /** Why the next attempt may not be recorded, or null. */
    public @Nullable DiskFailure findProblem() {
        try {
            DiskFailure shortage = findShortage();
            return shortage == null ? failure : shortage;
        } catch (DiskFailure e) {
            return e;
        }
    }

    /** Less space than a restore needs. */
    private @Nullable DiskFailure findShortage() {
        Disk disk = files.disk();
        long freeFiles = disk.freeFiles(stateDirectory);
        long freeBytes = disk.freeBytes(stateDirectory);
        if (freeFiles >= StateDirectory.RESTORE_MARGIN_FILES
                && freeBytes >= StateDirectory.RESTORE_MARGIN_BYTES) {
            return null;
        }
        String free =
                freeFiles < StateDirectory.RESTORE_MARGIN_FILES
                        ? freeFiles + " free inodes"
                        : (freeBytes >> 10) + " KiB free";
        String sentence =
                "Upgrades and rollbacks are refused, because the file system of "
                        + stateDirectory
                        + " has "
                        + free;
        return new DiskFailure(sentence, true, new IllegalStateException("no space"));
    }

    private boolean exists(Path file) {
        return files.disk().kind(file) == Disk.EntryKind.FILE;
    }

    private Stream<Path> paths() {
        return NAMES.stream().map(directory::resolve);
    }
}
