package drover.opsagent.engine;

import drover.opsagent.admission.AdmissionRules;
import drover.opsagent.admission.AgentFeatures;
import drover.opsagent.admission.AgentStateAtAdmission;
import drover.opsagent.admission.CommandAdmissionDecision;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.engine.attempt.AttemptRunner;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.preflight.PreflightReport;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.store.AgentRecord;
import drover.opsagent.store.AgentRecordStore;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandAuthorizer;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where commands arrive. Takes each in turn, on one thread: admit, make durable, run, report. What
 * others read of it ({@link #agentRecord()}, {@link #latestCommandFinding()}) is safe from any
 * thread.
 */
public final class CommandProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(CommandProcessor.class);

    private final CommandAuthorizer commands;
    private final StateDirectory state;
    private final JournalStore journals;
    private final StatusSlot slot;
    private final boolean executor;
    private final AttemptRunner runner;
    private final Set<String> features;
    private final PreflightRunner preflight;
    private final LocalRollbackRunner localRollback;
    private final RejectedCommands rejectedCommands = new RejectedCommands();
    private final AgentRecordStore agentRecord;
    private final AttemptStarter attempts;
    private final FailureClearer failures;
    private final AgentStartAndRecovery recovery;

    /**
     * A desk that is not open yet.
     *
     * @param executor whether this agent holds the executor lock; a standby does nothing
     */
    public CommandProcessor(
            StateDirectory state,
            NodeRuntime runtime,
            Ticker ticker,
            StatusSlot slot,
            boolean executor) {
        this(
                state,
                runtime,
                ticker,
                slot,
                executor,
                SelfUpgradeDependencies.ofEmbeddedAgent(),
                ReleaseAuthorizerAndRecorder.ALLOW_ALL,
                CommandAuthorizer.ALLOW_ALL);
    }

    /**
     * The desk of an agent that may be replaced, and that takes only what its gates believe.
     *
     * @param executor whether this agent holds the executor lock; a standby does nothing
     */
    public CommandProcessor(
            StateDirectory state,
            NodeRuntime runtime,
            Ticker ticker,
            StatusSlot slot,
            boolean executor,
            SelfUpgradeDependencies replacement,
            ReleaseAuthorizerAndRecorder releases,
            CommandAuthorizer commands) {
        this.commands = commands;
        this.state = state;
        this.journals = new JournalStore(state);
        this.slot = slot;
        this.executor = executor;
        this.agentRecord = new AgentRecordStore(state);
        this.runner =
                new AttemptRunnerFactory(state, journals, runtime, slot, ticker)
                        .create(replacement, commands, rejectedCommands);
        ProgramAttemptJournalCreator preparation =
                new ProgramAttemptJournalCreator(state, journals, runtime, releases);
        this.attempts =
                new AttemptStarter(
                        state,
                        journals,
                        agentRecord,
                        runtime,
                        slot,
                        rejectedCommands,
                        preparation,
                        new AgentUpgradeJournalCreator(replacement.installation(), releases),
                        runner);
        this.failures =
                new FailureClearer(
                        state, journals, runtime, ticker, agentRecord, preparation, attempts);
        this.recovery =
                new AgentStartAndRecovery(state, journals, agentRecord, runtime, slot, runner);
        this.features =
                AgentFeatures.of(
                        replacement.installation() instanceof AgentPackaging.SelfUpgradable);
        this.preflight = new PreflightRunner(state, runtime, releases, ticker);
        this.localRollback = new LocalRollbackRunner(journals, runtime, preparation, runner);
    }

    /** Begins a new incarnation and takes over what runs; starts and changes nothing. */
    public void startIncarnation() {
        if (executor) {
            recovery.startIncarnation();
        } else {
            agentRecord.startStandbyIncarnation();
        }
    }

    /**
     * Resumes an attempt that a crash or a failing disk left open. Before it has ended, no program
     * is started.
     */
    public void recoverOpenAttempt() {
        if (executor) {
            recovery.recoverOpenAttempt();
        }
    }

    /** Takes a command. */
    public void process(CommandWithContents delivery) {
        if (executor) {
            recovery.recoverUnfinished();
        }
        long attempt = delivery.command().attempt();
        if (!authorizeOrResendStatus(
                attempt,
                () -> commands.authorizeCommand(delivery.command(), delivery.authorization()))) {
            return;
        }
        switch (AdmissionRules.decide(delivery.command(), admissionContext())) {
            case CommandAdmissionDecision.Accept(Work work) -> accept(delivery, work);
            case CommandAdmissionDecision.ReportStatus() -> {
                agentRecord.save(agentRecord().withHighestSeen(0, delivery.command().epoch()));
                slot.requestResend();
            }
            case CommandAdmissionDecision.CloseAsRefused(ReasonCode reason, String detail) ->
                    attempts.refuse(delivery, reason, detail);
            case CommandAdmissionDecision.RejectWithoutAttempt(
                            ReasonCode reason,
                            String detail) -> {
                LOG.warn("Command refused attempt={} reason={} {}", attempt, reason, detail);
                if (reason == ReasonCode.BODY_DIFFERS) {
                    rejectedCommands.recordDifferentBody(detail);
                }
                slot.requestResend();
            }
        }
    }

    /**
     * A standby asks no gate, for its executor keeps what is remembered; it does nothing either.
     */
    private boolean authorizeOrResendStatus(long attempt, Runnable gate) {
        boolean trusted =
                !executor || rejectedCommands.authorize(attempt, agentRecord().floor(), gate);
        if (!trusted) {
            slot.requestResend();
        }
        return trusted;
    }

    /** Looks whether an upgrade could be done; the node and this agent's records stay as is. */
    public PreflightReport preflight(PreflightRequest request) {
        CommandWithContents delivery = request.command();
        try {
            if (executor) {
                commands.authorizePreflight(delivery.command(), delivery.authorization());
            }
        } catch (ActionFailed e) {
            return PreflightReport.ofRefusal(
                    request.preflightId(), e.reason(), String.valueOf(e.getMessage()));
        }
        return preflight.run(request, admissionContext());
    }

    private void accept(CommandWithContents delivery, Work work) {
        switch (work) {
            case Work.ClearFailure _ -> failures.clear(delivery);
            case Work.UnreadWork _ -> throw new IllegalStateException("Nothing is never accepted");
            case Work.Upgrade upgrade -> attempts.startUpgrade(delivery, upgrade);
            case Work.Restore restore -> attempts.startRestore(delivery, restore);
            case Work.AgentUpgrade agent -> attempts.startAgentUpgrade(delivery, agent);
        }
    }

    /**
     * Fails unless there is something that somebody on the node can take back; touches nothing.
     *
     * @throws ActionFailed with one sentence that says why not
     */
    public void requireLocalRollbackTarget() {
        localRollback.requireTarget();
    }

    /**
     * Goes back from the last attempt because somebody on the node says so, without any server
     * (D17): from an open one, or from an upgrade that succeeded. It ends as failed, so it is
     * reported like any other.
     *
     * @throws ActionFailed when there is none, or its backup is not what was saved; then nothing
     *     was touched
     */
    public Journal rollBackLastAttempt() {
        return localRollback.rollBack();
    }

    /** Whether a reported result is not durable yet; see {@link #persistPendingResult()}. */
    public boolean hasUnpersistedResult() {
        return runner.hasUnpersistedResult();
    }

    /** Whether the disk has to be tried again: for a result, or for the reserve. */
    public boolean hasPendingWrites() {
        return hasUnpersistedResult() || (executor && state.reserve().needsRenewal());
    }

    /** Reserves space again for the records of attempts; see {@link #findDiskProblem()}. */
    public void renewReserve() {
        if (executor) {
            state.reserve().renew();
        }
    }

    /** Why the agent's directory may not take the record of the next attempt, or null. */
    public @Nullable AgentFinding findDiskProblem() {
        DiskFailure problem = executor ? state.reserve().findProblem() : null;
        return problem == null ? null : AgentFinding.of(problem);
    }

    /** Makes durable what was told while the disk took nothing. */
    public void persistPendingResult() {
        runner.persistPendingResult();
    }

    /** Attempts up to this one that were never seen never begin. */
    public void withdraw(Withdrawal requested) {
        if (executor) {
            recovery.recoverUnfinished();
        }
        long through = requested.throughAttempt();
        long epoch = requested.epoch();
        if (!authorizeOrResendStatus(
                through,
                () -> commands.authorizeWithdrawal(through, epoch, requested.authorization()))) {
            return;
        }
        if (AdmissionRules.isWithdrawable(through, epoch, admissionContext())) {
            attempts.recordWithdrawal(through, epoch);
        } else {
            slot.requestResend();
        }
    }

    /** The gateway named the node. */
    public void saveNodeIdIfChanged(String nodeId) {
        if (executor && !agentRecord().nodeId().equals(nodeId)) {
            agentRecord.save(agentRecord().withNodeId(nodeId));
        }
    }

    /** What this very agent can do. */
    public Set<String> features() {
        return features;
    }

    /** What the agent remembers of itself. */
    public AgentRecord agentRecord() {
        return agentRecord.current();
    }

    /** Whether it may act on the node. */
    public boolean isExecutor() {
        return executor;
    }

    /** What the node is. */
    public NodeProfile loadProfile() {
        return state.loadProfile();
    }

    /**
     * Something odd about a command; absent when there was nothing since the last attempt, and what
     * came last was believed.
     */
    public @Nullable AgentFinding latestCommandFinding() {
        return rejectedCommands.latestFinding();
    }

    private AgentStateAtAdmission admissionContext() {
        return new AgentStateAtAdmission(
                agentRecord().nodeId(),
                executor,
                agentRecord().floor(),
                agentRecord().epoch(),
                journals.loadLatest(),
                journals.hasUnclearedFailedRollback(agentRecord().clearedThrough()),
                features);
    }
}
