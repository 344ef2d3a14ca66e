package drover.opsagent.peers;

import drover.opsagent.engine.Finding;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.store.AgentRecord;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything an agent says of itself.
 *
 * @param dial counts the connections of this incarnation
 * @param status of the latest attempt; absent when the node never had one
 */
public record SelfReport(
        String agentVersion,
        String runtime,
        AgentRecord record,
        long dial,
        boolean executor,
        Set<String> features,
        List<ProgramView> programs,
        List<Finding> findings,
        @Nullable AttemptStatus status) {
    public SelfReport {
        features = Set.copyOf(features);
        programs = List.copyOf(programs);
        findings = List.copyOf(findings);
    }
}
