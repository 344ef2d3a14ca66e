package drover.opsagent.selfupgrade;

import drover.model.Digest;
import drover.opsagent.disk.DigestMismatch;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.ResumableDownload;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.files.FreeSpaceCheck;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The agent's versions, side by side in one directory, and the link that names the one to start.
 * What is there is never changed and never removed by an upgrade (seed 001): that is the way back.
 *
 * @param directory holds {@code v<major>.<minor>.<patch>/drover-agent.jar}, {@code current}, and
 *     {@code staging} for downloads
 */
public record AgentVersionsDirectory(Path directory, DurableFiles files, Fetcher fetcher) {
    /** Name of the jar in its directory. */
    public static final String JAR = "drover-agent.jar";

    /** Name of the link to the version that is started with the machine. */
    public static final String CURRENT = "current";

    /** Directory of a downloaded jar until it is verified, and of an unfinished download. */
    private static final String STAGING = "staging";

    private static final int STAGED_FILES = 3; // directory, jar, record

    private static final int VERSION_FILES = 3; // directory, jar, temporary file

    /** Where a version's jar is, or would be. */
    public Path jar(AgentVersionNumber version) {
        return directory.resolve(version.directoryName()).resolve(JAR);
    }

    /** Versions whose jar is there, the oldest first. */
    public List<AgentVersionNumber> list() {
        List<AgentVersionNumber> present = new ArrayList<>();
        for (Path entry : files.disk().list(directory)) {
            String name = String.valueOf(entry.getFileName());
            if (name.startsWith("v")
                    && AgentVersionNumber.isValid(name)
                    && AgentVersionNumber.of(name).directoryName().equals(name)
                    && exists(AgentVersionNumber.of(name))) {
                present.add(AgentVersionNumber.of(name));
            }
        }
        present.sort(Comparator.naturalOrder());
        return present;
    }

    private boolean exists(AgentVersionNumber version) {
        return files.disk().kind(directory.resolve(version.directoryName()))
                        == Disk.EntryKind.DIRECTORY
                && files.disk().kind(jar(version)) == Disk.EntryKind.FILE;
    }

    /** The version that holds these bytes; absent when none does. */
    public @Nullable AgentVersionNumber findByDigest(Digest digest) {
        for (AgentVersionNumber version : list()) {
            if (files.disk().digest(jar(version)).equals(digest)) {
                return version;
            }
        }
        return null;
    }

    /** Whether this version is there with these very bytes, read from the disk. */
    public boolean contains(AgentVersionNumber version, Digest digest) {
        return exists(version) && files.disk().digest(jar(version)).equals(digest);
    }

    /**
     * Installs a version next to the others; its bytes are those of the digest, read again from the
     * disk. Bytes of a failed download stay for the next one of the same digest.
     *
     * @return whether there was anything to do
     * @throws ActionFailed if the download fails, a disk is full, or this version exists with other
     *     bytes
     */
    public boolean stageIfMissing(
            AgentVersionNumber version, Artifact artifact, Deadline deadline, IntConsumer percent) {
        if (contains(version, artifact.digest())) {
            deleteStaged();
            return false;
        }
        if (exists(version)) {
            throw new ActionFailed(
                    ReasonCode.VERSION_TAKEN,
                    "This node has an agent "
                            + version
                            + " with other bytes, and versions are never replaced: give the"
                            + " artifact a version of its own.");
        }
        ResumableDownload.deleteOthers(files, directory.resolve(STAGING), artifact.digest());
        requireSpace(version, artifact.size());
        files.createDirectories(directory.resolve(version.directoryName()));
        FileAttributes attributes = tryAttributesForNewJar(version, artifact.size());
        Path staged = directory.resolve(STAGING).resolve(files.randomName());
        files.createDirectories(directory.resolve(STAGING));
        files.disk().makePrivate(directory.resolve(STAGING));
        try {
            ResumableDownload.download(files, fetcher, artifact, staged, deadline, percent);
        } catch (FetchFailed e) {
            throw new ActionFailed(e.reason(), String.valueOf(e.getMessage()));
        }
        install(version, staged, artifact.digest(), attributes);
        return true;
    }

