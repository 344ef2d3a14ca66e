package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.AgentRecordStore;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clears the failed rollbacks of a node on the command of an operator. */
final class FailureClearer {
    private static final Logger LOG = LoggerFactory.getLogger(FailureClearer.class);

    private final StateDirectory state;
    private final AgentRecordStore agentRecord;
    private final ClearedProgramStarter programStarter;
    private final ProgramInspector inspector;
    private final AttemptStarter attempts;

    FailureClearer(
            StateDirectory state,
            JournalStore journals,
            NodeRuntime runtime,
            Ticker ticker,
            AgentRecordStore agentRecord,
            ProgramAttemptJournalCreator preparation,
            AttemptStarter attempts) {
        this.state = state;
        this.agentRecord = agentRecord;
        this.programStarter =
                new ClearedProgramStarter(
                        journals,
                        runtime,
                        new ClearedLaunchSpecReconciler(state, journals, runtime, preparation),
                        ticker);
        this.inspector = new ProgramInspector(runtime);
        this.attempts = attempts;
    }

    /**
     * Starts programs that are down. If one whose restore failed does not stay up, the attempt ends
     * as failed and leaves the mark (D14: a failed restore needs an operator).
     */
    void clear(CommandWithContents delivery) {
        ClearedProgramStarter.Failures failures =
                programStarter.startAll(
                        state.loadProfile().programs(),
                        agentRecord.current().clearedThrough(),
                        delivery.budget());
        List<ProgramProfile> programs = state.loadProfile().programs();
        ObservedProgram seen =
                programs.isEmpty()
                        ? ObservedProgram.NOTHING
                        : inspector.readObservedProgram(programs.getFirst());
        if (!failures.other().isEmpty()) {
            LOG.warn("Programs do not run reason={}", describeFailures(failures.other()));
        }
        if (failures.required().isEmpty()) {
            agentRecord.save(
                    agentRecord.current().withClearedThrough(delivery.command().attempt()));
            attempts.finishWithoutRunning(
                    delivery,
                    new AttemptResult(
                            AttemptOutcome.SUCCEEDED,
                            ReasonCode.NONE,
                            describeFailures(failures.other()),
                            seen,
                            ""));
        } else {
            attempts.finishWithoutRunning(
                    delivery,
                    new AttemptResult(
                            AttemptOutcome.FAILED_ROLLBACK,
                            failures.required().getFirst().reason(),
                            describeFailures(failures.required()),
                            seen,
                            ""));
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
}
