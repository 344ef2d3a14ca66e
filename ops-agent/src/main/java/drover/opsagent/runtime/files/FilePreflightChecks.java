package drover.opsagent.runtime.files;

import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.opsagent.disk.Disk;
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

/** Looks whether files of this machine could be got, saved and replaced; writes none. */
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
        if (!planned.mustDownload()) {
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
            return ArtifactPrefix.download(
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

    /** Each file may be touched, and its directory takes a new one in its place. */
    public void checkReplaceable(
            UpgradeAction action, List<NodePath> files, PreflightCheckRunner checks) {
        for (NodePath file : files) {
            checks.run(action, () -> requireReplaceable(file));
        }
    }

    private void requireReplaceable(NodePath file) {
        Path directory = place.apply(file).getParent();
        if (directory != null) {
            requireWritable(directory);
        }
    }

    /** A directory that is not there yet is made in the nearest one that is. */
    private void requireWritable(Path directory) {
        Path at = directory;
        while (disk.kind(at) == Disk.EntryKind.ABSENT && at.getParent() != null) {
            at = at.getParent();
        }
        if (!disk.isWritable(at)) {
            throw new ActionFailed(
                    ReasonCode.DISK_ERROR,
                    "The agent may not write in "
                            + at
                            + ": give its user that right, and look whether the disk is mounted"
                            + " read-only.");
        }
    }
}
