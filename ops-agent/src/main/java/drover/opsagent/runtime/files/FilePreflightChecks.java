package drover.opsagent.runtime.files;

import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.PreflightCheckRunner;
import drover.opsagent.runtime.PreflightUpgrade;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/** Looks whether files of this machine could be fetched, saved and replaced; changes none. */
public final class FilePreflightChecks {
    private static final byte[] NOTHING = {};

    private final StateDirectory state;
    private final Disk disk;
    private final Fetcher fetcher;
    private final Function<NodePath, Path> place;

    /**
     * @param place where a file of the node is; fails when it must not be touched
     */
    FilePreflightChecks(StateDirectory state, Fetcher fetcher, Function<NodePath, Path> place) {
        this.state = state;
        this.disk = state.files().disk();
        this.fetcher = fetcher;
        this.place = place;
    }

    /** The agent's own directory takes backup and artifact. */
    public void checkStateDirectory(PreflightCheckRunner checks) {
        checks.run(UpgradeAction.BACKUP_STATE, () -> requireWritable(state.path()));
        checks.run(UpgradeAction.ACQUIRE_ARTIFACT, () -> requireWritable(state.path()));
    }

    /** The artifact's beginning can be had, and is that of a program of this machine. */
    public void checkArtifact(
            PreflightUpgrade planned, PreflightCheckRunner checks, Deadline deadline) {
        if (!planned.shouldDownload()) {
            return;
        }
        Artifact artifact = planned.artifact();
        AtomicReference<byte[]> got = new AtomicReference<>(NOTHING);
        checks.run(
                UpgradeAction.ACQUIRE_ARTIFACT,
                () -> got.set(downloadFirstBytes(artifact, deadline)));
        checks.run(UpgradeAction.START_NODE, () -> requireRunnable(got.get()));
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
     * Each file may be touched, and its directory takes a new one in its place.
     *
     * @param bytes size of each new file; 0 if it is not known
     */
    public void checkReplaceable(
            UpgradeAction action, List<NodePath> files, long bytes, PreflightCheckRunner checks) {
        FileAttributes ifNew =
                action == UpgradeAction.INSTALL_ARTIFACT
                        ? FileAttributes.PROGRAM
                        : FileAttributes.CONFIG;
        for (NodePath file : files) {
            checks.run(action, () -> requireReplaceable(file, ifNew, bytes));
        }
    }

    /**
     * Tries every step of a replacement beside the file, with its attributes and size.
     *
     * @throws ActionFailed with the file and the reason of the system, when one fails
     */
    void requireReplaceable(NodePath path, FileAttributes ifNew, long bytes) {
        Path file = place.apply(path);
        tryReplacementAndCheckExecutable(
                file, path.value(), state.files().attributesFor(file, ifNew), bytes);
    }

    /**
     * The same for a saved file that is given back, or for one that is deleted.
     *
     * @return whether the agent could execute the file that would be in place
     */
    boolean requireRestorableAndCheckExecutable(NodePath path, FileAttributes saved, long bytes) {
        return tryReplacementAndCheckExecutable(place.apply(path), path.value(), saved, bytes);
    }

    /** Whether the program's file may be executed: the one that is there, or a new one. */
    boolean isExecutable(NodePath path, Predicate<Path> ifThere) {
        Path file = place.apply(path);
        return disk.kind(file) == Disk.EntryKind.FILE
                ? ifThere.test(file)
                : tryReplacementAndCheckExecutable(file, path.value(), FileAttributes.PROGRAM, 0);
    }

    private void requireWritable(Path directory) {
        tryReplacementAndCheckExecutable(
                directory.resolve("agent.json"), "its own files", FileAttributes.PRIVATE, 0);
    }

    /** A directory that is not there yet is created in the nearest one that is. */
    private boolean tryReplacementAndCheckExecutable(
            Path file, String name, FileAttributes attributes, long bytes) {
        Path nearest = file;
        Path parent = nearest.getParent();
        while (parent != null && disk.kind(parent) == Disk.EntryKind.ABSENT) {
            nearest = parent;
            parent = nearest.getParent();
        }
        try {
            return state.files().tryReplacementAndCheckExecutable(nearest, attributes, bytes);
        } catch (DiskFailure e) {
            throw new ActionFailed(
                    e.isFull() ? ReasonCode.DISK_FULL : ReasonCode.DISK_ERROR,
                    "The agent cannot replace "
                            + name
                            + ": "
                            + e.getMessage()
                            + "; nothing was changed. Correct it on the node, then retry.");
        }
    }
}
