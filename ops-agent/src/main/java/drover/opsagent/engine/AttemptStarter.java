package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.engine.attempt.AttemptPruner;
import drover.opsagent.engine.attempt.AttemptRunner;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.AgentRecordStore;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Start of an attempt: its first journal, the agent's record, then its run, or its result if it
 * does not run.
 */
final class AttemptStarter {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptStarter.class);

    private final StateDirectory state;
    private final JournalStore journals;
    private final AgentRecordStore agentRecord;
    private final NodeRuntime runtime;
    private final StatusSlot slot;
    private final RejectedCommands rejectedCommands;
    private final ProgramAttemptJournalCreator programs;
    private final AgentUpgradeJournalCreator agents;
    private final AttemptRunner runner;
    private final AttemptPruner pruning;

    AttemptStarter(
            StateDirectory state,
            JournalStore journals,
            AgentRecordStore agentRecord,
            NodeRuntime runtime,
            StatusSlot slot,
            RejectedCommands rejectedCommands,
            ProgramAttemptJournalCreator programs,
            AgentUpgradeJournalCreator agents,
            AttemptRunner runner) {
        this.state = state;
        this.journals = journals;
        this.agentRecord = agentRecord;
        this.runtime = runtime;
        this.slot = slot;
        this.rejectedCommands = rejectedCommands;
        this.programs = programs;
        this.agents = agents;
        this.runner = runner;
        this.pruning = new AttemptPruner(state, journals, runtime);
    }

    void startUpgrade(CommandWithContents delivery, Work.Upgrade upgrade) {
        recordAndRunAttempt(delivery, programs.prepareUpgrade(delivery, upgrade));
    }

    void startRestore(CommandWithContents delivery, Work.Restore restore) {
        Journal prepared =
                restore.programName().equals(Work.AgentUpgrade.PROGRAM)
                        ? agents.prepareRestore(restore, it -> newAssignment(delivery, it))
                        : programs.prepareRestore(delivery, restore);
        recordAndRunAttempt(delivery, prepared);
    }

    void startAgentUpgrade(CommandWithContents delivery, Work.AgentUpgrade agent) {
        recordAndRunAttempt(
                delivery,
                agents.prepareUpgrade(
                        agent, delivery.release(), it -> newAssignment(delivery, it)));
    }

    private Assignment newAssignment(CommandWithContents delivery, Work work) {
        return programs.newAssignment(delivery.command(), delivery.budget(), work);
    }

    /** Records an attempt that is refused. */
    void refuse(CommandWithContents delivery, ReasonCode reason, String detail) {
        finishWithoutRunning(
                delivery,
                new AttemptResult(
                        AttemptOutcome.REFUSED, reason, detail, ObservedProgram.NOTHING, ""));
    }

    /** Records an attempt that ends without a run. */
    void finishWithoutRunning(CommandWithContents delivery, AttemptResult result) {
        Work work = ProgramAttemptJournalCreator.workOrNoWork(delivery);
        recordAndRunAttempt(delivery, Journal.neverStarted(newAssignment(delivery, work), result));
    }

    /** The journal is the commit point: floor and epoch follow it, before the first effect (B4). */
    private void recordAndRunAttempt(CommandWithContents delivery, Journal prepared) {
        Journal journal = saveOrRefuse(prepared);
        agentRecord.save(
                agentRecord
                        .current()
                        .withHighestSeen(journal.attempt(), delivery.command().epoch()));
        rejectedCommands.onAttemptAccepted();
        resetRestartCounters(journal.assignment().work());
        LOG.info(
                "Attempt taken attempt={} rolloutId={} traceId={} outcome={} reason={}",
                journal.attempt(),
                journal.assignment().rolloutId(),
                delivery.traceId(),
                journal.ending().outcome(),
                journal.ending().reason());
        if (journal.hasEnded()) {
            slot.publish(journal);
        } else {
            runner.run(journal);
        }
        pruning.pruneAfterAttempt(agentRecord.current().clearedThrough());
    }

    /**
     * Makes the first journal durable. If the disk does not take it, the attempt does not start,
     * and its refusal takes reserved space: only what is durable is reported (R1).
     */
    private Journal saveOrRefuse(Journal prepared) {
        try {
            journals.save(prepared);
            return prepared;
        } catch (DiskFailure e) {
            if (prepared.hasEnded()) {
                throw e;
            }
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            Journal refused =
                    ProgramAttemptJournalCreator.refusedJournal(
                            prepared.assignment(), failure.reason(), failure.detail());
            journals.save(refused);
            return refused;
        }
    }

    private void resetRestartCounters(Work work) {
        ProgramProfile program = state.loadProfile().findProgram(work.programName());
        if (program != null) {
            runtime.resetRestartCounters(program.spec().name());
        }
    }

    /** Records that attempts up to this one, which the agent never received, do not start. */
    void recordWithdrawal(long through, long epoch) {
        Assignment none =
                new Assignment(through, "", "", new Work.UnreadWork(), Duration.ZERO, "none");
        AttemptResult withdrawn =
                new AttemptResult(
                        AttemptOutcome.WITHDRAWN, ReasonCode.NONE, "", ObservedProgram.NOTHING, "");
        Journal journal = Journal.neverStarted(none, withdrawn);
        journals.save(journal);
        agentRecord.save(agentRecord.current().withHighestSeen(through, epoch));
        LOG.info("Attempts up to this one are withdrawn attempt={}", through);
        slot.publish(journal);
    }
}
