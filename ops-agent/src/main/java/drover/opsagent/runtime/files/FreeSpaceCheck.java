package drover.opsagent.runtime.files;

import drover.opsagent.disk.Disk;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether new files fit, all at one time, on the file systems where they are created (D16): each
 * directory counts for its own file system. Changes nothing.
 */
public final class FreeSpaceCheck {
    private static final long FEW_BYTES = 10 << 20; // shown in KiB

    private final Disk disk;
    private final Map<Long, Required> byDevice = new TreeMap<>();

    /** Checks this disk. */
    public FreeSpaceCheck(Disk disk) {
        this.disk = disk;
    }

    /** What is created on one file system; the directory is one that is there. */
    private record Required(Path directory, long bytes, int files) {
        Required plus(long moreBytes, int moreFiles) {
            return new Required(directory, bytes + moreBytes, files + moreFiles);
        }
    }

    /**
     * Counts new files.
     *
     * @param directory where they are created; it may be one that is created with them
     */
    public void add(Path directory, long bytes, int files) {
        Path existing = directory;
        for (Path parent = existing.getParent();
                parent != null && disk.kind(existing) == Disk.EntryKind.ABSENT;
                parent = existing.getParent()) {
            existing = parent;
        }
        Required none = new Required(existing, 0, 0);
        byDevice.compute(
                disk.identity(existing).device(),
                (_, required) -> (required == null ? none : required).plus(bytes, files));
    }

    /**
     * Compares with what is free.
     *
     * @throws ActionFailed with DISK_FULL and the directory
     */
    public void requireFree() {
        byDevice.values().forEach(this::requireFree);
    }

    private void requireFree(Required required) {
        long files = disk.freeFiles(required.directory());
        if (files < required.files()) {
            throw diskFullFailure(
                    required,
                    "takes " + files + " more files (free inodes)",
                    required.files() + ": delete files on it");
        }
        long free = disk.freeBytes(required.directory());
        if (free < required.bytes()) {
            throw diskFullFailure(
                    required,
                    "has room for " + roundDown(free),
                    roundUp(required.bytes()) + ": free room on it");
        }
    }

    private static String roundDown(long bytes) {
        return bytes < FEW_BYTES ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }

    private static String roundUp(long bytes) {
        return bytes < FEW_BYTES ? ((bytes >> 10) + 1) + " KiB" : ((bytes >> 20) + 1) + " MiB";
    }

    private static ActionFailed diskFullFailure(Required required, String free, String needed) {
        return new ActionFailed(
                ReasonCode.DISK_FULL,
                "The file system of "
                        + required.directory()
                        + " "
                        + free
                        + ", needed are "
                        + needed
                        + ", then retry; nothing was changed.");
    }
}
