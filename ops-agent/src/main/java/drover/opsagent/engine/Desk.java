package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.opsagent.own.Itself;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.script.Admission;
import drover.opsagent.script.AdmissionRules;
import drover.opsagent.script.Assignment;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.script.Ending;
import drover.opsagent.script.Journal;
import drover.opsagent.script.PreflightReport;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Seen;
import drover.opsagent.script.Standing;
import drover.opsagent.script.Work;
import drover.opsagent.store.AgentRecord;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.Profile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandGate;
import drover.opsagent.trust.ReleaseGate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where commands arrive. Takes each in turn, on one thread: admit, make durable, run, report. What
 * others read of it ({@link #record()}, {@link #oddity()}) is safe from any thread.
 */
public final class Desk {
    private static final Logger LOG = LoggerFactory.getLogger(Desk.class);

    /** What this agent can do, matched against what bodies require. */
    public static final Set<String> FEATURES =
            Set.of(
                    "upgrade/1",
                    "restore/1",
                    "restore-by-address/1",
                    "clear/1",
                    "withdraw/1",
                    "preflight/1");

    /** What an agent with a jar of its own can do besides. */
    public static final String AGENT_UPGRADE = "agent-upgrade/1";

    private final CommandGate commands;
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final StatusSlot slot;
    private final boolean executor;
    private final AttemptRunner runner;
    private final Preparation preparation;
    private final AgentPreparation agentPreparation;
    private final Set<String> features;
    private final Preflight preflight;
    private final Pruning pruning;
    private final TakeBack takeBack;
    private final Doubts doubts = new Doubts();
    private final NodeView view;
    private volatile AgentRecord record;

    /**
     * A desk that is not open yet.
     *
     * @param executor whether this agent holds the executor lock; a standby does nothing
     */
    public Desk(
            StateDirectory state,
            NodeRuntime runtime,
            Ticker ticker,
            StatusSlot slot,
            boolean executor) {
        this(state, runtime, ticker, slot, executor, Replacement.none(), ReleaseGate.OPEN);
    }

    /** The desk of an agent that may be replaced, and that believes the gateway. */
    public Desk(
            StateDirectory state,
            NodeRuntime runtime,
            Ticker ticker,
            StatusSlot slot,
            boolean executor,
            Replacement replacement,
            ReleaseGate releases) {
        this(state, runtime, ticker, slot, executor, replacement, releases, CommandGate.OPEN);
    }

    /**
     * The desk of an agent that may be replaced, and that takes only what its gates believe.
     *
     * @param executor whether this agent holds the executor lock; a standby does nothing
     */
    public Desk(
            StateDirectory state,
            NodeRuntime runtime,
            Ticker ticker,
            StatusSlot slot,
            boolean executor,
            Replacement replacement,
            ReleaseGate releases,
            CommandGate commands) {
        this.commands = commands;
        this.state = state;
        this.journals = new JournalStore(state);
        this.runtime = runtime;
        this.slot = slot;
        this.executor = executor;
        this.view = new NodeView(runtime);
        Deeds programs = new ProgramDeeds(state, journals, runtime);
        Deeds agents =
                switch (replacement.itself()) {
                    case Itself.Part() -> programs; // refused before it comes to that
                    case Itself.OwnJar own ->
                            new AgentDeeds(
                                    own,
                                    replacement.notices(),
                                    slot,
                                    ticker,
                                    replacement.leave(),
                                    commands,
                                    doubts::disbelieve);
                };
        this.runner =
                new AttemptRunner(
                        journals,
                        work -> work instanceof Work.AgentUpgrade ? agents : programs,
                        ticker,
                        slot::publish,
                        slot::progress);
        this.preparation = new Preparation(state, journals, runtime, releases);
        this.agentPreparation = new AgentPreparation(replacement.itself(), releases);
        this.features = features(replacement.itself());
        this.preflight = new Preflight(state, runtime, releases, ticker);
        this.pruning = new Pruning(state, journals, runtime);
        this.takeBack = new TakeBack(journals, runtime, preparation, runner);
        this.record = state.agent();
    }

    /** Begins a new incarnation and takes over what runs; starts and changes nothing. */
    public void open() {
        if (!executor) {
            record = record.started();
            return;
        }
        state.makeOwn();
        state.settle();
        keep(record.started());
        journals.setRoomAside();
        for (ProgramProfile program : state.profile().programs()) {
            runtime.adopt(program.spec().name());
        }
        Journal latest = journals.latest();
        if (latest == null) {
            return;
        }
        keep(record.seen(latest.attempt(), 0));
        slot.recall(latest);
    }

    /**
     * Takes up an attempt that a crash or a failing disk left open. Until it is over no program is
     * started.
     */
    public void recover() {
        Journal open = executor ? journals.open() : null;
        if (open != null) {
            keep(record.seen(open.attempt(), 0));
            runtime.settle(Paths.touched(open));
            LOG.info("Open attempt is taken up attempt={}", open.attempt());
            runner.recover(open);
            recallLatestAfter(open);
        }
        if (executor && !journals.isStuck(record.clearedThrough())) {
            releaseAll(); // an agent that was killed at the end of an attempt did not
        }
    }

    /** Whoever took an earlier attempt back on the node is not whom the control plane waits for. */
    private void recallLatestAfter(Journal recovered) {
        Journal latest = journals.latest();
        if (latest != null && latest.attempt() > recovered.attempt()) {
            slot.recall(latest);
        }
    }

    private void releaseAll() {
        state.profile().programs().forEach(program -> runtime.release(program.spec().name()));
    }

    /** Takes a command. */
    public void take(Delivery delivery) {
        settleWhatIsWritten();
        long attempt = delivery.request().attempt();
        if (!isBelieved(
                attempt, () -> commands.command(delivery.request(), delivery.authorization()))) {
            return;
        }
        switch (AdmissionRules.admit(delivery.request(), standing())) {
            case Admission.Accept(Work work) -> accept(delivery, work);
            case Admission.Answer() -> {
                keep(record.seen(0, delivery.request().epoch()));
                slot.askAgain();
            }
            case Admission.Close(ReasonCode reason, String detail) ->
                    close(delivery, AttemptOutcome.REFUSED, reason, detail, Seen.NOTHING);
            case Admission.Ignore(ReasonCode reason, String detail) -> {
                LOG.warn("Command refused attempt={} reason={} {}", attempt, reason, detail);
                if (reason == ReasonCode.BODY_DIFFERS) {
                    doubts.bodyDiffers(detail);
                }
                slot.askAgain();
            }
        }
    }

    /**
     * A standby asks no gate, for its executor keeps what is remembered; it does nothing either.
     */
    private boolean isBelieved(long attempt, Runnable gate) {
        boolean believed = !executor || doubts.isBelieved(attempt, record.floor(), gate);
        if (!believed) {
            slot.askAgain();
        }
        return believed;
    }

    /** Looks whether an upgrade could be done; the node and this agent's records stay as is. */
    public PreflightReport look(PreflightAsked asked) {
        Delivery delivery = asked.delivery();
        try {
            if (executor) {
                commands.preflight(delivery.request(), delivery.authorization());
            }
        } catch (ActionFailed e) {
            return PreflightReport.refused(
                    asked.preflightId(), e.reason(), String.valueOf(e.getMessage()));
        }
        return preflight.answer(asked, standing());
    }

    private void accept(Delivery delivery, Work work) {
        switch (work) {
            case Work.Clear _ -> clear(delivery);
            case Work.Nothing _ -> throw new IllegalStateException("Nothing is never accepted");
            case Work.Upgrade upgrade -> begin(delivery, preparation.upgrade(delivery, upgrade));
            case Work.Restore restore when isOfAgent(restore) ->
                    begin(delivery, agentPreparation.restore(restore, it -> assign(delivery, it)));
            case Work.Restore restore -> begin(delivery, preparation.restore(delivery, restore));
            case Work.AgentUpgrade agent ->
                    begin(
                            delivery,
                            agentPreparation.upgrade(
                                    agent, delivery.release(), it -> assign(delivery, it)));
        }
    }

    private static boolean isOfAgent(Work.Restore restore) {
        return restore.programName().equals(Work.AgentUpgrade.PROGRAM);
    }

    private Assignment assign(Delivery delivery, Work work) {
        return preparation.assignment(delivery.request(), delivery.budget(), work);
    }

    /** The journal is the commit point: floor and epoch follow it, before the first effect (B4). */
    private void begin(Delivery delivery, Journal journal) {
        journals.save(journal);
        keep(record.seen(journal.attempt(), delivery.request().epoch()));
        doubts.taken();
        countAnew(journal.assignment().work());
        LOG.info(
                "Attempt taken attempt={} rolloutId={} traceId={} outcome={} reason={}",
                journal.attempt(),
                journal.assignment().rolloutId(),
                delivery.traceId(),
                journal.ending().outcome(),
                journal.ending().reason());
        if (journal.isOver()) {
            slot.publish(journal);
        } else {
            runner.run(journal);
        }
        pruning.afterAnAttempt(record.clearedThrough());
    }

    private void countAnew(Work work) {
        ProgramProfile program = state.profile().program(work.programName());
        if (program != null) {
            runtime.countAnew(program.spec().name());
        }
    }

    private void close(
            Delivery delivery,
            AttemptOutcome outcome,
            ReasonCode reason,
            String detail,
            Seen seen) {
        Work work = Preparation.workOf(delivery);
        Ending ending = new Ending(outcome, reason, detail, seen, "");
        begin(delivery, Journal.closed(assign(delivery, work), ending));
    }

    /** Applied after the agent has looked at what runs, so that the answer tells it (D14). */
    private void clear(Delivery delivery) {
        List<ProgramProfile> programs = state.profile().programs();
        Seen seen = programs.isEmpty() ? Seen.NOTHING : view.see(programs.getFirst());
        keep(record.cleared(delivery.request().attempt()));
        releaseAll();
        close(delivery, AttemptOutcome.SUCCEEDED, ReasonCode.NONE, "", seen);
    }

    /**
     * Fails unless there is something that somebody on the node can take back; touches nothing.
     *
     * @throws ActionFailed with one sentence that says why not
     */
    public void requireToTakeBack() {
        takeBack.find();
    }

    /**
     * Goes back from the last attempt because somebody on the node says so, without any server
     * (D17): from an open one, or from an upgrade that succeeded. It ends as failed, so it is
     * reported like any other.
     *
     * @throws ActionFailed when there is none, or its backup is not what was saved; then nothing
     *     was touched
     */
    public Journal rollBackLast() {
        return takeBack.run();
    }

    /**
     * A disk that failed between the journal and what follows it left an attempt that nobody runs
     * or that nobody was told of; it would stay open at the leader until this agent's next start.
     * On this one thread, an attempt that is open now is one that nobody runs.
     */
    private void settleWhatIsWritten() {
        runner.settle();
        recover();
        Journal latest = executor ? journals.latest() : null;
        AttemptStatus told = slot.current();
        if (latest != null
                && latest.isOver()
                && (told == null || told.journal().attempt() < latest.attempt())) {
            keep(record.seen(latest.attempt(), 0));
            slot.publish(latest);
        }
    }

    /** Whether the disk owes something that was told: {@link #settle()} is to be tried again. */
    public boolean owes() {
        return runner.owes();
    }

    /** Makes durable what was told while the disk took nothing. */
    public void settle() {
        runner.settle();
    }

    /** Attempts up to this one that were never seen never begin. */
    public void withdraw(Withdrawal asked) {
        settleWhatIsWritten();
        long through = asked.through();
        long epoch = asked.epoch();
        if (!isBelieved(
                through, () -> commands.withdrawal(through, epoch, asked.authorization()))) {
            return;
        }
        if (AdmissionRules.withdraws(through, epoch, standing())) {
            Assignment none =
                    new Assignment(through, "", "", new Work.Nothing(), Duration.ZERO, "none");
            Ending withdrawn =
                    new Ending(AttemptOutcome.WITHDRAWN, ReasonCode.NONE, "", Seen.NOTHING, "");
            Journal journal = Journal.closed(none, withdrawn);
            journals.save(journal);
            keep(record.seen(through, epoch));
            LOG.info("Attempts up to this one are withdrawn attempt={}", through);
            slot.publish(journal);
        } else {
            slot.askAgain();
        }
    }

    /** The gateway named the node. */
    public void welcomed(String nodeId) {
        if (executor && !record.nodeId().equals(nodeId)) {
            keep(record.welcomed(nodeId));
        }
    }

    private static Set<String> features(Itself itself) {
        Set<String> all = new TreeSet<>(FEATURES);
        if (itself instanceof Itself.OwnJar) {
            all.add(AGENT_UPGRADE);
        }
        return Set.copyOf(all);
    }

    /** What this very agent can do. */
    public Set<String> features() {
        return features;
    }

    /** What the agent remembers of itself. */
    public AgentRecord record() {
        return record;
    }

    /** Whether it may act on the node. */
    public boolean isExecutor() {
        return executor;
    }

    /** What the node is. */
    public Profile profile() {
        return state.profile();
    }

    /**
     * Something odd about a command; absent when there was nothing since the last attempt, and what
     * came last was believed.
     */
    public @Nullable Finding oddity() {
        return doubts.latest();
    }

    private Standing standing() {
        return new Standing(
                record.nodeId(),
                executor,
                record.floor(),
                record.epoch(),
                journals.latest(),
                journals.isStuck(record.clearedThrough()),
                features);
    }

    private synchronized void keep(AgentRecord next) {
        if (!next.equals(record)) {
            state.keep(next);
            record = next;
        }
    }
}
