package drover.opsagent.disk;

import drover.model.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Changes files so that each is old or new after any crash, never partial (D1): exclusive temporary
 * file beside the target, write, sync, re-read, rename, sync the directory (D2).
 */
public final class DurableFiles {
    private static final String TEMPORARY = ".drover-";
    private static final Pattern TEMPORARY_NAME = Pattern.compile("\\.drover-[0-9a-f]{32}");
    private static final int OWNER_DIGITS = 8; // the other 24 are unpredictable (H12)

    private final Disk disk;
    private final RandomGenerator random;
    private final String owner; // the first digits of temporary names; empty: random ones

    /**
     * Works on a disk.
     *
     * @param random source of unpredictable names (H12)
     */
    public DurableFiles(Disk disk, RandomGenerator random) {
        this(disk, random, "");
    }

    private DurableFiles(Disk disk, RandomGenerator random, String owner) {
        this.disk = disk;
        this.random = random;
        this.owner = owner;
    }

    /**
     * The same for the agent of this state directory: its temporary names tell its files from those
     * of other agents on the machine.
     */
    public DurableFiles ownedBy(Path stateDirectory) {
        Path absolute = stateDirectory.toAbsolutePath().normalize();
        String digits = Digest.of(absolute.toString()).shortHex().substring(0, OWNER_DIGITS);
        return new DurableFiles(disk, random, digits);
    }

    /** The disk underneath. */
    public Disk disk() {
        return disk;
    }

    /** A name that nobody can guess. */
    public String randomName() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Replaces a file's content; attributes of an existing file are kept (D11). */
    public void replace(Path target, byte[] content, FileAttributes ifNew) {
        FileAttributes attributes = attributesFor(target, ifNew);
        Path temporary = temporaryFor(target);
        try {
            try (Disk.DiskFileWriter file = disk.createExclusive(temporary)) {
                file.write(content, 0, content.length);
                file.setAttributes(attributes);
                file.sync();
            }
            requireAttributes(temporary, target, attributes);
        } catch (DiskFailure e) {
            discard(temporary);
            throw e.withPathInMessage(temporary, target);
        }
        renameAndSync(temporary, target);
    }

    /**
     * Puts a copy in place; the digest is that of the very bytes installed, read again after they
     * were synced (E2).
     *
     * @throws DigestMismatch and nothing is put in place, when they are not those of the digest
     */
    public void copy(Path source, Path target, Digest expected, FileAttributes ifNew) {
        copyWithAttributes(source, target, expected, attributesFor(target, ifNew));
    }

    /** As {@link #copy}, with exactly these attributes. */
    public void copyWithAttributes(
            Path source, Path target, Digest expected, FileAttributes attributes) {
        Path temporary = temporaryFor(target);
        try {
            write(source, temporary, attributes);
            Digest written = disk.digest(temporary);
            if (!written.equals(expected)) {
                throw new DigestMismatch(target, expected, written);
            }
            requireAttributes(temporary, target, attributes);
        } catch (DiskFailure e) {
            discard(temporary);
            throw e.withPathInMessage(temporary, target);
        } catch (DigestMismatch e) {
            discard(temporary);
            throw e;
        }
        renameAndSync(temporary, target);
    }

    /**
     * What a trial of a replacement found.
     *
     * @param executable whether the agent could execute the new file
     */
    public record ReplacementExecutability(boolean executable) {}

    /**
     * Verifies that a file can be created or replaced: takes all steps of it with a temporary file,
     * which is deleted. If the file's directory is missing, a temporary directory takes its place.
     *
     * @param attributes of the new file
     * @param bytes size of the new file; they are reserved, so the caller first verifies that they
     *     are free
     * @throws DiskFailure with the reason of the system, when a step fails
     */
    public ReplacementExecutability tryReplacement(
            Path target, FileAttributes attributes, long bytes) {
        Path directory = parentDirectory(target);
        if (disk.kind(directory) != Disk.EntryKind.ABSENT) {
            disk.requireReplaceable(target);
            return tryNewFile(directory, target, attributes, bytes);
        }
        Path existing = nearestExistingDirectory(directory);
        Path temporary = existing.resolve(temporaryName());
        try {
            disk.createDirectory(temporary);
            ReplacementExecutability result = tryNewFile(temporary, target, attributes, bytes);
            disk.delete(temporary);
            disk.syncDirectory(existing);
            return result;
        } catch (DiskFailure e) {
            throw e.withPathInMessage(temporary, directory);
        } finally {
            discard(temporary);
        }
    }

    private Path nearestExistingDirectory(Path missing) {
        Path at = missing;
        while (disk.kind(at) == Disk.EntryKind.ABSENT) {
            at = parentDirectory(at);
        }
        return at;
    }

    private ReplacementExecutability tryNewFile(
            Path directory, Path target, FileAttributes attributes, long bytes) {
        Path temporary = directory.resolve(temporaryName());
        Path renamed = directory.resolve(temporaryName());
        try {
            try (Disk.DiskFileWriter file = disk.createExclusive(temporary)) {
                file.write(new byte[1], 0, 1);
                file.reserve(Math.max(1, bytes));
                file.setAttributes(attributes);
                file.sync();
            }
            requireAttributes(temporary, target, attributes);
            boolean executable = disk.isExecutable(temporary);
            renameAndSync(temporary, renamed);
            disk.delete(renamed);
            disk.syncDirectory(directory);
            return new ReplacementExecutability(executable);
        } catch (DiskFailure e) {
            throw e.withPathInMessage(temporary, target).withPathInMessage(renamed, target);
        } finally {
            discard(temporary);
            discard(renamed);
        }
    }

