package drover.opsagent.engine;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AgentAction;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.own.Itself;
import drover.opsagent.own.Itself.OwnJar;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.AgentVersion;
import drover.opsagent.script.Facts;
import drover.opsagent.script.HandOver;
import drover.opsagent.script.Journal;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Seen;
import drover.opsagent.script.UndoStep;
import drover.opsagent.script.Work;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandGate;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent replaces itself. Old and new run the same steps from the same journal, whichever holds
 * the executor lock: the one that is not the target lets the target start and waits, the one that
 * is has nothing left to do. On the way back it is the other way round.
 */
final class AgentDeeds implements Deeds {
    private static final Logger LOG = LoggerFactory.getLogger(AgentDeeds.class);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration START = Duration.ofSeconds(30); // to be let start, as a program
    private static final Duration BETWEEN_STARTS =
            Duration.ofSeconds(5); // of one that falls again and again

    private final OwnJar own;
    private final HandOverNotices notices;
    private final StatusSlot slot;
    private final Ticker ticker;
    private final Runnable leave;
    private final CommandGate commands;
    private final Consumer<Finding> unbelieved;

    /**
     * What an agent does to itself.
     *
     * @param leave ends this process with 0; comes back at once
     * @param commands whether it is the control plane that asks it to leave
     * @param unbelieved told of what is not believed, for the next heartbeat
     */
    AgentDeeds(
            OwnJar own,
            HandOverNotices notices,
            StatusSlot slot,
            Ticker ticker,
            Runnable leave,
            CommandGate commands,
            Consumer<Finding> unbelieved) {
        this.own = own;
        this.notices = notices;
        this.slot = slot;
        this.ticker = ticker;
        this.leave = leave;
        this.commands = commands;
        this.unbelieved = unbelieved;
    }

    @Override
    public Facts afterRestart(Journal journal) {
        Work.AgentUpgrade work = work(journal);
        // The target itself has its file: a disk that cannot be read just now says nothing else.
        boolean successor = isTarget(work);
        boolean staged = successor || own.versions().holds(target(work), work.artifact().digest());
        return new Facts(true, staged, true, successor);
    }

    @Override
    public ActionOutcome perform(
            Action action, Journal journal, Deadline deadline, IntConsumer percent) {
        return switch (action) {
            case AgentAction one -> act(one, journal, deadline, percent);
            case UpgradeAction other -> throw new IllegalStateException("No agent's: " + other);
        };
    }

    private ActionOutcome act(
            AgentAction action, Journal journal, Deadline deadline, IntConsumer percent) {
        Work.AgentUpgrade work = work(journal);
        return switch (action) {
            // This thread does one thing at a time: what was under way is over when it comes here,
            // and what comes in meanwhile is answered by who takes it in.
            case DRAIN -> ActionOutcome.DONE;
            case STAGE ->
                    done(own.versions().stage(target(work), work.artifact(), deadline, percent));
            case VERIFY -> verify(work, deadline);
            case SWAP -> done(swap(target(work)));
            case HANDOVER -> handOver(journal, work);
        };
    }

    private static ActionOutcome done(boolean changed) {
        return changed ? ActionOutcome.DONE : ActionOutcome.ALREADY_DONE;
    }

    private ActionOutcome verify(Work.AgentUpgrade work, Deadline deadline) {
        if (isTarget(work)) {
            return ActionOutcome.ALREADY_DONE; // it runs
        }
        own.selfTest().test(own.versions().jar(target(work)), target(work), deadline);
        return ActionOutcome.DONE;
    }

    private boolean swap(AgentVersion version) {
        if (version.equals(own.versions().current())) {
            return false;
        }
        own.versions().makeCurrent(version);
        return true;
    }

