package drover.opsagent.main;

import drover.model.program.ProgramSpec;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.LogRequestHandler;
import drover.opsagent.engine.PreflightReportSlot;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.engine.SelfUpgradeDependencies;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.LoopWakeup;
import drover.opsagent.peers.ReportProtos;
import drover.opsagent.peers.SelfReport;
import drover.opsagent.peers.SessionHandler;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.preflight.PreflightAdmissionRules;
import drover.opsagent.preflight.PreflightReport;
import drover.opsagent.probe.Prober;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandAuthorizer;
import drover.opsagent.trust.OwnerRootsUpdatingAuthorizer;
import drover.opsagent.trust.PolicyThenSignatureAuthorizer;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import drover.opsagent.trust.SignedReleaseAuthorizer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything an agent does for its node, without the threads that do it and the stream it speaks
 * on: {@link OpsAgent} runs it in real time, a simulation one step after another. Its rounds are
 * called by one thread each, but that its first work watches as well, which programs' own locks
 * allow; what comes in may come from any.
 */
public final class AgentCore implements SessionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCore.class);
    private static final Duration RETRY_INTERVAL =
            Duration.ofSeconds(10); // a disk is repaired by people

    /** An asking that waited longer behind an attempt is not asked any more. */
    private static final Duration PREFLIGHT_TTL = Duration.ofSeconds(30);

    private static final Duration IDLE_WAIT = Duration.ofHours(1);

    private final CommandProcessor processor;
    private final NodeRuntime runtime;
    private final Prober prober;
    private final AgentAndProgramsReportBuilder reportBuilder;
    private final StatusSlot slot;
    private final LoopWakeup workSignal = new LoopWakeup();
    private final AtomicReference<@Nullable CommandWithContents> pendingCommand =
            new AtomicReference<>();
    private final AtomicReference<@Nullable Withdrawal> pendingWithdrawal = new AtomicReference<>();
    private final AtomicReference<@Nullable PendingPreflight> pendingPreflight =
            new AtomicReference<>();
    private final PreflightReportSlot preflightReport;
    private final LogRequestHandler logs;
    private final LoopWakeup logRequests = new LoopWakeup();
    private final Ticker ticker;
    private final AtomicReference<String> welcomedNodeId = new AtomicReference<>("");
    private final AtomicReference<SelfReport.@Nullable TemporarilyDeclinedCommand> declined =
            new AtomicReference<>();
    private final SelfUpgradeDependencies selfUpgrade;
    private final AtomicBoolean healthChanged = new AtomicBoolean();
    private final Runnable onChange;
    private volatile boolean recovered;

    private record PendingPreflight(PreflightRequest request, Deadline expiry) {}

    /**
     * Care for a node whose agent has not begun.
     *
     * @param executor whether the agent holds the executor lock
     * @param speak told when there is something new to say; must not block
     */
    public AgentCore(
            OpsAgentConfig config, OpsAgent.Dependencies parts, boolean executor, Runnable speak) {
        this(config, parts, executor, speak, SelfUpgradeDependencies.ofEmbeddedAgent());
    }

    /** The same, by an agent that may be replaced. */
    AgentCore(
            OpsAgentConfig config,
            OpsAgent.Dependencies parts,
            boolean executor,
            Runnable speak,
            SelfUpgradeDependencies replacement) {
        this.selfUpgrade = replacement;
        this.onChange = speak;
        DurableFiles files = new DurableFiles(parts.disk(), parts.random());
        StateDirectory state = new StateDirectory(config.stateDirectory(), files);
        this.ticker = parts.ticker();
        this.preflightReport = new PreflightReportSlot(speak);
        this.runtime =
                parts.runtimes()
                        .open(
                                config.runtime(),
                                new RuntimeContext(
                                        state,
                                        config.root(),
                                        parts.fetcher(),
                                        parts.processes(),
                                        ticker,
                                        config.startSettle()));
        this.slot = new StatusSlot(ticker, speak, parts.metrics()::recordAttemptEnd);
        LocalPolicy bounds = parts.runtimes().policy();
        SignaturePolicy signatures = bounds.signatures();
        ReleaseAuthorizerAndRecorder releases =
                new PolicyThenSignatureAuthorizer(
                        bounds,
                        SignedReleaseAuthorizer.of(
                                signatures, state, ReportProtos.platformName(), ticker));
        CommandAuthorizer commands = OwnerRootsUpdatingAuthorizer.of(signatures, state, ticker);
        this.processor =
                new CommandProcessor(
                        state, runtime, ticker, slot, executor, replacement, releases, commands);
        this.prober = new Prober(runtime, ticker, parts.probes());
        this.logs =
                new LogRequestHandler(
                        () -> programSpecs().stream().map(ProgramSpec::name).toList(),
                        runtime,
                        speak);
        this.reportBuilder =
                new AgentAndProgramsReportBuilder(
                        config,
                        processor,
                        runtime,
                        prober,
                        slot,
                        ticker,
                        replacement.installation());
    }

    /** Begins a new incarnation and takes over what runs. */
    public void startIncarnation() {
        processor.startIncarnation();
    }

    /** Takes up an attempt that an earlier agent left open. */
    public void recoverOpenAttempt() {
        processor.recoverOpenAttempt();
        recovered = true;
    }

    /** Waits until there is work, or what a failing disk left undone may be tried again. */
    void awaitWork() {
        workSignal.await(recovered && !processor.hasPendingWrites() ? IDLE_WAIT : RETRY_INTERVAL);
    }

    /** Does what has come in since, after what was left undone before. */
    public void processPending() {
        try {
            if (!recovered) {
                recoverOpenAttempt();
                supervisePrograms(); // what should run is started before anything new is taken on
            }
            processor.persistPendingResult();
            processor.saveNodeIdIfChanged(welcomedNodeId.get());
            Withdrawal requested = pendingWithdrawal.getAndSet(null);
            if (requested != null) {
                processor.withdraw(requested);
            }
            CommandWithContents next = pendingCommand.getAndSet(null);
            if (next != null) {
                processor.process(next);
            }
            PendingPreflight polled = pendingPreflight.getAndSet(null);
            if (polled != null && !polled.expiry().hasPassed()) {
                preflightReport.publish(processor.preflight(polled.request()));
            }
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            // The leader asks again; nothing was begun without its journal.
            LOG.error("What has come in cannot be taken for the moment", e);
        }
        processor.renewReserve();
    }

    /** Waits until the control plane requests a log. */
    void awaitLogRequest() {
        logRequests.await(IDLE_WAIT);
    }

    /** Reads the log that was requested, also during an attempt. */
    void readRequestedLog() {
        logs.readPending();
    }

    /** Starts what has fallen, only after recovery has decided what it should be (D12). */
    public void supervisePrograms() {
        if (processor.isExecutor() && recovered) {
            runtime.supervise(programSpecs());
        }
    }

    /** Tries the probes that are due, and speaks when the health of a program changed. */
    public void runDueProbes() {
        if (prober.runDueProbesAndDetectChange(programSpecs())) {
            healthChanged.set(true);
            onChange.run();
        }
    }

    /** Ends what the probes started. */
    void closeProbes() {
        prober.close();
    }

    /**
     * Reports a renewal that would have changed whom the node trusts.
     *
     * @param sentence empty if the latest renewal would not have
     */
    void reportRenewalFindingIfChanged(String sentence) {
        if (!reportBuilder.setRenewalFinding(sentence)) {
            return;
        }
        healthChanged.set(true); // reported at once
        onChange.run();
    }

    /** How many of its programs run. */
    AgentMetrics.ProgramStateCounts programCounts() {
        List<ProgramSpec> all = programSpecs();
        int up =
                (int)
                        all.stream()
                                .filter(it -> runtime.status(it.name()) instanceof ProgramState.Up)
                                .count();
        return new AgentMetrics.ProgramStateCounts(up, all.size() - up);
    }

    private List<ProgramSpec> programSpecs() {
        return processor.loadProfile().programs().stream().map(ProgramProfile::spec).toList();
    }

    /** The one status of the node. */
    public StatusSlot statusSlot() {
        return slot;
    }

    /** Whether it may act on the node. */
    public boolean isExecutor() {
        return processor.isExecutor();
    }

    @Override
    public SelfReport buildReport(long connectionNumber) {
        return reportBuilder.build(connectionNumber, declined.get());
    }

    @Override
    public Set<String> features() {
        return processor.features();
    }

    /** The node as its gateway names it; empty before the first connection. */
    String nodeId() {
        String welcomed = welcomedNodeId.get();
        return welcomed.isEmpty() ? processor.agentRecord().nodeId() : welcomed;
    }

    @Override
    public void onWelcome(String nodeId) {
        welcomedNodeId.set(nodeId);
        workSignal.signal();
    }

    @Override
    public void onCommand(CommandWithContents next) {
        if (declineIfDraining(next)) {
            return;
        }
        // One slot: the highest attempt wins, for a lower one would be refused anyway (R1).
        pendingCommand.accumulateAndGet(
                next,
                (old, fresh) ->
                        old != null
                                        && fresh != null
                                        && old.command().attempt() > fresh.command().attempt()
                                ? old
                                : fresh);
        workSignal.signal();
    }

    /** While an attempt is under way the answer is known, and nobody has to wait for it. */
    @Override
    public void onPreflightRequest(PreflightRequest requested) {
        AttemptStatus latest = slot.currentStatus();
        if (latest != null && !latest.isTerminal()) {
            preflightReport.publish(PreflightAdmissionRules.busyReport(requested.preflightId()));
            return;
        }
        pendingPreflight.set(new PendingPreflight(requested, ticker.deadlineIn(PREFLIGHT_TTL)));
        workSignal.signal();
    }

    @Override
    public Optional<PreflightReport> takePreflightReport() {
        return preflightReport.take();
    }

    @Override
    public void onLogRequest(LogRequestHandler.Request requested) {
        logs.setPendingRequest(requested);
        logRequests.signal();
    }

    @Override
    public Optional<LogRequestHandler.Response> takeLogResponse() {
        return logs.takeResponse();
    }

    @Override
    public boolean takeHealthChanged() {
        return healthChanged.getAndSet(false);
    }

    @Override
    public void onWithdrawal(Withdrawal requested) {
        pendingWithdrawal.set(requested);
        workSignal.signal();
    }

    /**
     * While the agent is being replaced it says so to all other work, and keeps nothing of it: who
     * asks again is answered by whichever agent stays.
     */
    private boolean declineIfDraining(CommandWithContents next) {
        AttemptStatus status = slot.currentStatus();
        long requested = next.command().attempt();
        if (status == null || !status.isDraining() || requested <= status.journal().attempt()) {
            declined.set(null);
            return false;
        }
        declined.set(
                new SelfReport.TemporarilyDeclinedCommand(
                        requested,
                        ReasonCode.DRAINING,
                        "The agent is being replaced in attempt "
                                + status.journal().attempt()
                                + ": send the command again."));
        LOG.info("Command declined attempt={} reason={}", requested, ReasonCode.DRAINING);
        slot.requestResend();
        return true;
    }

    @Override
    public void onStopRequest(long attempt, String digest, byte[] authorization) {
        LOG.info("Asked to leave the node to a successor attempt={}", attempt);
        selfUpgrade.messages().setStopRequest(attempt, digest, authorization);
    }

    @Override
    public void onSuccessorConnected(long attempt) {
        selfUpgrade.messages().setSuccessorConnected(attempt);
    }
}
