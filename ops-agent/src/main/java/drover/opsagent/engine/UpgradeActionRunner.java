package drover.opsagent.engine;

import drover.model.ActionOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.StopSettings;
import drover.opsagent.engine.attempt.AttemptOperations;
import drover.opsagent.fetch.ResumableDownload;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** The eight actions. Each may be repeated: it looks first, and does only what is not so yet. */
final class UpgradeActionRunner {
    static final int LARGEST_CONTENT = 512 * 1024; // what a body may carry (DESIGN § 5)
    static final int LOG_TAIL_BYTES = 8 * 1024;

    private final NodeRuntime runtime;
    private final ProgramInspector view;
    private final StateDirectory state;
    private final JournalStore journals;

    UpgradeActionRunner(NodeRuntime runtime, StateDirectory state, JournalStore journals) {
        this.runtime = runtime;
        this.view = new ProgramInspector(runtime);
        this.state = state;
        this.journals = journals;
    }

    /** Does one action; one that comes back after its deadline has failed, whatever it did. */
    ActionOutcome perform(
            UpgradeAction action,
            Journal journal,
            Work.Upgrade upgrade,
            Deadline deadline,
            IntConsumer percent,
            Consumer<String> notes) {
        ActionOutcome outcome = performAction(action, journal, upgrade, deadline, percent, notes);
        if (deadline.hasPassed()) {
            throw new ActionFailed(
                    ReasonCode.ACTION_TIMED_OUT,
                    action.wireName()
                            + " took longer than it may ("
                            + AttemptOperations.timeout(
                                            action, stopSettings(journal).timeBeyondDefault())
                                    .toSeconds()
                            + " s at the most): look at what is slow on the node.");
        }
        return outcome;
    }

    private ActionOutcome performAction(
            UpgradeAction action,
            Journal journal,
            Work.Upgrade upgrade,
            Deadline deadline,
            IntConsumer percent,
            Consumer<String> notes) {
        return switch (action) {
            case BACKUP_STATE -> backup(journal, upgrade, deadline);
            case ACQUIRE_ARTIFACT -> acquire(journal, upgrade, deadline, percent);
            case VERIFY_ARTIFACT -> verifyArtifact(journal, upgrade);
            case STOP_NODE -> stop(upgrade, deadline, notes);
            case INSTALL_ARTIFACT -> install(journal, upgrade);
            case WRITE_CONFIGS -> writeConfigs(journal, upgrade);
            case RELOAD_DAEMON -> reloadRuntime();
            case START_NODE -> start(upgrade, deadline, notes);
        };
    }

    private ActionOutcome backup(Journal journal, Work.Upgrade upgrade, Deadline deadline) {
        Path backup = backupPath(journal);
        if (runtime.isBackedUp(backup)) {
            return ActionOutcome.ALREADY_DONE;
        }
        PreUpgradeState.Recorded before = journal.before().requireRecorded();
        deleteOtherDownloads(journal, upgrade);
        view.requireSpace(upgrade, before, changedConfigSizes(journal, upgrade));
        runtime.backup(backup, programProfile(upgrade.programName()), before, deadline);
        return ActionOutcome.DONE;
    }

    /** Frees the space of an unfinished download that this attempt does not continue. */
    private void deleteOtherDownloads(Journal journal, Work.Upgrade upgrade) {
        if (isInstalled(upgrade)) {
            ResumableDownload.delete(state.files(), stagingPath(journal));
        } else {
            ResumableDownload.deleteOthers(
                    state.files(), state.staging(), upgrade.artifact().digest());
        }
    }

    private ActionOutcome acquire(
            Journal journal, Work.Upgrade upgrade, Deadline deadline, IntConsumer percent) {
        if (isInstalled(upgrade) || runtime.isAcquired(upgrade.artifact(), stagingPath(journal))) {
            return ActionOutcome.ALREADY_DONE;
        }
        runtime.acquire(upgrade.artifact(), stagingPath(journal), deadline, percent);
        return ActionOutcome.DONE;
    }

    private ActionOutcome verifyArtifact(Journal journal, Work.Upgrade upgrade) {
        Map<NodePath, Long> targets = changedConfigSizes(journal, upgrade);
        Map<NodePath, Long> configs = Map.copyOf(targets);
        if (!isInstalled(upgrade)) {
            runtime.verify(upgrade.artifact(), stagingPath(journal));
            long size = runtime.requiredInstallBytes(stagingPath(journal));
            runtime.programFiles(upgrade.spec()).forEach(path -> targets.put(path, size));
        }
        // The last moment before the program is stopped (D16).
        runtime.requireFreeSpace(
                StateDirectory.UPGRADE_MARGIN_BYTES, StateDirectory.UPGRADE_MARGIN_FILES, targets);
        runtime.requireReplaceable(
                isInstalled(upgrade) ? null : upgrade.spec(), stagingPath(journal), configs);
        runtime.requireExecutable(upgrade.spec());
        runtime.requireStoppable(upgrade.spec().name());
        return ActionOutcome.DONE;
    }

    private Map<NodePath, Long> changedConfigSizes(Journal journal, Work.Upgrade upgrade) {
        Map<NodePath, Long> sizes = new TreeMap<>();
        for (ConfigFile file :
                view.findFilesToWrite(upgrade, programProfile(upgrade.programName()))) {
            sizes.put(file.path(), (long) loadContent(journal, file).length);
        }
        return sizes;
    }

