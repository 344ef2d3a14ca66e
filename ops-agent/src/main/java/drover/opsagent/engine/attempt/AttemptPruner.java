package drover.opsagent.engine.attempt;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.Disk;
import drover.opsagent.fetch.ResumableDownload;
import drover.opsagent.journal.AttemptRetentionFacts;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.AttemptRetention;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what {@link AttemptRetention} does not keep, when an attempt has ended and its end is
 * told. What the disk refuses, and what a crash leaves, goes after a later attempt: it looks at
 * what is there.
 */
public final class AttemptPruner {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptPruner.class);
    private static final Pattern ATTEMPT = Pattern.compile("[0-9]{1,18}");

    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;

    /** Prunes the attempts of this node. */
    public AttemptPruner(StateDirectory state, JournalStore journals, NodeRuntime runtime) {
        this.state = state;
        this.journals = journals;
        this.runtime = runtime;
    }

    /** Removes what it can; a failure is logged and concerns nobody else. */
    public void pruneAfterAttempt(long clearedThrough) {
        try {
            prune(clearedThrough);
        } catch (RuntimeException e) {
            LOG.warn("What is spent stays reason={}", FailureReasonAndDetail.of(e).reason(), e);
        }
    }

    private void prune(long clearedThrough) {
        List<AttemptRetentionFacts> past = journals.loadSummaries();
        if (past.stream().anyMatch(one -> !one.outcome().isTerminal())) {
            return; // its end is owed to the disk, and it may be taken up again
        }
        pruneBackups(past, clearedThrough);
        Set<Long> kept = AttemptRetention.retainedJournals(past, clearedThrough);
        for (AttemptRetentionFacts one : past) { // oldest first: what took another back outlives it
            if (!kept.contains(one.attempt())) {
                journals.delete(one.attempt());
            }
        }
        deleteLeftovers(past.isEmpty() || hasUpgradedProgram(past.getLast()));
    }

    private void pruneBackups(List<AttemptRetentionFacts> past, long clearedThrough) {
        Map<Path, Long> backups = listBackups();
        Set<Long> complete = new HashSet<>();
        backups.forEach(
                (backup, attempt) -> {
                    if (runtime.isBackedUp(backup)) {
                        complete.add(attempt);
                    }
                });
        Set<Long> kept = AttemptRetention.retainedBackups(past, complete, clearedThrough);
        backups.values().removeAll(kept);
        backups.forEach(
                (backup, attempt) -> {
                    runtime.deleteBackup(backup);
                    LOG.info("Backup removed attempt={}", attempt);
                });
        if (!backups.isEmpty()) {
            runtime.deleteTempFilesNextTo(List.of()); // what was kept for those backups alone
        }
    }

    private static boolean hasUpgradedProgram(AttemptRetentionFacts one) {
        return one.outcome() == AttemptOutcome.SUCCEEDED
                && !one.program().isEmpty()
                && !one.program().equals(Work.AgentUpgrade.PROGRAM);
    }

    /**
     * Deletes what an agent left that was killed before its cleanup. An unfinished download stays
     * until an upgrade of a program succeeds: a retry continues it, also after a rejected attempt,
     * a restore or an upgrade of the agent.
     */
    private void deleteLeftovers(boolean unfinishedDownloadToo) {
        Disk disk = state.files().disk();
        Set<Path> kept =
                unfinishedDownloadToo
                        ? Set.of()
                        : ResumableDownload.unfinishedFiles(disk, state.staging());
        disk.list(state.staging()).stream()
                .filter(file -> !kept.contains(file))
                .forEach(disk::delete);
        for (Path contents : disk.list(state.contents())) {
            if (!disk.list(contents).isEmpty()) {
                disk.list(contents).forEach(disk::delete);
                disk.delete(contents);
            }
        }
    }

    /** What lies where backups lie, with the attempt that each is of. */
    private Map<Path, Long> listBackups() {
        Disk disk = state.files().disk();
        Map<Path, Long> backups = new HashMap<>();
        for (Path rollout : disk.list(state.backups())) {
            for (Path backup : disk.list(rollout)) {
                String name = String.valueOf(backup.getFileName());
                if (ATTEMPT.matcher(name).matches()
                        && disk.kind(backup) == Disk.EntryKind.DIRECTORY) {
                    backups.put(backup, Long.valueOf(name));
                }
            }
        }
        return backups;
    }
}
