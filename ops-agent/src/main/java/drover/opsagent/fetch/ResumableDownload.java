package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.Artifact;
import drover.opsagent.time.Deadline;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unfinished download in a directory of the agent's own. Its bytes survive the end of the attempt
 * and of the agent, so that the next download of the same digest continues them. A directory holds
 * one at most. The bytes are unverified until the digest of the whole is (decision 0130).
 */
public final class ResumableDownload implements DownloadTarget, AutoCloseable {
    private static final String RECORD = "unfinished-download";

    /** Digest of the artifact, name of the file, and entity tag of its bytes, one a line. */
    private static final Pattern CONTENT =
            Pattern.compile(
                    "(sha256:[0-9a-f]{64})\n([A-Za-z0-9-]{1,64}\\.part)\n([!-~][ -~]{0,1000})\n");

    private static final int MAX_TAG = 1_000;
    private final DurableFiles files;
    private final Path staged;
    private final Path directory;
    private final Digest digest;
    private final Path file;
    private final Disk.DiskFileWriter writer;
    private String entityTag;

    private ResumableDownload(
            DurableFiles files, Path staged, Digest digest, Path file, String entityTag) {
        this.files = files;
        this.staged = staged;
        this.directory = Objects.requireNonNull(staged.getParent());
        this.digest = digest;
        this.file = file;
        this.entityTag = entityTag;
        this.writer =
                entityTag.isEmpty()
                        ? files.disk().createExclusive(file)
                        : files.disk().openForAppend(file);
    }

    /**
     * Downloads an artifact to a staged file. After a failure, unfinished bytes stay for the next
     * download of the same digest, but not on a disk that is full or broken.
     *
     * @throws FetchFailed with a separate reason for each kind of failure
     */
    public static void download(
            DurableFiles files,
            Fetcher fetcher,
            Artifact artifact,
            Path staged,
            Deadline deadline,
            IntConsumer percent) {
        try (ResumableDownload into = openAndCleanDirectory(files, staged, artifact.digest())) {
            try {
                fetcher.fetch(artifact, into, deadline, percent);
            } catch (FetchFailed e) {
                into.discardUnlessContinuable();
                throw e;
            } catch (DiskFailure e) {
                into.discard();
                throw e;
            }
            into.finish();
        }
    }

    /** What the record of a directory states. */
    private record UnfinishedDownloadRecord(Digest digest, Path file, String entityTag) {}

    /**
     * Continues the unfinished download of this digest, or starts one. Removes all else that an
     * agent left in the directory when it was killed.
     *
     * @param staged random name that the finished download gets (H12)
     */
    public static ResumableDownload openAndCleanDirectory(
            DurableFiles files, Path staged, Digest digest) {
        Path directory = Objects.requireNonNull(staged.getParent());
        deleteOthers(files, directory, digest);
        Optional<UnfinishedDownloadRecord> left = findUnfinished(files.disk(), directory, digest);
        Path file = left.map(UnfinishedDownloadRecord::file).orElse(unfinished(staged));
        String entityTag = left.map(UnfinishedDownloadRecord::entityTag).orElse("");
        return new ResumableDownload(files, staged, digest, file, entityTag);
    }

    /**
     * Removes everything in the directory except the unfinished download of this digest. A check of
     * free space comes after it, so that it counts only bytes that are continued.
     */
    public static void deleteOthers(DurableFiles files, Path directory, Digest continued) {
        Set<Path> kept =
                findUnfinished(files.disk(), directory, continued)
                        .map(one -> Set.of(directory.resolve(RECORD), one.file()))
                        .orElse(Set.of());
        files.disk().list(directory).stream()
                .filter(entry -> !kept.contains(entry))
                .forEach(files::delete);
    }

    private static Optional<UnfinishedDownloadRecord> findUnfinished(
            Disk disk, Path directory, Digest digest) {
        return readRecord(disk, directory).filter(one -> one.digest().equals(digest));
    }

    /** Removes a finished download, its unfinished bytes, and those of an earlier attempt. */
    public static void delete(DurableFiles files, Path staged) {
        files.delete(staged);
        files.delete(unfinished(staged));
        unfinishedFiles(files.disk(), Objects.requireNonNull(staged.getParent()))
                .forEach(files::delete);
    }

    private static Path unfinished(Path staged) {
        return Path.of(staged + ".part");
    }

    /** Files of the unfinished download, if the directory holds one. */
    public static Set<Path> unfinishedFiles(Disk disk, Path directory) {
        return readRecord(disk, directory)
                .map(one -> Set.of(directory.resolve(RECORD), one.file()))
                .orElse(Set.of());
    }

    private static Optional<UnfinishedDownloadRecord> readRecord(Disk disk, Path directory) {
        Path record = directory.resolve(RECORD);
        if (disk.kind(record) != Disk.EntryKind.FILE) {
            return Optional.empty();
        }
        Matcher content =
                CONTENT.matcher(new String(disk.readAll(record), StandardCharsets.ISO_8859_1));
        if (!content.matches()) {
            return Optional.empty();
        }
        Path file = directory.resolve(content.group(2));
        return disk.kind(file) == Disk.EntryKind.FILE
                ? Optional.of(
                        new UnfinishedDownloadRecord(
                                new Digest(content.group(1)), file, content.group(3)))
                : Optional.empty();
    }

    @Override
    public String entityTag() {
        return entityTag;
    }

    @Override
    public InputStream openExisting() {
        return files.disk().read(file);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        writer.write(bytes, offset, length);
    }

    /** Truncates before the new tag is recorded: a crash never leaves it with the old bytes. */
    @Override
    public void restart(String tag) {
        writer.truncate();
        String recordable = tag.length() <= MAX_TAG && tag.matches("[!-~][ -~]*") ? tag : "";
        if (recordable.equals(entityTag)) {
            return;
        }
        entityTag = recordable;
        Path record = directory.resolve(RECORD);
        if (recordable.isEmpty()) {
            files.delete(record);
            return;
        }
        String content = digest + "\n" + file.getFileName() + "\n" + recordable + "\n";
        files.replace(
                record, content.getBytes(StandardCharsets.ISO_8859_1), FileAttributes.PRIVATE);
    }

    @Override
    public void sync() {
        writer.sync();
    }

    /**
     * Gives the finished download its name.
     *
     * @throws DiskFailure if something has that name, for example a link (H12)
     */
    private void finish() {
        if (files.disk().kind(staged) != Disk.EntryKind.ABSENT) {
            throw new DiskFailure(
                    staged + " exists although the agent did not create it",
                    false,
                    new FileAlreadyExistsException(staged.toString()));
        }
        files.disk().rename(file, staged);
        files.delete(directory.resolve(RECORD));
        files.disk().syncDirectory(directory);
    }

    /** Removes bytes that no later download could continue. */
    private void discardUnlessContinuable() {
        if (entityTag.isEmpty() || files.disk().size(file) == 0) {
            discard();
        }
    }

    /** Removes the bytes; failure to do so leaves them to the next cleanup of the directory. */
    private void discard() {
        try {
            files.delete(file);
            files.delete(directory.resolve(RECORD));
        } catch (DiskFailure _) {
            // The failure that ended the download is reported instead.
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