    private ActionOutcome stop(Work.Upgrade upgrade, Deadline deadline, Consumer<String> notes) {
        ProgramState found = runtime.status(upgrade.spec().name());
        notes.accept(stopProgram(upgrade, deadline));
        return found instanceof ProgramState.Down down && !down.desired()
                ? ActionOutcome.ALREADY_DONE
                : ActionOutcome.DONE;
    }

    private ActionOutcome install(Journal journal, Work.Upgrade upgrade) {
        if (isInstalled(upgrade)) {
            return ActionOutcome.ALREADY_DONE;
        }
        runtime.install(upgrade.spec(), upgrade.artifact(), stagingPath(journal));
        return ActionOutcome.DONE;
    }

    private ActionOutcome writeConfigs(Journal journal, Work.Upgrade upgrade) {
        ProgramProfile previous = programProfile(upgrade.programName());
        List<ConfigFile> toWrite = view.findFilesToWrite(upgrade, previous);
        for (ConfigFile file : toWrite) {
            writeConfig(journal, file);
        }
        // The launch specification is configuration: it is written here and restored with the rest.
        // It comes last, so that an agent that is lost before it still knows how the files that are
        // there are launched. The other order is safe, too: the attempt continues or is undone
        // before anything is started.
        NodeProfile before = state.loadProfile();
        NodeProfile after =
                before.with(view.profileAfter(upgrade, previous))
                        .with(
                                new KnownVersion(
                                        upgrade.artifact().digest(),
                                        upgrade.targetVersion(),
                                        upgrade.artifact().url()));
        state.saveRecord(after);
        return toWrite.isEmpty() && after.equals(before)
                ? ActionOutcome.ALREADY_DONE
                : ActionOutcome.DONE;
    }

    private void writeConfig(Journal journal, ConfigFile file) {
        byte[] content = loadContent(journal, file);
        if (!Digest.of(content).equals(file.digest())) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The kept content of " + file.path() + " changed: check the disk.");
        }
        runtime.writeConfig(file.path(), content);
    }

    private byte[] loadContent(Journal journal, ConfigFile file) {
        return journals.loadContent(journal.attempt(), file.digest(), LARGEST_CONTENT);
    }

    private ActionOutcome reloadRuntime() {
        runtime.reload();
        return ActionOutcome.DONE;
    }

    private String stopProgram(Work.Upgrade upgrade, Deadline deadline) {
        return runtime.stop(upgrade.spec().name(), upgrade.spec().launch().stop(), deadline);
    }

    private ActionOutcome start(Work.Upgrade upgrade, Deadline deadline, Consumer<String> notes) {
        Digest target = upgrade.artifact().digest();
        if (runtime.status(upgrade.spec().name()) instanceof ProgramState.Up up
                && target.equals(up.digest())
                && up.configDigest().equals(upgrade.targetConfigDigest())) {
            return ActionOutcome.ALREADY_DONE;
        }
        notes.accept(stopProgram(upgrade, deadline));
        requireWritten(upgrade);
        runtime.start(upgrade.spec(), target, upgrade.targetConfigDigest(), deadline);
        return ActionOutcome.DONE;
    }

    /** While the program is stopped: afterwards it may change its files. */
    private void requireWritten(Work.Upgrade upgrade) {
        ProgramProfile program = programProfile(upgrade.programName());
        if (isWritten(program, upgrade)) {
            return;
        }
        throw new ActionFailed(
                ReasonCode.PROOF_FAILED,
                (isInstalled(upgrade) ? view.describeChangedFiles(program) : "The program file")
                        + " is not what was written: find out what changed it.");
    }

    /** Whether program file, managed files and launch specification are those of the upgrade. */
    boolean isWritten(ProgramProfile program, Work.Upgrade upgrade) {
        return isInstalled(upgrade)
                && view.readConfigDigest(program).equals(upgrade.targetConfigDigest());
    }

    /** Whether the target's bytes are on the disk, staged or installed. */
    boolean isArtifactOnDisk(Journal journal, Work.Upgrade upgrade) {
        return isInstalled(upgrade) || runtime.isAcquired(upgrade.artifact(), stagingPath(journal));
    }

    private boolean isInstalled(Work.Upgrade upgrade) {
        return runtime.isInstalled(upgrade.spec(), upgrade.artifact().digest());
    }

    String logTail(Work.Upgrade upgrade) {
        return runtime.logTail(upgrade.spec().name(), LOG_TAIL_BYTES);
    }

    /**
     * How the program is stopped by an attempt. An upgrade brings the settings for the version that
     * it replaces, too: the first rollout with a longer timeout must not kill it by the old one.
     */
    StopSettings stopSettings(Journal journal) {
        return journal.assignment().work() instanceof Work.Upgrade upgrade
                ? upgrade.spec().launch().stop()
                : programProfile(journal.assignment().work().programName()).spec().launch().stop();
    }

    ProgramProfile programProfile(String name) {
        ProgramProfile program = state.loadProfile().findProgram(name);
        if (program == null) {
            throw new IllegalStateException("The profile lost program " + name);
        }
        return program;
    }

    Path stagingPath(Journal journal) {
        return state.staging().resolve(journal.assignment().stagingName());
    }

    Path backupPath(Journal journal) {
        return state.backups()
                .resolve(journal.assignment().rolloutId())
                .resolve(Long.toString(journal.attempt()));
    }
}
