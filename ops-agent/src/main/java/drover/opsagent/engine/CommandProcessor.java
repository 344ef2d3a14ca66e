package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.opsagent.admission.AdmissionRules;
import drover.opsagent.admission.AgentStateAtAdmission;
import drover.opsagent.admission.CommandAdmissionDecision;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.preflight.PreflightReport;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.store.AgentRecord;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandAuthorizer;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

    /** What this agent can do, matched against what bodies require. */
    public static final Set<String> FEATURES =
            Set.of(
                    "upgrade/1",
                    "restore/1",
                    "restore-by-address/1",
                    "clear/1",
                    "withdraw/1",
                    "preflight/1",
                    "log/1",
                    "stop-settings/1",
                    "program-written/1",
                    "cluster-role/1");

    /** What an agent with a jar of its own can do besides. */
    public static final String AGENT_UPGRADE = "agent-upgrade/1";

    private final CommandAuthorizer commands;
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final StatusSlot slot;
    private final boolean executor;
    private final AttemptRunner runner;
    private final ProgramAttemptJournalCreator preparation;
    private final AgentUpgradeJournalCreator agentPreparation;
    private final Set<String> features;
    private final PreflightRunner preflight;
    private final AttemptPruner pruning;
    private final LocalRollbackRunner localRollback;
    private final RejectedCommands rejectedCommands = new RejectedCommands();
    private final ProgramInspector view;
    private final ProgramStarterBeforeClear clearedPrograms;
    private volatile AgentRecord agentRecord;

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
                ReleaseAuthorizerAndRecorder.ALLOW_ALL);
    }

    /** The desk of an agent that may be replaced, and that believes the gateway. */
    public CommandProcessor(
            StateDirectory state,
            NodeRuntime runtime,
            Ticker ticker,
            StatusSlot slot,
            boolean executor,
            SelfUpgradeDependencies replacement,
            ReleaseAuthorizerAndRecorder releases) {
        this(
                state,
                runtime,
                ticker,
                slot,
                executor,
                replacement,
                releases,
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
        this.runtime = runtime;
        this.slot = slot;
        this.executor = executor;
        this.view = new ProgramInspector(runtime);
        AttemptOperations programs = new ProgramAttemptOperations(state, journals, runtime);
        AttemptOperations agents =
                switch (replacement.installation()) {
                    case AgentPackaging.Embedded() -> programs; // refused before it comes to that
                    case AgentPackaging.SelfUpgradable own ->
                            new AgentAttemptOperations(
                                    own,
                                    replacement.messages(),
                                    slot,
                                    ticker,
                                    replacement.exit(),
                                    commands,
                                    rejectedCommands::recordRejection);
                };
        this.runner =
                new AttemptRunner(
                        journals,
                        work -> work instanceof Work.AgentUpgrade ? agents : programs,
                        ticker,
                        slot::publish,
                        slot::reportProgress);
        this.preparation = new ProgramAttemptJournalCreator(state, journals, runtime, releases);
        this.clearedPrograms =
                new ProgramStarterBeforeClear(
                        journals,
                        runtime,
                        new ClearedProgramReconciler(state, journals, runtime, preparation),
                        ticker);
        this.agentPreparation =
                new AgentUpgradeJournalCreator(replacement.installation(), releases);
        this.features = features(replacement.installation());
        this.preflight = new PreflightRunner(state, runtime, releases, ticker);
        this.pruning = new AttemptPruner(state, journals, runtime);
        this.localRollback = new LocalRollbackRunner(journals, runtime, preparation, runner);
        this.agentRecord = state.loadAgentRecord();
    }

    /** Begins a new incarnation and takes over what runs; starts and changes nothing. */
    public void startIncarnation() {
        if (!executor) {
            agentRecord = agentRecord.withNextIncarnation();
            return;
        }
        state.createPrivate();
        state.syncDirectories();
        saveAgentRecord(agentRecord.withNextIncarnation());
        journals.reserveSpace();
        for (ProgramProfile program : state.loadProfile().programs()) {
            runtime.adopt(program.spec().name());
        }
        Journal latest = journals.loadLatest();
        if (latest == null) {
            return;
        }
        saveAgentRecord(agentRecord.withHighestSeen(latest.attempt(), 0));
        slot.republish(latest);
    }

    /**
     * Takes up an attempt that a crash or a failing disk left open. Until it is over no program is
     * started.
     */
    public void recoverOpenAttempt() {
        Journal open = executor ? journals.loadOpenJournal() : null;
        if (open != null) {
            saveAgentRecord(agentRecord.withHighestSeen(open.attempt(), 0));
            runtime.syncInterruptedWrites(PossiblyModifiedFileFinder.possiblyModifiedBy(open));
            LOG.info("Open attempt is taken up attempt={}", open.attempt());
            runner.recoverOpen(open);
            republishIfNewer(open);
        }
        if (executor && !journals.hasUnclearedFailedRollback(agentRecord.clearedThrough())) {
            allowProgramStarts(); // an agent that was killed at the end of an attempt did not
        }
    }

    /** Whoever took an earlier attempt back on the node is not whom the control plane waits for. */
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

    /** Takes a command. */
    public void process(CommandWithContents delivery) {
        recoverUnfinished();
        long attempt = delivery.command().attempt();
        if (!authorizeOrResendStatus(
                attempt,
                () -> commands.authorizeCommand(delivery.command(), delivery.authorization()))) {
            return;
        }
        switch (AdmissionRules.decide(delivery.command(), admissionContext())) {
            case CommandAdmissionDecision.Accept(Work work) -> accept(delivery, work);
            case CommandAdmissionDecision.ReportStatus() -> {
                saveAgentRecord(agentRecord.withHighestSeen(0, delivery.command().epoch()));
                slot.requestResend();
            }
            case CommandAdmissionDecision.CloseAsRefused(ReasonCode reason, String detail) ->
                    finishWithoutRunning(
                            delivery,
                            AttemptOutcome.REFUSED,
                            reason,
                            detail,
                            ObservedProgram.NOTHING);
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
                !executor || rejectedCommands.authorize(attempt, agentRecord.floor(), gate);
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
            case Work.ClearFailure _ -> clearFailures(delivery);
            case Work.UnknownWork _ -> throw new IllegalStateException("Nothing is never accepted");
            case Work.Upgrade upgrade ->
                    recordAndRunAttempt(delivery, preparation.prepareUpgrade(delivery, upgrade));
            case Work.Restore restore when isAgentRestore(restore) ->
                    recordAndRunAttempt(
                            delivery,
                            agentPreparation.prepareRestore(
                                    restore, it -> newAssignment(delivery, it)));
            case Work.Restore restore ->
                    recordAndRunAttempt(delivery, preparation.prepareRestore(delivery, restore));
            case Work.AgentUpgrade agent ->
                    recordAndRunAttempt(
                            delivery,
                            agentPreparation.prepareUpgrade(
                                    agent, delivery.release(), it -> newAssignment(delivery, it)));
        }
    }

    private static boolean isAgentRestore(Work.Restore restore) {
        return restore.programName().equals(Work.AgentUpgrade.PROGRAM);
    }

    private Assignment newAssignment(CommandWithContents delivery, Work work) {
        return preparation.newAssignment(delivery.command(), delivery.budget(), work);
    }

    /** The journal is the commit point: floor and epoch follow it, before the first effect (B4). */
    private void recordAndRunAttempt(CommandWithContents delivery, Journal journal) {
        journals.save(journal);
        saveAgentRecord(agentRecord.withHighestSeen(journal.attempt(), delivery.command().epoch()));
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
        pruning.pruneAfterAttempt(agentRecord.clearedThrough());
    }

    private void resetRestartCounters(Work work) {
        ProgramProfile program = state.loadProfile().findProgram(work.programName());
        if (program != null) {
            runtime.resetRestartCounters(program.spec().name());
        }
    }

    private void finishWithoutRunning(
            CommandWithContents delivery,
            AttemptOutcome outcome,
            ReasonCode reason,
            String detail,
            ObservedProgram seen) {
        Work work = ProgramAttemptJournalCreator.workOrNoWork(delivery);
        AttemptResult ending = new AttemptResult(outcome, reason, detail, seen, "");
        recordAndRunAttempt(delivery, Journal.neverStarted(newAssignment(delivery, work), ending));
    }

    /**
     * Starts programs that are down. If one whose restore failed does not stay up, the attempt ends
     * as failed and leaves the mark (D14: a failed restore needs an operator).
     */
    private void clearFailures(CommandWithContents delivery) {
        ProgramStarterBeforeClear.Failures failures =
                clearedPrograms.startAll(
                        state.loadProfile().programs(),
                        agentRecord.clearedThrough(),
                        delivery.budget());
        List<ProgramProfile> programs = state.loadProfile().programs();
        ObservedProgram seen =
                programs.isEmpty()
                        ? ObservedProgram.NOTHING
                        : view.readObservedProgram(programs.getFirst());
        if (!failures.other().isEmpty()) {
            LOG.warn("Programs do not run reason={}", describeFailures(failures.other()));
        }
        if (failures.required().isEmpty()) {
            saveAgentRecord(agentRecord.withClearedThrough(delivery.command().attempt()));
            finishWithoutRunning(
                    delivery,
                    AttemptOutcome.SUCCEEDED,
                    ReasonCode.NONE,
                    describeFailures(failures.other()),
                    seen);
        } else {
            finishWithoutRunning(
                    delivery,
                    AttemptOutcome.FAILED_ROLLBACK,
                    failures.required().getFirst().reason(),
                    describeFailures(failures.required()),
                    seen);
        }
    }

    /** The first failure and the number of all; empty if there is none. */
    private static String describeFailures(List<FailureReasonAndDetail> failures) {
        if (failures.isEmpty()) {
            return "";
        }
        String first = failures.getFirst().detail();
        return failures.size() == 1 ? first : first + " Programs down: " + failures.size() + ".";
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

    /**
     * A disk that failed between the journal and what follows it left an attempt that nobody runs
     * or that nobody was told of; it would stay open at the leader until this agent's next start.
     * On this one thread, an attempt that is open now is one that nobody runs.
     */
    private void recoverUnfinished() {
        runner.persistPendingResult();
        recoverOpenAttempt();
        Journal latest = executor ? journals.loadLatest() : null;
        AttemptStatus received = slot.currentStatus();
        if (latest != null
                && latest.hasEnded()
                && (received == null || received.journal().attempt() < latest.attempt())) {
            saveAgentRecord(agentRecord.withHighestSeen(latest.attempt(), 0));
            slot.publish(latest);
        }
    }

    /**
     * Whether the disk owes something that was told: {@link #persistPendingResult()} is to be tried
     * again.
     */
    public boolean hasUnpersistedResult() {
        return runner.hasUnpersistedResult();
    }

    /** Makes durable what was told while the disk took nothing. */
    public void persistPendingResult() {
        runner.persistPendingResult();
    }

    /** Attempts up to this one that were never seen never begin. */
    public void withdraw(Withdrawal requested) {
        recoverUnfinished();
        long through = requested.throughAttempt();
        long epoch = requested.epoch();
        if (!authorizeOrResendStatus(
                through,
                () -> commands.authorizeWithdrawal(through, epoch, requested.authorization()))) {
            return;
        }
        if (AdmissionRules.isWithdrawable(through, epoch, admissionContext())) {
            Assignment none =
                    new Assignment(through, "", "", new Work.UnknownWork(), Duration.ZERO, "none");
            AttemptResult withdrawn =
                    new AttemptResult(
                            AttemptOutcome.WITHDRAWN,
                            ReasonCode.NONE,
                            "",
                            ObservedProgram.NOTHING,
                            "");
            Journal journal = Journal.neverStarted(none, withdrawn);
            journals.save(journal);
            saveAgentRecord(agentRecord.withHighestSeen(through, epoch));
            LOG.info("Attempts up to this one are withdrawn attempt={}", through);
            slot.publish(journal);
        } else {
            slot.requestResend();
        }
    }

    /** The gateway named the node. */
    public void saveNodeIdIfChanged(String nodeId) {
        if (executor && !agentRecord.nodeId().equals(nodeId)) {
            saveAgentRecord(agentRecord.withNodeId(nodeId));
        }
    }

    private static Set<String> features(AgentPackaging itself) {
        Set<String> all = new TreeSet<>(FEATURES);
        if (itself instanceof AgentPackaging.SelfUpgradable) {
            all.add(AGENT_UPGRADE);
        }
        return Set.copyOf(all);
    }

    /** What this very agent can do. */
    public Set<String> features() {
        return features;
    }

    /** What the agent remembers of itself. */
    public AgentRecord agentRecord() {
        return agentRecord;
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
                agentRecord.nodeId(),
                executor,
                agentRecord.floor(),
                agentRecord.epoch(),
                journals.loadLatest(),
                journals.hasUnclearedFailedRollback(agentRecord.clearedThrough()),
                features);
    }

    private synchronized void saveAgentRecord(AgentRecord next) {
        if (!next.equals(agentRecord)) {
            state.saveRecord(next);
            agentRecord = next;
        }
    }
}
