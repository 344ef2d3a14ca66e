package drover.coordinator.api.rollout;

import com.google.protobuf.util.Durations;
import drover.coordinator.engine.create.RolloutPreviewer.ChainHealth;
import drover.coordinator.engine.create.RolloutPreviewer.PlanPreview;
import drover.coordinator.peers.ManifestServiceLink.Warning;
import drover.coordinator.peers.NodeDirectoryLink.UnhealthyNode;
import drover.coordinator.plan.explain.FinishByForecast;
import drover.coordinator.plan.explain.RolloutForecast;
import drover.coordinator.plan.explain.SkipForecast.Skip;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.RiskyStartRules;
import drover.model.NodeId;
import drover.node.v1.NodeHealth;
import drover.node.v1.SkipReason;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.PlannedSkip;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import java.time.Duration;
import java.util.List;

/** Plans as the contracts say them. */
final class PlanProtos {
    private PlanProtos() {}

    /**
     * @param rollout the rollout as it is rendered elsewhere
     */
    static RolloutPlan toPlan(Rollout rollout, PlanPreview preview) {
        RolloutPlan.Builder proto =
                RolloutPlan.newBuilder()
                        .setRollout(rollout)
                        .setExpectedDuration(toDuration(preview.forecast().expectedDuration()))
                        .setExpectedNodeWork(toDuration(preview.work().typical()))
                        .setMeasuredFrom(preview.work().measuredFrom())
                        .setStartRisk(startRisk(preview.rollout()))
                        .setPlanHash(preview.outline().hash().value());
        preview.forecast().parts().forEach(part -> proto.addBatches(toPlannedBatch(part)));
        preview.skips().forEach(skip -> proto.addSkips(toPlannedSkip(skip)));
        proto.addAllUnhealthyNodes(toUnhealthyNodes(preview.unhealthy(), preview.rollout()));
        preview.warnings().forEach(warning -> proto.addWarnings(toWarning(warning)));
        preview.finishByForecast()
                .filter(punctuality -> punctuality.outlook() == FinishByForecast.Outlook.LATE)
                .ifPresent(late -> proto.addWarnings(toWarning(lateWarning(late))));
        List<String> stuck = notRollbackableIds(preview);
        if (!stuck.isEmpty()) {
            proto.addAllNotRollbackableNodeIds(stuck)
                    .addWarnings(
                            toWarning(
                                    new Warning(
                                            "NOT_ROLLBACKABLE",
                                            "Nothing could bring back "
                                                    + stuck.size()
                                                    + " of the nodes to what they run now; exclude them, or accept it.")));
        }
        return proto.build();
    }

    private static String startRisk(drover.coordinator.plan.model.Rollout rollout) {
        return rollout.state() instanceof RolloutState.Pending
                ? RiskyStartRules.startRiskPhrase(rollout.spec(), rollout.nodes().size())
                : "";
    }

    /** Plan of a rollback; nothing has to be agreed to, so it has no hash. */
    static RolloutPlan toRollbackPlan(Rollout rollout, PlanPreview preview) {
        return toPlan(rollout, preview).toBuilder().setRollback(true).clearPlanHash().build();
    }

    private static List<drover.rollout.v1.UnhealthyNode> toUnhealthyNodes(
            List<UnhealthyNode> nodes, drover.coordinator.plan.model.Rollout rollout) {
        return nodes.stream().map(one -> toUnhealthyNode(one, rollout)).toList();
    }

    static List<drover.rollout.v1.UnhealthyNode> toUnhealthyNodes(ChainHealth health) {
        return toUnhealthyNodes(health.unhealthy(), health.rollout());
    }

    static List<PlanWarning> toWarnings(ChainHealth health) {
        return health.warnings().stream().map(PlanProtos::toWarning).toList();
    }

    private static drover.rollout.v1.UnhealthyNode toUnhealthyNode(
            UnhealthyNode one, drover.coordinator.plan.model.Rollout rollout) {
        return drover.rollout.v1.UnhealthyNode.newBuilder()
                .setNodeId(one.node().value())
                .setHealth(
                        switch (one.level()) {
                            case CRITICAL -> NodeHealth.NODE_HEALTH_CRITICAL;
                            case DOWN -> NodeHealth.NODE_HEALTH_DOWN;
                            case CRASH_LOOP -> NodeHealth.NODE_HEALTH_CRASH_LOOP;
                            case DEGRADED -> NodeHealth.NODE_HEALTH_DEGRADED;
                            case HEALTHY -> NodeHealth.NODE_HEALTH_OK;
                            case UNKNOWN -> NodeHealth.NODE_HEALTH_UNKNOWN;
                        })
                .setSentence(one.why())
                .setTarget(rollout.nodes().containsKey(one.node()))
                .build();
    }

    private static Warning lateWarning(FinishByForecast late) {
        return new Warning(
                "FINISH_BY_LATE",
                "At the measured pace it is not done by its finish_by"
                        + (late.expectedEnd() == null ? "" : ", but at " + late.expectedEnd())
                        + "; use larger batches, or another moment.");
    }

    static com.google.protobuf.Duration toDuration(Duration duration) {
        return Durations.fromMillis(duration.toMillis());
    }

    private static PlannedBatch toPlannedBatch(RolloutForecast.BatchForecast part) {
        return PlannedBatch.newBuilder()
                .setIndex(part.batch().index())
                .setCanary(part.batch().canary())
                .addAllNodeIds(part.nodes().stream().map(NodeId::value).toList())
                .setAwaitsApproval(part.awaitsApproval())
                .setExpectedDuration(toDuration(part.expected()))
                .build();
    }

    private static PlannedSkip toPlannedSkip(Skip skip) {
        return PlannedSkip.newBuilder()
                .setNodeId(skip.node().value())
                .setReason(SkipReason.valueOf("SKIP_REASON_" + skip.reason().name()))
                .setSentence(skip.sentence())
                .setMayChange(skip.mayChange())
                .build();
    }

    static PlanWarning toWarning(Warning remark) {
        return PlanWarning.newBuilder()
                .setCode(remark.code())
                .setSentence(remark.sentence())
                .build();
    }

    /** Whoever renders a node knows whether there is a way back; it is asked here as well. */
    private static List<String> notRollbackableIds(PlanPreview preview) {
        return preview.rollout().nodes().values().stream()
                .filter(node -> isNotRollbackable(preview, node))
                .map(node -> node.id().value())
                .toList();
    }

    private static boolean isNotRollbackable(PlanPreview preview, NodeUpgrade node) {
        return RolloutProtos.toNode(preview.rollout(), node, null, new Cause("", ""))
                .getNotRollbackable();
    }
}
