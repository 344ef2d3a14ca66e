package drover.opsagent.runtime.files;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.opsagent.disk.DigestMismatch;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.PreUpgradeState.FileState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Backups of a program's files. A complete backup is never overwritten (D8). */
final class FileBackups {
    private final StateDirectory state;
    private final Function<NodePath, Path> place;
    private final FilePreflightTrials checks;
    private final DurableFiles files;

    /** Knows from {@code place} where a file of a program is on this machine. */
    FileBackups(StateDirectory state, Function<NodePath, Path> place, FilePreflightTrials checks) {
        this.state = state;
        this.place = place;
        this.checks = checks;
        this.files = state.files();
    }

    boolean isComplete(Path backup) {
        return state.exists(manifestFile(backup));
    }

    void createUnlessComplete(
            Path backup,
            ProgramProfile previous,
            PreUpgradeState.Recorded before,
            Deadline deadline) {
        if (isComplete(backup)) {
            return;
        }
        files.createDirectories(backup);
        List<BackupManifest.SavedFile> saved = new ArrayList<>();
        for (FileState file : before.files()) {
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT, "The backup took too long: free the disk.");
            }
            saved.add(copyAside(backup, file, saved.size()));
        }
        state.save(manifestFile(backup), new BackupManifest(previous, saved));
    }

    private BackupManifest.SavedFile copyAside(Path backup, FileState file, int index) {
        if (!file.existed()) {
            return new BackupManifest.SavedFile(
                    file.path(),
                    "",
                    FileAttributes.PRIVATE,
                    "",
                    countMissingDirectories(file.path()));
        }
        Path original = place.apply(file.path());
        String storedAs = "file-" + index;
        try {
            files.copyWithAttributes(
                    original,
                    backup.resolve(storedAs),
                    new Digest(file.digest()),
                    FileAttributes.PRIVATE);
        } catch (DigestMismatch e) {
            throw new ActionFailed(
                    ReasonCode.DRIFTED, file.path() + " changed while it was copied: try again.");
        }
        return new BackupManifest.SavedFile(
                file.path(), file.digest(), files.disk().attributes(original), storedAs, 0);
    }

    private int countMissingDirectories(NodePath path) {
        int lacking = 0;
        Path at = place.apply(path).getParent();
        while (at != null && files.disk().kind(at) == Disk.EntryKind.ABSENT) {
            lacking++;
            at = at.getParent();
        }
        return lacking;
    }

    /** The program as it was launched before; fails with BACKUP_MISMATCH when there is none. */
    ProgramProfile loadPreviousProfile(Path backup) {
        return loadManifest(backup).previous();
    }

    private BackupManifest loadManifest(Path backup) {
        if (!isComplete(backup)) {
            throw mismatchFailure("The backup has no manifest");
        }
        return state.load(manifestFile(backup), BackupManifest.class);
    }

    /**
     * Verifies, before the program is stopped, that all copies are what was saved, and that every
     * file that differs and the agent's own records can be written.
     */
    void requireRestorable(Path backup, PreUpgradeState.Recorded before) {
        FreeSpaceCheck space = checks.freeSpace();
        space.add(
                state.path(),
                StateDirectory.RESTORE_MARGIN_BYTES,
                StateDirectory.RESTORE_MARGIN_FILES);
        requireRestorable(backup, before, space);
    }

    /** Verifies the same of the files alone, when the program is stopped. */
    void requireFilesRestorable(Path backup, PreUpgradeState.Recorded before) {
        requireRestorable(backup, before, checks.freeSpace());
    }

    private void requireRestorable(
            Path backup, PreUpgradeState.Recorded before, FreeSpaceCheck space) {
        BackupManifest manifest = loadManifest(backup);
        List<BackupManifest.SavedFile> differing = new ArrayList<>();
        for (FileState file : before.files()) {
            BackupManifest.SavedFile saved = requireVerifiedCopy(backup, manifest, file);
            if (!isAsBefore(manifest, file)) {
                differing.add(saved);
            }
        }
        requireSameLaunch(manifest, before);
        requireWritable(backup, differing, space);
    }

    /** Writes only what differs, and only after everything it would write has been checked. */
    ProgramProfile restore(Path backup, PreUpgradeState.Recorded before) {
        BackupManifest manifest = loadManifest(backup);
        List<BackupManifest.SavedFile> differing = verifyDiffering(backup, manifest, before);
        requireSameLaunch(manifest, before);
        requireWritable(backup, differing, checks.freeSpace());
        differing.forEach(saved -> restoreFile(backup, saved));
        manifest.files().forEach(this::deleteCreatedDirectories);
        return manifest.previous();
    }

    private List<BackupManifest.SavedFile> verifyDiffering(
            Path backup, BackupManifest manifest, PreUpgradeState.Recorded before) {
        return before.files().stream()
                .filter(file -> !isAsBefore(manifest, file))
                .map(file -> requireVerifiedCopy(backup, manifest, file))
                .toList();
    }

    /**
     * A restore that could write one file and not the next would leave a mixture (D3). Free space
     * is counted before any trial: the program, which may run, keeps what a trial would take.
     */
    private void requireWritable(
            Path backup, List<BackupManifest.SavedFile> differing, FreeSpaceCheck space) {
        for (BackupManifest.SavedFile saved : differing) {
            Path directory = place.apply(saved.path()).getParent();
            if (directory != null && !saved.storedAs().isEmpty()) {
                space.add(directory, sizeOfCopy(backup, saved), 1);
            }
        }
        space.requireFree();
        for (BackupManifest.SavedFile saved : differing) {
            if (saved.storedAs().isEmpty()) {
                requireDeletable(saved);
            } else {
                checks.tryRestore(saved.path(), saved.attributes(), sizeOfCopy(backup, saved));
            }
        }
    }

    private long sizeOfCopy(Path backup, BackupManifest.SavedFile saved) {
        return saved.storedAs().isEmpty() ? 0 : files.disk().size(backup.resolve(saved.storedAs()));
    }

    /** A deletion needs what a replacement needs, except space and a free inode. */
    private void requireDeletable(BackupManifest.SavedFile saved) {
        try {
            checks.tryRestore(saved.path(), saved.attributes(), 0);
        } catch (ActionFailed e) {
            if (e.reason() != ReasonCode.DISK_FULL) {
                throw e;
            }
        }
    }

    /** Whether the agent could execute a file once it is restored. */
    boolean wouldBeExecutable(Path backup, NodePath path) {
        return loadManifest(backup).files().stream()
                .filter(saved -> saved.path().equals(path))
                .allMatch(saved -> checks.tryRestore(path, saved.attributes(), 0).executable());
    }

    /** The three-way check: manifest = the copy, recomputed = journalled before mutation (D10). */
    private BackupManifest.SavedFile requireVerifiedCopy(
            Path backup, BackupManifest manifest, FileState file) {
        BackupManifest.SavedFile saved =
                manifest.files().stream()
                        .filter(one -> one.path().equals(file.path()))
                        .findFirst()
                        .orElseThrow(() -> mismatchFailure("The backup lacks " + file.path()));
        if (!saved.digest().equals(file.digest())) {
            throw mismatchFailure("Manifest and journal disagree about " + file.path());
        }
        if (file.existed()) {
            Path copy = backup.resolve(saved.storedAs());
            boolean there = files.disk().kind(copy) == Disk.EntryKind.FILE;
            if (!there || !files.disk().digest(copy).value().equals(file.digest())) {
                throw mismatchFailure("The backup of " + file.path() + " is not what was saved");
            }
        }
        return saved;
    }

    private static void requireSameLaunch(
            BackupManifest manifest, PreUpgradeState.Recorded before) {
        Map<NodePath, Digest> managed = new HashMap<>();
        for (FileState file : before.files()) {
            if (file.existed() && manifest.previous().managedFiles().contains(file.path())) {
                String digest = manifest.previous().effectiveDigest(file.path(), file.digest());
                managed.put(file.path(), new Digest(digest));
            }
        }
        Digest launch = manifest.previous().spec().launch().digest();
        if (!ConfigDigest.of(managed, launch).equals(before.configDigest())) {
            throw mismatchFailure("Manifest and journal disagree about the launch specification");
        }
    }

    private void restoreFile(Path backup, BackupManifest.SavedFile saved) {
        Path target = place.apply(saved.path());
        if (saved.digest().isEmpty()) {
            files.delete(target);
            return;
        }
        Path copy = backup.resolve(saved.storedAs());
        Path directory = target.getParent();
        if (directory != null) {
            files.createDirectories(directory);
        }
        try {
            files.copyWithAttributes(copy, target, new Digest(saved.digest()), saved.attributes());
        } catch (DigestMismatch e) {
            throw new ActionFailed(
                    ReasonCode.BACKUP_MISMATCH,
                    "The backup of "
                            + saved.path()
                            + " changed while it was read: repair the node by hand, then clear"
                            + " it.");
        }
    }

    /** The directories above a file that were made for it go, as far as nothing else is in them. */
    private void deleteCreatedDirectories(BackupManifest.SavedFile saved) {
        Path at = place.apply(saved.path()).getParent();
        for (int left = saved.missingDirectoryCount(); left > 0 && at != null; left--) {
            if (files.disk().kind(at) == Disk.EntryKind.DIRECTORY) {
                files.deleteOwnTemporaryFiles(at);
                if (!files.deleteIfEmpty(at)) {
                    return;
                }
            }
            at = at.getParent();
        }
    }

    private boolean isAsBefore(BackupManifest manifest, FileState file) {
        if (!digestOf(file.path()).equals(file.digest())) {
            return false;
        }
        if (!file.existed()) {
            return true;
        }
        FileAttributes present = files.disk().attributes(place.apply(file.path()));
        return manifest.files().stream()
                .filter(saved -> saved.path().equals(file.path()))
                .allMatch(saved -> saved.attributes().findDifference(present).isEmpty());
    }

    private String digestOf(NodePath path) {
        Path file = place.apply(path);
        return files.disk().kind(file) == Disk.EntryKind.FILE
                ? files.disk().digest(file).value()
                : "";
    }

    /** The manifest goes first, durably: what a crash leaves of the rest is no backup. */
    void delete(Path backup) {
        files.delete(manifestFile(backup));
        Disk disk = files.disk();
        disk.list(backup).forEach(disk::delete);
        disk.delete(backup);
        Path rollout = backup.getParent();
        if (rollout != null && disk.list(rollout).isEmpty()) {
            disk.delete(rollout);
        }
    }

    private static Path manifestFile(Path backup) {
        return backup.resolve("manifest.json");
    }

    private static ActionFailed mismatchFailure(String what) {
        return new ActionFailed(
                ReasonCode.BACKUP_MISMATCH,
                what + ": nothing was written; repair the node by hand, then clear it.");
    }
}
