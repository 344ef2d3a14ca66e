package drover.opsagent.engine;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AgentUpgradeAction;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.engine.attempt.AttemptOperations;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.HandoverStep;
import drover.opsagent.plan.RecoveryObservation;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.selfupgrade.AgentPackaging.SelfUpgradable;
import drover.opsagent.selfupgrade.AgentVersionNumber;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandAuthorizer;
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
final class AgentSelfUpgradeOperations implements AttemptOperations {
    private static final Logger LOG = LoggerFactory.getLogger(AgentSelfUpgradeOperations.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final Duration START_TIMEOUT =
            Duration.ofSeconds(30); // to be let start, as a program
    private static final Duration SUCCESSOR_RESTART_INTERVAL =
            Duration.ofSeconds(5); // of one that falls again and again

    private final SelfUpgradable ownJar;
    private final ControlPlaneHandoverSignals notices;
    private final StatusSlot slot;
    private final Ticker ticker;
    private final Runnable exit;
    private final CommandAuthorizer commands;
    private final Consumer<AgentFinding> rejectedStops;

    /**
     * What an agent does to itself.
     *
     * @param leave ends this process with 0; comes back at once
     * @param commands whether it is the control plane that asks it to leave
     * @param unbelieved told of what is not believed, for the next heartbeat
     */
    AgentSelfUpgradeOperations(
            SelfUpgradable own,
            ControlPlaneHandoverSignals notices,
            StatusSlot slot,
            Ticker ticker,
            Runnable leave,
            CommandAuthorizer commands,
            Consumer<AgentFinding> unbelieved) {
        this.ownJar = own;
        this.notices = notices;
        this.slot = slot;
        this.ticker = ticker;
        this.exit = leave;
        this.commands = commands;
        this.rejectedStops = unbelieved;
    }

    @Override
    public RecoveryObservation observeForRecovery(Journal journal) {
        Work.AgentUpgrade work = agentUpgradeOf(journal);
        // The target itself has its file: a disk that cannot be read just now says nothing else.
        boolean successor = runsTarget(work);
        boolean staged =
                successor
                        || ownJar.versions()
                                .contains(targetVersion(work), work.artifact().digest());
        return new RecoveryObservation(true, staged, true, successor);
    }

    @Override
    public Duration extraStopTime(Journal journal) {
        return Duration.ZERO;
    }

    @Override
    public ActionOutcome perform(
            Action action,
            Journal journal,
            Deadline deadline,
            IntConsumer percent,
            Consumer<String> notes) {
        return switch (action) {
            case AgentUpgradeAction one -> performAgentAction(one, journal, deadline, percent);
            case UpgradeAction other -> throw new IllegalStateException("No agent's: " + other);
        };
    }

    @Override
    public void deleteStaged(Journal journal) {
        ownJar.versions().deleteStaged();
    }

    private ActionOutcome performAgentAction(
            AgentUpgradeAction action, Journal journal, Deadline deadline, IntConsumer percent) {
        Work.AgentUpgrade work = agentUpgradeOf(journal);
        return switch (action) {
            // This thread does one thing at a time: what was under way is over when it comes here,
            // and what comes in meanwhile is answered by who takes it in.
            case DRAIN -> ActionOutcome.DONE;
            case STAGE ->
                    toOutcome(
                            ownJar.versions()
                                    .stageIfMissing(
                                            targetVersion(work),
                                            work.artifact(),
                                            deadline,
                                            percent));
            case VERIFY -> runSelfTest(work, deadline);
            case SWAP -> toOutcome(setCurrentVersion(targetVersion(work)));
            case HANDOVER -> performHandover(journal, work);
        };
    }

    private static ActionOutcome toOutcome(boolean changed) {
        return changed ? ActionOutcome.DONE : ActionOutcome.ALREADY_DONE;
    }

    private ActionOutcome runSelfTest(Work.AgentUpgrade work, Deadline deadline) {
        if (runsTarget(work)) {
            return ActionOutcome.ALREADY_DONE; // it runs
        }
        ownJar.selfTest()
                .test(ownJar.versions().jar(targetVersion(work)), targetVersion(work), deadline);
        return ActionOutcome.DONE;
    }

    private boolean setCurrentVersion(AgentVersionNumber version) {
        if (version.equals(ownJar.versions().readCurrentVersion())) {
            return false;
        }
        ownJar.versions().setCurrent(version);
        return true;
    }

    /**
     * The target holds the lock: then it is over. Otherwise both live on until the control plane
     * decides, or was there for long enough without hearing the successor. No deadline: an agent
     * that nobody speaks to stays.
     */
    private ActionOutcome performHandover(Journal journal, Work.AgentUpgrade work) {
        if (runsTarget(work)) {
            return ActionOutcome.DONE;
        }
        ownJar.successors()
                .startUnlessRunning(targetVersion(work), ticker.deadlineIn(START_TIMEOUT));
        LOG.info(
                "Successor let start attempt={} version={}",
                journal.attempt(),
                work.targetVersion());
        ControlPlaneUptimeCounter received =
                new ControlPlaneUptimeCounter(slot, ticker, ownJar.handoverTimeout());
        long startedAt = ticker.nanos();
        while (true) { // ends by the control plane's word, or by its time
            boolean alive = ownJar.successors().isAlive(targetVersion(work));
            HandoverStep.HandoverObservation known =
                    new HandoverStep.HandoverObservation(
                            alive,
                            authorizeStopRequest(journal.attempt(), work),
                            notices.isSuccessorConnected(journal.attempt()),
                            received.updateUptime());
            switch (HandoverStep.next(known, ownJar.handoverTimeout())) {
                case HandoverStep.Wait() -> {}
                case HandoverStep.Exit() -> throw exitAgent("The successor takes over");
                case HandoverStep.StopSuccessorAndCompensate(ReasonCode reason, String detail) ->
                        throw new ActionFailed(reason, detail);
                case HandoverStep.RestartSuccessor() -> {
                    if (ticker.nanos() - startedAt >= SUCCESSOR_RESTART_INTERVAL.toNanos()) {
                        LOG.warn("Successor has ended and is let start again");
                        ownJar.successors()
                                .startUnlessRunning(
                                        targetVersion(work), ticker.deadlineIn(START_TIMEOUT));
                        startedAt = ticker.nanos();
                    }
                }
            }
            ticker.pause(POLL_INTERVAL);
        }
    }

    /**
     * Whoever made a node's agent leave before its successor is proven might leave it with none.
     */
    private boolean authorizeStopRequest(long attempt, Work.AgentUpgrade work) {
        ControlPlaneHandoverSignals.StopRequest requested =
                notices.stopRequest(); // once: what is judged is what is verified
        if (!requested.matches(attempt, work)) {
            return false;
        }
        try {
            commands.authorizeHandoverStop(
                    requested.attempt(), requested.digest(), requested.authorization());
            return true;
        } catch (ActionFailed e) {
            LOG.warn(
                    "Asked to leave and not believed attempt={} reason={} {}",
                    attempt,
                    e.reason(),
                    e.getMessage());
            rejectedStops.accept(
                    new AgentFinding(e.reason().name(), "", String.valueOf(e.getMessage())));
            notices.discardStopRequest(requested);
            return false;
        }
    }

    private AgentStopping exitAgent(String why) {
        LOG.info("This agent leaves reason={}", why);
        exit.run();
        return new AgentStopping(why);
    }

    @Override
    public String logTail(Action failed, Journal journal) {
        return "";
    }

    @Override
    public void undo(UndoStep step, Journal journal, Deadline deadline, Consumer<String> notes) {
        AgentVersionNumber source = requireSourceVersion(journal);
        switch (step) {
            case CURRENT -> setCurrentVersion(source);
            case SUCCESSOR -> {
                if (runsTarget(agentUpgradeOf(journal))) {
                    ownJar.successors().startUnlessRunning(source, deadline);
                    throw exitAgent("The version before takes over again");
                }
                ownJar.successors()
                        .stopUnlessSelf(targetVersion(agentUpgradeOf(journal)), deadline);
            }
            case STOP, FILES, RELOAD, START -> throw new IllegalStateException("A program's step");
        }
    }

    /** An agent's attempt stops no program. */
    @Override
    public boolean cancelStopIfIneffective(Journal journal) {
        return false;
    }

    @Override
    public String describeUnmetTarget(Journal journal) {
        return runsTarget(agentUpgradeOf(journal))
                        && targetVersion(agentUpgradeOf(journal))
                                .equals(ownJar.versions().readCurrentVersion())
                ? ""
                : "The agent that holds the lock is not the target: look at its log.";
    }

    @Override
    public AttemptOutcome successOutcome(Journal journal) {
        return agentUpgradeOf(journal).successOutcome();
    }

    @Override
    public boolean isRestored(Journal journal) {
        return ownJar.digest().value().equals(journal.before().requireRecorded().digest())
                && requireSourceVersion(journal).equals(ownJar.versions().readCurrentVersion());
    }

    @Override
    public ObservedProgram observe(Journal journal) {
        return new ObservedProgram(
                ownJar.digest().value(), ownJar.runId(), AgentPackaging.CONFIG.value());
    }

    /** Another agent that was started for this attempt, or started again by somebody, goes. */
    @Override
    public void cleanUp(Journal journal) {
        Deadline deadline = ticker.deadlineIn(START_TIMEOUT);
        ownJar.successors().stopUnlessSelf(requireSourceVersion(journal), deadline);
        ownJar.successors().stopUnlessSelf(targetVersion(agentUpgradeOf(journal)), deadline);
    }

    private boolean runsTarget(Work.AgentUpgrade work) {
        return ownJar.digest().equals(work.artifact().digest());
    }

    private static AgentVersionNumber targetVersion(Work.AgentUpgrade work) {
        return AgentVersionNumber.of(work.targetVersion());
    }

    /** The version before, by its bytes; it is never removed by an upgrade. */
    private AgentVersionNumber requireSourceVersion(Journal journal) {
        String before = journal.before().requireRecorded().digest();
        if (ownJar.digest().value().equals(before)) {
            return ownJar.directoryVersion();
        }
        @Nullable AgentVersionNumber version = ownJar.versions().findByDigest(new Digest(before));
        if (version == null) {
            throw new ActionFailed(
                    ReasonCode.NO_BACKUP,
                    "The agent's version before is not on the disk any more: install it by hand.");
        }
        return version;
    }

    private static Work.AgentUpgrade agentUpgradeOf(Journal journal) {
        return (Work.AgentUpgrade) journal.assignment().work();
    }
}
