package drover.opsagent.main;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import java.util.Locale;

/** Takes the last attempt of this node back, on the node itself and without any server (D17). */
final class LocalRollbackCommand {
    /** What an operator types. */
    static final String VERB = "rollback";

    private LocalRollbackCommand() {}

    /**
     * Does it and says in one sentence what came of it.
     *
     * @throws ActionFailed when the node is not as it was before the upgrade
     */
    static String run(AgentFlags flags) {
        try (ExecutorLock lock = ExecutorLock.tryAcquire(flags.stateDirectory())) {
            if (!lock.isHeld()) {
                throw new ActionFailed(
                        ReasonCode.NOT_EXECUTOR,
                        "An agent runs on this node: stop it, take the upgrade back, start it"
                                + " again.");
            }
            CommandProcessor processor = createProcessor(flags);
            processor.requireLocalRollbackTarget(); // before the agent's own records are touched
            processor.startIncarnation();
            return resultMessage(processor.rollBackLastAttempt());
        }
    }

    private static CommandProcessor createProcessor(AgentFlags flags) {
        OpsAgent.Dependencies parts = flags.createDependencies(new AgentMetrics());
        StateDirectory directory =
                new StateDirectory(
                        flags.stateDirectory(), new DurableFiles(parts.disk(), parts.random()));
        NodeRuntime runtime =
                parts.runtimes()
                        .open(
                                flags.runtime(),
                                new RuntimeContext(
                                        directory,
                                        flags.rootDirectory(),
                                        parts.fetcher(),
                                        parts.processes(),
                                        parts.ticker(),
                                        OpsAgentConfig.START_SETTLE));
        StatusSlot slot = new StatusSlot(parts.ticker(), () -> {});
        return new CommandProcessor(directory, runtime, parts.ticker(), slot, true);
    }

    private static String resultMessage(Journal journal) {
        AttemptOutcome outcome = journal.ending().outcome();
        if (outcome == AttemptOutcome.FAILED || outcome == AttemptOutcome.RESTORED) {
            return String.format(
                    Locale.ROOT,
                    "Attempt %d was taken back: the node is as it was before. Start the agent.",
                    journal.attempt());
        }
        throw new ActionFailed(
                journal.ending().reason(),
                String.format(
                        Locale.ROOT,
                        "Attempt %d could not be taken back. %s",
                        journal.attempt(),
                        journal.ending().detail()));
    }
}
