package drover.opsagent.peers;

import drover.opsagent.engine.AgentFinding;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.store.AgentRecord;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything an agent says of itself.
 *
 * @param connectionNumber counts the connections of this incarnation
 * @param status of the latest attempt; absent when the node never had one
 * @param declined the latest command that was not taken for now; absent when there was none
 */
public record SelfReport(
        String agentVersion,
        String runtime,
        AgentRecord record,
        long connectionNumber,
        boolean executor,
        Set<String> features,
        List<ReportedProgram> programs,
        List<AgentFinding> findings,
        @Nullable AttemptStatus status,
        @Nullable TemporarilyDeclinedCommand declined) {
    /** A command that will be taken when it is sent again. */
    public record TemporarilyDeclinedCommand(long attempt, ReasonCode reason, String detail) {}

    public SelfReport {
        features = Set.copyOf(features);
        programs = List.copyOf(programs);
        findings = List.copyOf(findings);
    }

    /** Whether the agent is being replaced, so that it takes no other work. */
    boolean isDraining() {
        return status != null && status.isDraining();
    }
}
