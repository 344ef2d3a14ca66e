package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.PreviousOrTargetVersion;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.store.StateJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Version of a program whose failed restore an operator clears: files and launch specification must
 * belong together (D3).
 */
final class ClearedLaunchSpecReconciler {
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final ProgramAttemptJournalCreator preparation;
    private final ProgramInspector inspector;

    ClearedLaunchSpecReconciler(
            StateDirectory state,
            JournalStore journals,
            NodeRuntime runtime,
            ProgramAttemptJournalCreator preparation) {
        this.state = state;
        this.journals = journals;
        this.runtime = runtime;
        this.preparation = preparation;
        this.inspector = new ProgramInspector(runtime);
    }

    /**
     * Verifies that the files are those of one version, and saves the launch specification of that
     * version.
     *
     * @param failed the attempt that could not be undone
     * @return the program with that launch specification
     * @throws ActionFailed with PROOF_FAILED if parts of both versions are on the disk
     */
    ProgramProfile requireOneVersion(ProgramProfile program, Journal failed) {
        Journal upgraded = journals.loadUndoneJournal(failed);
        if (upgraded == null
                || !(upgraded.assignment().work() instanceof Work.Upgrade upgrade)
                || !(upgraded.before() instanceof PreUpgradeState.Recorded before)) {
            return program; // its contents are not known
        }
        return switch (PreviousOrTargetVersion.of(readContents(upgrade, before))) {
            case PreviousOrTargetVersion.Undetermined() -> program;
            case PreviousOrTargetVersion.Target() -> withTargetLaunch(program, upgrade);
            case PreviousOrTargetVersion.Previous(String other) ->
                    hasPreviousLaunch(program, upgrade, before)
                            ? program
                            : restoreLaunch(program, upgraded, before, other);
            case PreviousOrTargetVersion.Mixed(String previousFile, String targetFile) ->
                    throw mixtureFailure(program, upgraded, previousFile, targetFile);
        };
    }

    private List<PreviousOrTargetVersion.FileVersionDigests> readContents(
            Work.Upgrade upgrade, PreUpgradeState.Recorded before) {
        List<NodePath> programFiles = runtime.programFiles(upgrade.spec());
        Map<NodePath, String> targets = new HashMap<>();
        programFiles.forEach(path -> targets.put(path, upgrade.artifact().digest().value()));
        for (ConfigFile file : upgrade.files()) {
            targets.put(file.path(), file.digest().value());
        }
        List<PreviousOrTargetVersion.FileVersionDigests> contents = new ArrayList<>();
        if (programFiles.isEmpty()) {
            contents.add(
                    new PreviousOrTargetVersion.FileVersionDigests(
                            "the image of container " + upgrade.spec().launch().service(),
                            before.digest(),
                            upgrade.artifact().digest().value(),
                            runtime.installedDigest(upgrade.spec()),
                            false));
        }
        for (PreUpgradeState.FileState file : before.files()) {
            contents.add(
                    new PreviousOrTargetVersion.FileVersionDigests(
                            file.path().value(),
                            file.digest(),
                            targets.getOrDefault(file.path(), file.digest()),
                            runtime.digestOf(file.path()),
                            upgrade.spec().programWritten().contains(file.path())));
        }
        return contents;
    }

    private ActionFailed mixtureFailure(
            ProgramProfile program, Journal upgraded, String previousFile, String targetFile) {
        return new ActionFailed(
                ReasonCode.PROOF_FAILED,
                program.name()
                        + " is not started: "
                        + previousFile
                        + " is of the version before attempt "
                        + upgraded.attempt()
                        + ", "
                        + targetFile
                        + " of the version that it installed. "
                        + mixtureRepair(program, upgraded)
                        + ", then clear it again.");
    }

    private String mixtureRepair(ProgramProfile program, Journal upgraded) {
        if (!runtime.programFiles(program.spec()).isEmpty()) {
            return "Copy the files of one version to the node";
        }
        String container = program.spec().launch().service();
        return "Restore the earlier version by hand: copy its files from "
                + preparation.backupPath(upgraded)
                + " to the node, and if container "
                + container
                + " is the new one, remove it and rename the retained one ("
                + container
                + ".drover-ID in docker ps -a) to "
                + container;
    }

    private ProgramProfile withTargetLaunch(ProgramProfile program, Work.Upgrade upgrade) {
        if (program.spec().equals(upgrade.spec())) {
            return program;
        }
        ProgramProfile target = inspector.profileAfter(upgrade, program);
        state.saveRecord(
                state.loadProfile()
                        .with(target)
                        .with(
                                new KnownVersion(
                                        upgrade.artifact().digest(),
                                        upgrade.targetVersion(),
                                        upgrade.artifact().url())));
        return target;
    }

    /** Whether the profile is the earlier one, or an upgrade of the files alone. */
    private static boolean hasPreviousLaunch(
            ProgramProfile program, Work.Upgrade upgrade, PreUpgradeState.Recorded before) {
        if (!program.spec().equals(upgrade.spec())) {
            return true;
        }
        Map<NodePath, Digest> files = new HashMap<>();
        for (PreUpgradeState.FileState file : before.files()) {
            if (file.existed() && program.managedFiles().contains(file.path())) {
                files.put(file.path(), new Digest(file.digest()));
            }
        }
        Digest launch = upgrade.spec().launch().digest();
        return ConfigDigest.of(files, launch).equals(before.configDigest());
    }

    /** The earlier launch specification is in the backup alone, next to the earlier files. */
    private ProgramProfile restoreLaunch(
            ProgramProfile program,
            Journal upgraded,
            PreUpgradeState.Recorded before,
            String otherFile) {
        if (!otherFile.isEmpty()) {
            throw new ActionFailed(
                    ReasonCode.PROOF_FAILED,
                    program.name()
                            + " is not started: its launch specification is of the version that"
                            + " attempt "
                            + upgraded.attempt()
                            + " installed, and is restored only if all files are as before. Copy "
                            + otherFile
                            + " from the backup of the attempt, then clear the node again.");
        }
        try {
            ProgramProfile previous =
                    runtime.restoreFiles(preparation.backupPath(upgraded), before);
            state.saveRecord(state.loadProfile().with(previous));
            return previous;
        } catch (StateJson.UnreadableState _) {
            throw unreadableBackupFailure(program, upgraded);
        } catch (ActionFailed e) {
            throw e.reason() == ReasonCode.BACKUP_MISMATCH
                    ? unreadableBackupFailure(program, upgraded)
                    : new ActionFailed(
                            e.reason(),
                            "The earlier launch specification of "
                                    + program.name()
                                    + " cannot be restored. "
                                    + e.getMessage());
        }
    }

    private static ActionFailed unreadableBackupFailure(ProgramProfile program, Journal upgraded) {
        return new ActionFailed(
                ReasonCode.BACKUP_MISMATCH,
                program.name()
                        + " is not started: its earlier launch specification cannot be read from"
                        + " the backup of attempt "
                        + upgraded.attempt()
                        + ". Copy the files of the version that the attempt installed to the node,"
                        + " then clear it again.");
    }
}
