package drover.opsagent.engine.attempt;

import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.time.AgentStopping;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts what went wrong in the world into a reason and a sentence. */
public record FailureReasonAndDetail(ReasonCode reason, String detail) {
    private static final Logger LOG = LoggerFactory.getLogger(FailureReasonAndDetail.class);

    /** Why it failed. An agent that is being closed has not failed: that goes up. */
    public static FailureReasonAndDetail of(RuntimeException failure) {
        return switch (failure) {
            case AgentStopping stopping -> throw stopping;
            case ActionFailed failed ->
                    new FailureReasonAndDetail(failed.reason(), messageOf(failed));
            case PathRefused refused ->
                    new FailureReasonAndDetail(ReasonCode.PATH_REFUSED, messageOf(refused));
            case DiskFailure full when full.isFull() ->
                    new FailureReasonAndDetail(
                            ReasonCode.DISK_FULL, messageOf(full) + ": delete files on it.");
            case DiskFailure disk ->
                    new FailureReasonAndDetail(
                            ReasonCode.DISK_ERROR, messageOf(disk) + ": correct it on the node.");
            default -> {
                LOG.error("A bug in the agent", failure);
                yield new FailureReasonAndDetail(
                        ReasonCode.INTERNAL, "A bug in the agent: its log has the details.");
            }
        };
    }

    private static String messageOf(RuntimeException failure) {
        return String.valueOf(failure.getMessage());
    }
}