    /**
     * The target holds the lock: then it is over. Otherwise both live on until the control plane
     * decides, or was there for long enough without hearing the successor. No deadline: an agent
     * that nobody speaks to stays.
     */
    private ActionOutcome handOver(Journal journal, Work.AgentUpgrade work) {
        if (isTarget(work)) {
            return ActionOutcome.DONE;
        }
        own.successors().start(target(work), ticker.in(START));
        LOG.info(
                "Successor let start attempt={} version={}",
                journal.attempt(),
                work.targetVersion());
        ControlPlaneTime heard = new ControlPlaneTime(slot, ticker, own.patience());
        long startedAt = ticker.nanos();
        while (true) { // ends by the control plane's word, or by its time
            boolean alive = own.successors().isAlive(target(work));
            HandOver.Known known =
                    new HandOver.Known(
                            alive,
                            mayLeave(journal.attempt(), work),
                            notices.isSuccessorSeen(journal.attempt()),
                            heard.look());
            switch (HandOver.next(known, own.patience())) {
                case HandOver.Wait() -> {}
                case HandOver.GiveWay() -> throw leaving("The successor takes over");
                case HandOver.TurnBack(ReasonCode reason, String detail) ->
                        throw new ActionFailed(reason, detail);
                case HandOver.StartAgain() -> {
                    if (ticker.nanos() - startedAt >= BETWEEN_STARTS.toNanos()) {
                        LOG.warn("Successor has ended and is let start again");
                        own.successors().start(target(work), ticker.in(START));
                        startedAt = ticker.nanos();
                    }
                }
            }
            ticker.pause(LOOK);
        }
    }

    /**
     * Whoever made a node's agent leave before its successor is proven might leave it with none.
     */
    private boolean mayLeave(long attempt, Work.AgentUpgrade work) {
        HandOverNotices.Stop asked = notices.stop(); // once: what is judged is what is verified
        if (!asked.isOf(attempt, work)) {
            return false;
        }
        try {
            commands.stop(asked.attempt(), asked.digest(), asked.authorization());
            return true;
        } catch (ActionFailed e) {
            LOG.warn(
                    "Asked to leave and not believed attempt={} reason={} {}",
                    attempt,
                    e.reason(),
                    e.getMessage());
            unbelieved.accept(new Finding(e.reason().name(), "", String.valueOf(e.getMessage())));
            notices.forget(asked);
            return false;
        }
    }

    private AgentStopping leaving(String why) {
        LOG.info("This agent leaves reason={}", why);
        leave.run();
        return new AgentStopping(why);
    }

    @Override
    public String lastWords(Action failed, Journal journal) {
        return "";
    }

    @Override
    public void undo(UndoStep step, Journal journal, Deadline deadline) {
        AgentVersion source = source(journal);
        switch (step) {
            case CURRENT -> swap(source);
            case SUCCESSOR -> {
                if (isTarget(work(journal))) {
                    own.successors().start(source, deadline);
                    throw leaving("The version before takes over again");
                }
                own.successors().stop(target(work(journal)), deadline);
            }
            case STOP, FILES, RELOAD, START -> throw new IllegalStateException("A program's step");
        }
    }

    @Override
    public String missing(Journal journal) {
        return isTarget(work(journal)) && target(work(journal)).equals(own.versions().current())
                ? ""
                : "The agent that holds the lock is not the target: look at its log.";
    }

    @Override
    public AttemptOutcome proven(Journal journal) {
        return work(journal).proven();
    }

    @Override
    public boolean isAsBefore(Journal journal) {
        return own.digest().value().equals(journal.before().taken().digest())
                && source(journal).equals(own.versions().current());
    }

    @Override
    public Seen see(Journal journal) {
        return new Seen(own.digest().value(), own.runId(), Itself.CONFIG.value());
    }

    /** Another agent that was started for this attempt, or started again by somebody, goes. */
    @Override
    public void cleanUp(Journal journal) {
        Deadline deadline = ticker.in(START);
        own.successors().stop(source(journal), deadline);
        own.successors().stop(target(work(journal)), deadline);
    }

    private boolean isTarget(Work.AgentUpgrade work) {
        return own.digest().equals(work.artifact().digest());
    }

    private static AgentVersion target(Work.AgentUpgrade work) {
        return AgentVersion.of(work.targetVersion());
    }

    /** The version before, by its bytes; it is never removed by an upgrade. */
    private AgentVersion source(Journal journal) {
        String before = journal.before().taken().digest();
        if (own.digest().value().equals(before)) {
            return own.place();
        }
        @Nullable AgentVersion version = own.versions().holding(new Digest(before));
        if (version == null) {
            throw new ActionFailed(
                    ReasonCode.NO_BACKUP,
                    "The agent's version before is not on the disk any more: install it by hand.");
        }
        return version;
    }

    private static Work.AgentUpgrade work(Journal journal) {
        return (Work.AgentUpgrade) journal.assignment().work();
    }
}
