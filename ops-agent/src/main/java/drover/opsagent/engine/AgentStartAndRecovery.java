package drover.opsagent.engine;

import drover.opsagent.engine.attempt.AttemptRunner;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.AgentRecordStore;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Start of the agent, and recovery of the attempt that a crash or a failing disk left open. */
final class AgentStartAndRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(AgentStartAndRecovery.class);

    private final StateDirectory state;
    private final JournalStore journals;
    private final AgentRecordStore agentRecord;
    private final NodeRuntime runtime;
    private final StatusSlot slot;
    private final AttemptRunner runner;

    AgentStartAndRecovery(
            StateDirectory state,
            JournalStore journals,
            AgentRecordStore agentRecord,
            NodeRuntime runtime,
            StatusSlot slot,
            AttemptRunner runner) {
        this.state = state;
        this.journals = journals;
        this.agentRecord = agentRecord;
        this.runtime = runtime;
        this.slot = slot;
        this.runner = runner;
    }

    /** Begins a new incarnation and takes over what runs; starts and changes nothing. */
    void startIncarnation() {
        state.createPrivate();
        state.syncDirectories();
        state.files().deleteTemporaryFiles(state.journals()); // a full disk has no inode for them
        agentRecord.save(agentRecord.current().withNextIncarnation());
        state.reserve().renew();
        for (ProgramProfile program : state.loadProfile().programs()) {
            runtime.adopt(program.spec().name());
        }
        Journal latest = journals.loadLatest();
        if (latest != null) {
            agentRecord.save(agentRecord.current().withHighestSeen(latest.attempt(), 0));
            slot.republish(latest);
        }
    }

    /** Runs the open attempt to its end; then programs may start. */
    void recoverOpenAttempt() {
        Journal open = journals.loadOpenJournal();
        if (open != null) {
            agentRecord.save(agentRecord.current().withHighestSeen(open.attempt(), 0));
            runtime.syncInterruptedWrites(PossiblyModifiedFileFinder.possiblyModifiedBy(open));
            LOG.info("Open attempt is taken up attempt={}", open.attempt());
            runner.recoverOpen(open);
            republishIfNewer(open);
        }
        if (!journals.hasUnclearedFailedRollback(agentRecord.current().clearedThrough())) {
            allowProgramStarts(); // an agent that was killed at the end of an attempt did not
        }
    }

    /** The control plane waits for the latest attempt, not for one that was rolled back locally. */
    private void republishIfNewer(Journal recovered) {
        Journal latest = journals.loadLatest();
        if (latest != null && latest.attempt() > recovered.attempt()) {
            slot.republish(latest);
        }
    }

    private void allowProgramStarts() {
        state.loadProfile()
                .programs()
                .forEach(program -> runtime.allowStarts(program.spec().name()));
    }

    /**
     * Ends an attempt that a disk failure between its journal and the next step left without a run
     * or a report. Otherwise it stays open at the leader until the agent's next start. On the one
     * work thread, an attempt that is open now does not run.
     */
    void recoverUnfinished() {
        runner.persistPendingResult();
        recoverOpenAttempt();
        Journal latest = journals.loadLatest();
        AttemptStatus received = slot.currentStatus();
        if (latest != null
                && latest.hasEnded()
                && (received == null || received.journal().attempt() < latest.attempt())) {
            agentRecord.save(agentRecord.current().withHighestSeen(latest.attempt(), 0));
            slot.publish(latest);
        }
    }
}
