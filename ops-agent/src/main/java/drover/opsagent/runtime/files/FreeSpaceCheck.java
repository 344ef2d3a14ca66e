package drover.opsagent.runtime.files;

import drover.opsagent.disk.Disk;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Free space for new files, all at one time, on the file systems where they are created (D16). Each
 * directory counts for its own file system. A check only reads.
 */
public final class FreeSpaceCheck {
    private static final long FEW_BYTES = 10 << 20; // shown in KiB
    private static final long DIRECTORY_BYTES = 4 << 10; // one block

    private final Disk disk;
    private final CheckFailureAdvice attempt;
    private final Map<Long, Required> byDevice = new TreeMap<>();
    private final Set<Path> newDirectories = new TreeSet<>();

    /** Checks this disk for an upgrade. */
    public FreeSpaceCheck(Disk disk) {
        this(disk, CheckFailureAdvice.UPGRADE);
    }

    FreeSpaceCheck(Disk disk, CheckFailureAdvice attempt) {
        this.disk = disk;
        this.attempt = attempt;
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
     * @param directory where they are created; it is counted if it is missing
     */
    public void add(Path directory, long bytes, int files) {
        Path existing = directory;
        int created = 0;
        for (Path parent = existing.getParent();
                parent != null && disk.kind(existing) == Disk.EntryKind.ABSENT;
                parent = existing.getParent()) {
            created += newDirectories.add(existing) ? 1 : 0;
            existing = parent;
        }
        long allBytes = bytes + created * DIRECTORY_BYTES;
        int allFiles = files + created;
        Required none = new Required(existing, 0, 0);
        byDevice.compute(
                disk.identity(existing).device(),
                (_, required) -> (required == null ? none : required).plus(allBytes, allFiles));
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
                    required, files + " free inodes", Integer.toString(required.files()));
        }
        long free = disk.freeBytes(required.directory());
        if (free < required.bytes()) {
            throw diskFullFailure(required, roundDown(free) + " free", roundUp(required.bytes()));
        }
    }

    private static String roundDown(long bytes) {
        return bytes < FEW_BYTES ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }

    private static String roundUp(long bytes) {
        return bytes < FEW_BYTES ? ((bytes >> 10) + 1) + " KiB" : ((bytes >> 20) + 1) + " MiB";
    }

    private ActionFailed diskFullFailure(Required required, String free, String needed) {
        return new ActionFailed(
                ReasonCode.DISK_FULL,
                "The file system of "
                        + required.directory()
                        + " has "
                        + free
                        + " and needs "
                        + needed
                        + ": delete files on it, "
                        + attempt.nextStep());
    }
}
