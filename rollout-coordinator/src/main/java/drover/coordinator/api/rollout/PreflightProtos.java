package drover.coordinator.api.rollout;

import com.google.protobuf.Timestamp;
import drover.coordinator.plan.preflight.NodePreflightResult.Outcome;
import drover.coordinator.plan.preflight.NodePreflightResult.Problem;
import drover.model.UpgradeAction;
import drover.rollout.v1.NodePreflight;
import drover.rollout.v1.Preflight;
import drover.rollout.v1.PreflightCheck;
import drover.rollout.v1.PreflightResult;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Preflights as the contracts say them. */
final class PreflightProtos {
    private PreflightProtos() {}

    /** With what was found on each node. */
    static Preflight toPreflight(drover.coordinator.plan.preflight.LatestPreflight preflight) {
        Preflight.Builder proto = toSummary(preflight).toBuilder();
        preflight.nodes().forEach(node -> proto.addNodes(toNodePreflight(node)));
        return proto.build();
    }

    /** How many nodes are well, and no more. */
    static Preflight toSummary(drover.coordinator.plan.preflight.LatestPreflight preflight) {
        Preflight.Builder proto =
                Preflight.newBuilder()
                        .setId(preflight.id().toString())
                        .setRequestedBy(preflight.requestedBy())
                        .setRequestedAt(toTimestamp(preflight.requestedAt()))
                        .setOkNodes(preflight.count(Outcome.OK))
                        .setFailingNodes(preflight.count(Outcome.WOULD_FAIL))
                        .setUncheckedNodes(preflight.count(Outcome.NOT_CHECKED));
        if (preflight.finishedAt() != null) {
            proto.setFinishedAt(toTimestamp(preflight.finishedAt()));
        }
        return proto.build();
    }

    private static NodePreflight toNodePreflight(
            drover.coordinator.plan.preflight.NodePreflightResult node) {
        NodePreflight.Builder proto =
                NodePreflight.newBuilder()
                        .setNodeId(node.node().value())
                        .setResult(
                                PreflightResult.valueOf("PREFLIGHT_RESULT_" + node.result().name()))
                        .setReason(node.reason())
                        .setSentence(node.sentence());
        if (node.result() != Outcome.NOT_CHECKED) {
            Map<String, Problem> problems = new HashMap<>();
            node.problems().forEach(problem -> problems.put(problem.action(), problem));
            for (UpgradeAction action : UpgradeAction.values()) {
                proto.addChecks(toCheck(action.wireName(), problems.get(action.wireName())));
            }
        }
        return proto.build();
    }

    private static PreflightCheck toCheck(String action, @Nullable Problem problem) {
        PreflightCheck.Builder check =
                PreflightCheck.newBuilder().setAction(action).setOk(problem == null);
        return problem == null
                ? check.build()
                : check.setReason(problem.reason()).setSentence(problem.sentence()).build();
    }

    private static Timestamp toTimestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }
}