    /** Removes a file durably, if it is there. */
    public void delete(Path file) {
        if (disk.kind(file) == Disk.EntryKind.FILE) {
            disk.delete(file);
            disk.syncDirectory(parentDirectory(file));
        }
    }

    /**
     * Removes a directory durably, if it is there and empty; says whether it is gone. What somebody
     * puts into it just then keeps it.
     */
    public boolean deleteIfEmpty(Path directory) {
        if (disk.kind(directory) != Disk.EntryKind.DIRECTORY) {
            return true;
        }
        if (!disk.list(directory).isEmpty()) {
            return false;
        }
        try {
            disk.delete(directory);
        } catch (DiskFailure e) {
            if (disk.list(directory).isEmpty()) {
                throw e;
            }
            return false;
        }
        disk.syncDirectory(parentDirectory(directory));
        return true;
    }

    /** Creates a directory and those above it, durably. */
    public void createDirectories(Path directory) {
        if (disk.kind(directory) == Disk.EntryKind.DIRECTORY) {
            return;
        }
        createDirectories(parentDirectory(directory));
        disk.createDirectory(directory);
        disk.syncDirectory(parentDirectory(directory));
    }

    /**
     * Makes the names in a directory tree durable. An agent that was killed between a rename and
     * its sync leaves a name that every reader sees and a power failure still takes back: whoever
     * goes on from what it sees must settle it first.
     *
     * @param depth how many levels below the directory
     */
    public void syncDirectories(Path directory, int depth) {
        disk.syncDirectory(directory);
        for (Path entry : depth > 0 ? disk.list(directory) : List.<Path>of()) {
            if (disk.kind(entry) == Disk.EntryKind.DIRECTORY) {
                syncDirectories(entry, depth - 1);
            }
        }
    }

    /** Deletes what an interrupted write or trial left in a directory of this agent alone. */
    public void deleteTemporaryFiles(Path directory) {
        for (Path entry : disk.list(directory)) {
            if (isTemporary(entry)) {
                deleteWithContents(entry);
            }
        }
    }

    /** Deletes the same in a directory in which other agents may be writing. */
    public void deleteOwnTemporaryFiles(Path directory) {
        for (Path entry : disk.list(directory)) {
            if (isOwnTemporary(entry)) {
                deleteWithContents(entry);
            }
        }
    }

    private void deleteWithContents(Path entry) {
        deleteTemporaryFiles(entry); // a directory of a trial holds one file
        disk.delete(entry);
    }

    /**
     * Deletes the directories that trials of this agent left above a directory that was missing.
     * Files there stay, because another thread may be writing them.
     */
    public void deleteTrialDirectoriesAbove(Path directory) {
        for (Path at = directory.getParent(); at != null; at = at.getParent()) {
            try {
                deleteTrialDirectoriesIn(at);
            } catch (DiskFailure _) {
                // The agent may not read or change it; trials write where it may.
            }
        }
    }

    private void deleteTrialDirectoriesIn(Path parent) {
        for (Path entry : disk.list(parent)) {
            if (isOwnTemporary(entry) && disk.kind(entry) == Disk.EntryKind.DIRECTORY) {
                deleteWithContents(entry);
            }
        }
    }

    private void write(Path source, Path temporary, FileAttributes attributes) {
        byte[] buffer = new byte[64 * 1024];
        try (InputStream in = disk.read(source);
                Disk.DiskFileWriter out = disk.createExclusive(temporary)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            out.setAttributes(attributes);
            out.sync();
        } catch (IOException e) {
            throw new DiskFailure("Cannot copy " + source, false, e);
        }
    }

    private void renameAndSync(Path temporary, Path target) {
        try {
            disk.rename(temporary, target);
        } catch (DiskFailure e) {
            discard(temporary);
            throw e;
        }
        disk.syncDirectory(parentDirectory(target));
    }

    /** Attributes of a new file: those of the file that it replaces, or else these (D11). */
    public FileAttributes attributesFor(Path target, FileAttributes ifNew) {
        return disk.kind(target) == Disk.EntryKind.FILE
                ? disk.attributes(target).withoutTime()
                : ifNew;
    }

    /** What was given is read again, as content is: a file system may drop it without a word. */
    private void requireAttributes(Path temporary, Path target, FileAttributes expected) {
        String difference = expected.findDifference(disk.attributes(temporary));
        if (!difference.isEmpty()) {
            throw new DiskFailure(
                    "The disk does not keep " + difference + " of " + target,
                    false,
                    new IOException("not kept"));
        }
    }

    private void discard(Path temporary) {
        try {
            disk.delete(temporary);
        } catch (DiskFailure _) {
            // The first failure matters; the next sweep removes the file.
        }
    }

    private Path temporaryFor(Path target) {
        return parentDirectory(target).resolve(temporaryName());
    }

    private String temporaryName() {
        return TEMPORARY + owner + randomName().substring(owner.length());
    }

    private boolean isTemporary(Path entry) {
        return TEMPORARY_NAME.matcher(fileName(entry)).matches();
    }

    private boolean isOwnTemporary(Path entry) {
        return isTemporary(entry) && fileName(entry).startsWith(TEMPORARY + owner);
    }

    private static Path parentDirectory(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(path + " has no directory");
        }
        return parent;
    }

    private static String fileName(Path path) {
        Path name = path.getFileName();
        return name == null ? "" : name.toString();
    }
}