    private void install(
            AgentVersionNumber version, Path staged, Digest digest, FileAttributes attributes) {
        files.deleteTemporaryFiles(directory.resolve(version.directoryName()));
        try {
            files.copyWithAttributes(staged, jar(version), digest, attributes);
        } catch (DigestMismatch e) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The staged agent is not " + digest.shortHex() + ": check the disk.");
        } finally {
            deleteStaged();
        }
    }

    /** Removes a downloaded jar and an unfinished download. */
    public void deleteStaged() {
        files.disk().list(directory.resolve(STAGING)).forEach(files::delete);
    }

    /**
     * Verifies before the download that a new jar can be written, and finds out which attributes of
     * the current jar the agent can give it (D11). An agent that is not root gives no file to
     * another owner: then the new jar belongs to the agent's user.
     *
     * @throws DiskFailure if a jar with no more than the permissions cannot be written
     */
    private FileAttributes tryAttributesForNewJar(AgentVersionNumber version, long bytes) {
        FileAttributes wanted = readCurrentAttributes();
        List<FileAttributes> candidates =
                List.of(
                        wanted,
                        wanted.withOwner("", wanted.group()),
                        wanted.withOwner("", ""),
                        FileAttributes.of(wanted.permissions(), wanted.owner(), wanted.group()));
        for (FileAttributes candidate : candidates) {
            if (canWriteJar(version, candidate, bytes)) {
                return candidate;
            }
        }
        FileAttributes permissions = FileAttributes.of(wanted.permissions());
        files.tryReplacement(jar(version), permissions, bytes);
        return permissions;
    }

    private boolean canWriteJar(AgentVersionNumber version, FileAttributes attributes, long bytes) {
        try {
            files.tryReplacement(jar(version), attributes, bytes);
            return true;
        } catch (DiskFailure e) {
            if (e.isFull()) {
                throw e;
            }
            return false;
        }
    }

    /** Attributes of the jar that is started with the machine; without the link, of the newest. */
    private FileAttributes readCurrentAttributes() {
        @Nullable AgentVersionNumber model = readCurrentVersion();
        if (model == null || !exists(model)) {
            List<AgentVersionNumber> present = list();
            model = present.isEmpty() ? null : present.getLast();
        }
        return model == null
                ? FileAttributes.PROGRAM
                : files.disk().attributes(jar(model)).withoutTime();
    }

    /**
     * Requires space for the staged jar, less the bytes of the download that is continued, and for
     * its copy (D16).
     */
    private void requireSpace(AgentVersionNumber version, long jarBytes) {
        Disk disk = files.disk();
        Path staging = directory.resolve(STAGING);
        long unfinished =
                ResumableDownload.unfinishedFiles(disk, staging).stream()
                        .mapToLong(disk::size)
                        .sum();
        FreeSpaceCheck space = new FreeSpaceCheck(disk);
        space.add(staging, jarBytes - unfinished, STAGED_FILES);
        space.add(
                directory.resolve(version.directoryName()),
                jarBytes + StateDirectory.UPGRADE_MARGIN_BYTES,
                VERSION_FILES);
        try {
            space.requireFree();
        } catch (ActionFailed e) {
            throw new ActionFailed(
                    e.reason(),
                    e.getMessage()
                            + " To prune versions of the agent, run it with --prune-versions.");
        }
    }

    /** The version that is started with the machine; absent when the link names none. */
    public @Nullable AgentVersionNumber readCurrentVersion() {
        try {
            String name = Files.readSymbolicLink(directory.resolve(CURRENT)).toString();
            return AgentVersionNumber.isValid(name) ? AgentVersionNumber.of(name) : null;
        } catch (IOException e) {
            return null; // there is no such link
        }
    }

    /**
     * Lets the link name this version: by one rename, so that it names the old or the new one
     * whatever happens meanwhile (D1).
     *
     * @throws ActionFailed when that version is not there any more: the link never names what is
     *     not there
     */
    public void setCurrent(AgentVersionNumber version) {
        try (AgentVersionsLock _ = AgentVersionsLock.acquireShared(directory)) {
            if (!exists(version)) {
                throw new ActionFailed(
                        ReasonCode.ARTIFACT_NOT_FOUND,
                        "The agent's version "
                                + version
                                + " was removed from the disk meanwhile: ask for it again.");
            }
            swapLink(version);
        }
    }

    private void swapLink(AgentVersionNumber version) {
        Path fresh = directory.resolve(".drover-" + files.randomName());
        try {
            Files.createSymbolicLink(fresh, Path.of(version.directoryName()));
            Files.move(
                    fresh,
                    directory.resolve(CURRENT),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new DiskFailure("The link " + CURRENT + " cannot be swapped", false, e);
        }
        files.disk().syncDirectory(directory);
    }

    /** Removes the link that a swap left behind which was cut short; for the executor alone. */
    public void deleteLeftoverLink() {
        files.deleteTemporaryFiles(directory);
    }

    /** Keeps the link as it is, so that what is judged to be of no use stays so. */
    public AgentVersionsLock lockForRemoval() {
        return AgentVersionsLock.acquireExclusive(directory);
    }

    /**
     * Removes all but the current version, the newest, and those that are needed. Only when
     * somebody says so, and under {@link #lockForRemoval}.
     *
     * @param keep how many of the newest stay
     * @param needed versions that stay whatever their age
     * @return what was removed
     */
    public List<AgentVersionNumber> prune(int keep, Set<AgentVersionNumber> needed) {
        List<AgentVersionNumber> present = list();
        Set<AgentVersionNumber> stay = new TreeSet<>(needed);
        stay.addAll(present.subList(Math.max(0, present.size() - keep), present.size()));
        @Nullable AgentVersionNumber current = readCurrentVersion();
        if (current != null) {
            stay.add(current);
        }
        List<AgentVersionNumber> removed =
                present.stream().filter(one -> !stay.contains(one)).toList();
        for (AgentVersionNumber version : removed) {
            files.delete(jar(version));
            Path home = directory.resolve(version.directoryName());
            files.deleteTemporaryFiles(home);
            if (files.disk().list(home).isEmpty()) {
                files.disk().delete(home);
            }
        }
        files.disk().syncDirectory(directory);
        return removed;
    }
}
