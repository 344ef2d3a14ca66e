package drover.opsagent;

import drover.model.program.ProgramSpec;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.Delivery;
import drover.opsagent.engine.Desk;
import drover.opsagent.engine.PreflightAsked;
import drover.opsagent.engine.PreflightSlot;
import drover.opsagent.engine.Replacement;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.Node;
import drover.opsagent.peers.ReportProtos;
import drover.opsagent.peers.SelfReport;
import drover.opsagent.peers.Wakeup;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignatureDemand;
import drover.opsagent.probe.Prober;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimePorts;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.script.PreflightReport;
import drover.opsagent.script.PreflightRules;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.BoundedWork;
import drover.opsagent.trust.CommandGate;
import drover.opsagent.trust.ReleaseGate;
import drover.opsagent.trust.SignedCommands;
import drover.opsagent.trust.SignedReleases;
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
public final class NodeCare implements Node {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCare.class);
    private static final Duration AGAIN = Duration.ofSeconds(10); // a disk is repaired by people

    /** An asking that waited longer behind an attempt is not asked any more. */
    private static final Duration ASKED = Duration.ofSeconds(30);

    private static final Duration NOTHING_LEFT = Duration.ofHours(1);

    private final Desk desk;
    private final NodeRuntime runtime;
    private final Prober prober;
    private final NodeSelf self;
    private final StatusSlot slot;
    private final Wakeup work = new Wakeup();
    private final AtomicReference<@Nullable Delivery> delivery = new AtomicReference<>();
    private final AtomicReference<@Nullable Withdrawal> withdrawal = new AtomicReference<>();
    private final AtomicReference<@Nullable Look> look = new AtomicReference<>();
    private final PreflightSlot preflights;
    private final Ticker ticker;
    private final AtomicReference<String> welcomedAs = new AtomicReference<>("");
    private final AtomicReference<SelfReport.@Nullable Declined> declined = new AtomicReference<>();
    private final Replacement replacement;
    private final AtomicBoolean healthChanged = new AtomicBoolean();
    private final Runnable speak;
    private volatile boolean recovered;

    private record Look(PreflightAsked asked, Deadline until) {}

    /**
     * Care for a node whose agent has not begun.
     *
     * @param executor whether the agent holds the executor lock
     * @param speak told when there is something new to say; must not block
     */
    public NodeCare(OpsAgentConfig config, OpsAgent.Parts parts, boolean executor, Runnable speak) {
        this(config, parts, executor, speak, Replacement.none());
    }

    /** The same, by an agent that may be replaced. */
    NodeCare(
            OpsAgentConfig config,
            OpsAgent.Parts parts,
            boolean executor,
            Runnable speak,
            Replacement replacement) {
        this.replacement = replacement;
        this.speak = speak;
        DurableFiles files = new DurableFiles(parts.disk(), parts.random());
        StateDirectory state = new StateDirectory(config.stateDirectory(), files);
        this.ticker = parts.ticker();
        this.preflights = new PreflightSlot(speak);
        this.runtime =
                parts.runtimes()
                        .open(
                                config.runtime(),
                                new RuntimePorts(
                                        state,
                                        config.root(),
                                        parts.fetcher(),
                                        parts.processes(),
                                        ticker,
                                        config.startSettle()));
        this.slot = new StatusSlot(ticker, speak, parts.metrics()::ended);
        LocalPolicy bounds = parts.runtimes().bounds();
        SignatureDemand signatures = bounds.signatures();
        ReleaseGate releases =
                new BoundedWork(
                        bounds,
                        SignedReleases.gate(signatures, state, ReportProtos.platform(), ticker));
        CommandGate commands = SignedCommands.gate(signatures, state, ticker);
        this.desk =
                new Desk(state, runtime, ticker, slot, executor, replacement, releases, commands);
        this.prober = new Prober(runtime, ticker, parts.probes());
        this.self = new NodeSelf(config, desk, runtime, prober, slot, ticker, replacement.itself());
    }

    /** Begins a new incarnation and takes over what runs. */
    public void open() {
        desk.open();
    }

    /** Takes up an attempt that an earlier agent left open. */
    public void recover() {
        desk.recover();
        recovered = true;
    }

    /** Waits until there is work, or what a failing disk left undone may be tried again. */
    void awaitWork() {
        work.await(recovered && !desk.owes() ? NOTHING_LEFT : AGAIN);
    }

    /** Does what has come in since, after what was left undone before. */
    public void work() {
        try {
            if (!recovered) {
                recover();
                watch(); // what should run is started before anything new is taken on
            }
            desk.settle();
            desk.welcomed(welcomedAs.get());
            Withdrawal asked = withdrawal.getAndSet(null);
            if (asked != null) {
                desk.withdraw(asked);
            }
            Delivery next = delivery.getAndSet(null);
            if (next != null) {
                desk.take(next);
            }
            Look looked = look.getAndSet(null);
            if (looked != null && !looked.until().hasPassed()) {
                preflights.put(desk.look(looked.asked()));
            }
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            // The leader asks again; nothing was begun without its journal.
            LOG.error("What has come in cannot be taken for the moment", e);
        }
    }

    /** Starts what has fallen, only after recovery has decided what it should be (D12). */
    public void watch() {
        if (desk.isExecutor() && recovered) {
            runtime.supervise(specs());
        }
    }

    /** Tries the probes that are due, and speaks when the health of a program changed. */
    public void probe() {
        if (prober.tryDue(specs())) {
            healthChanged.set(true);
            speak.run();
        }
    }

    /**
     * Reports a renewal that would have changed whom the node trusts.
     *
     * @param sentence empty if the latest renewal would not have
     */
    void suspectRenewal(String sentence) {
        if (!self.suspectRenewal(sentence)) {
            return;
        }
        healthChanged.set(true); // reported at once
        speak.run();
    }

    /** How many of its programs run. */
    AgentMetrics.Programs programs() {
        List<ProgramSpec> all = specs();
        int up =
                (int)
                        all.stream()
                                .filter(it -> runtime.status(it.name()) instanceof ProgramState.Up)
                                .count();
        return new AgentMetrics.Programs(up, all.size() - up);
    }

    private List<ProgramSpec> specs() {
        return desk.profile().programs().stream().map(ProgramProfile::spec).toList();
    }

    /** The one status of the node. */
    public StatusSlot slot() {
        return slot;
    }

    /** Whether it may act on the node. */
    public boolean isExecutor() {
        return desk.isExecutor();
    }

    @Override
    public SelfReport self(long dial) {
        return self.report(dial, declined.get());
    }

    @Override
    public Set<String> features() {
        return desk.features();
    }

    @Override
    public void welcomed(String nodeId) {
        welcomedAs.set(nodeId);
        work.signal();
    }

    @Override
    public void delivered(Delivery next) {
        if (isDeclined(next)) {
            return;
        }
        // One slot: the highest attempt wins, for a lower one would be refused anyway (R1).
        delivery.accumulateAndGet(
                next,
                (old, fresh) ->
                        old != null
                                        && fresh != null
                                        && old.request().attempt() > fresh.request().attempt()
                                ? old
                                : fresh);
        work.signal();
    }

    /** While an attempt is under way the answer is known, and nobody has to wait for it. */
    @Override
    public void preflightAsked(PreflightAsked asked) {
        AttemptStatus latest = slot.current();
        if (latest != null && !latest.isTerminal()) {
            preflights.put(PreflightRules.busy(asked.preflightId()));
            return;
        }
        look.set(new Look(asked, ticker.in(ASKED)));
        work.signal();
    }

    @Override
    public Optional<PreflightReport> takePreflight() {
        return preflights.take();
    }

    @Override
    public boolean takeHealthChanged() {
        return healthChanged.getAndSet(false);
    }

    @Override
    public void withdrawn(Withdrawal asked) {
        withdrawal.set(asked);
        work.signal();
    }

    /**
     * While the agent is being replaced it says so to all other work, and keeps nothing of it: who
     * asks again is answered by whichever agent stays.
     */
    private boolean isDeclined(Delivery next) {
        AttemptStatus status = slot.current();
        long asked = next.request().attempt();
        if (status == null || !status.isDraining() || asked <= status.journal().attempt()) {
            declined.set(null);
            return false;
        }
        declined.set(
                new SelfReport.Declined(
                        asked,
                        ReasonCode.DRAINING,
                        "The agent is being replaced in attempt "
                                + status.journal().attempt()
                                + ": send the command again."));
        LOG.info("Command declined attempt={} reason={}", asked, ReasonCode.DRAINING);
        slot.askAgain();
        return true;
    }

    @Override
    public void stopAsked(long attempt, String digest, byte[] authorization) {
        LOG.info("Asked to leave the node to a successor attempt={}", attempt);
        replacement.notices().stopAsked(attempt, digest, authorization);
    }

    @Override
    public void successorSeen(long attempt) {
        replacement.notices().successorSeen(attempt);
    }
}
