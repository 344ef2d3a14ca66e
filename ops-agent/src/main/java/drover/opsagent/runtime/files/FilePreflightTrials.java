package drover.opsagent.runtime.files;

import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles.ReplacementExecutability;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Checks whether files of this machine could be fetched, saved and replaced. A replacement is tried
 * with a temporary file, which is deleted; no other file changes.
 */
public final class FilePreflightTrials {
    private static final byte[] NOTHING = {};

    private final StateDirectory state;
    private final Disk disk;
    private final Fetcher fetcher;
    private final Function<NodePath, Path> place;
    private final CheckFailureAdvice attempt;

    /**
     * @param place where a file of the node is; fails if the node's policy does not allow it
     */
    FilePreflightTrials(
            StateDirectory state,
            Fetcher fetcher,
            Function<NodePath, Path> place,
            CheckFailureAdvice attempt) {
        this.state = state;
        this.disk = state.files().disk();
        this.fetcher = fetcher;
        this.place = place;
        this.attempt = attempt;
    }

    /** Free space for the same attempt. */
    FreeSpaceCheck freeSpace() {
        return new FreeSpaceCheck(disk, attempt);
    }

    /** Checks that backup and artifact can be written to the agent's own directory. */
    public void checkStateDirectory(PreflightCheckRecorder checks) {
        checks.run(UpgradeAction.BACKUP_STATE, () -> requireWritable(state.path()));
        checks.run(UpgradeAction.ACQUIRE_ARTIFACT, () -> requireWritable(state.path()));
    }

    /** Checks that the artifact can be downloaded and is a program for this kind of machine. */
    public void checkArtifact(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        if (!planned.shouldDownload()) {
            return;
        }
        Artifact artifact = planned.artifact();
        byte[] first =
                checks.evaluate(
                        UpgradeAction.ACQUIRE_ARTIFACT,
                        () -> downloadFirstBytes(artifact, deadline),
                        NOTHING);
        checks.run(UpgradeAction.START_NODE, () -> requireRunnable(first));
    }

    private byte[] downloadFirstBytes(Artifact artifact, Deadline deadline) {
        try {
            // An unavailable server is retried; the other checks need some of the time.
            return FirstBytesDownload.download(
                    artifact, fetcher, deadline.atMost(deadline.left().dividedBy(2)));
        } catch (FetchFailed e) {
            throw new ActionFailed(e.reason(), String.valueOf(e.getMessage()));
        }
    }

    private static void requireRunnable(byte[] first) {
        String refusal =
                ExecutableCompatibility.findIncompatibility(
                        first, System.getProperty("os.arch", ""));
        if (!refusal.isEmpty()) {
            throw new ActionFailed(ReasonCode.WRONG_PLATFORM, refusal);
        }
    }

    /**
     * Checks that each file may be written, and that its directory takes a replacement.
     *
     * @param bytes to reserve for each new file; 0 if its size or the free space is not known
     */
    public void checkReplaceable(
            UpgradeAction action, List<NodePath> files, long bytes, PreflightCheckRecorder checks) {
        FileAttributes ifNew =
                action == UpgradeAction.INSTALL_ARTIFACT
                        ? FileAttributes.PROGRAM
                        : FileAttributes.CONFIG;
        for (NodePath file : files) {
            checks.run(action, () -> requireReplaceable(file, ifNew, bytes));
        }
    }

    /**
     * Tries every step of a replacement next to the file, with its attributes and size.
     *
     * @throws ActionFailed with the file and the reason of the system, when one fails
     */
    void requireReplaceable(NodePath path, FileAttributes ifNew, long bytes) {
        Path file = place.apply(path);
        tryReplacement(file, path.value(), state.files().attributesFor(file, ifNew), bytes);
    }

    /** Tries the same for a saved file that is restored, or for one that is deleted. */
    ReplacementExecutability tryRestore(NodePath path, FileAttributes saved, long bytes) {
        return tryReplacement(place.apply(path), path.value(), saved, bytes);
    }

    /** Whether the program's file may be executed: the present one, or else a new one. */
    boolean isExecutable(NodePath path, Predicate<Path> ifPresent) {
        Path file = place.apply(path);
        return disk.kind(file) == Disk.EntryKind.FILE
                ? ifPresent.test(file)
                : tryReplacement(file, path.value(), FileAttributes.PROGRAM, 0).executable();
    }

    /**
     * Tries to replace the agent's records that change from the stop of a program on.
     *
     * @throws ActionFailed with the reason of the system
     */
    public void requireWritableRecords(String program) {
        requireWritable(state.path());
        requireWritable(state.runDirectory(program));
    }

    private void requireWritable(Path directory) {
        tryReplacement(
                directory.resolve("profile.json"), "its own files", FileAttributes.PRIVATE, 0);
    }

    private ReplacementExecutability tryReplacement(
            Path file, String name, FileAttributes attributes, long bytes) {
        try {
            return state.files().tryReplacement(file, attributes, bytes);
        } catch (DiskFailure e) {
            throw notReplaceableFailure(name, e);
        }
    }

    /**
     * Failure of the trial of a replacement, with the reason of the system.
     *
     * @param name of the file, for people
     */
    public ActionFailed notReplaceableFailure(String name, DiskFailure why) {
        return new ActionFailed(
                why.isFull() ? ReasonCode.DISK_FULL : ReasonCode.DISK_ERROR,
                "The agent cannot replace "
                        + name
                        + ": "
                        + why.getMessage()
                        + ". Correct it on the node, "
                        + attempt.nextStep());
    }
}
