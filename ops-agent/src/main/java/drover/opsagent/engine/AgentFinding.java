package drover.opsagent.engine;

import drover.opsagent.disk.DiskFailure;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;

/** Something the agent noticed by itself. */
public record AgentFinding(String code, String program, String detail) {
    /** A disk that cannot take the records of attempts. */
    static AgentFinding of(DiskFailure problem) {
        FailureReasonAndDetail failure = FailureReasonAndDetail.of(problem);
        return new AgentFinding(failure.reason().name(), "", failure.detail());
    }
}
