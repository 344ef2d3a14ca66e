package drover.coordinator.api.rollout;

import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.store.rollout.RolloutViews.Filter;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.Strategy;
import java.util.Locale;

/** Reads which rollouts a list shall hold. */
final class RolloutFilterParser {
    private RolloutFilterParser() {}

    /**
     * @throws Refused INVALID_FIELD when a filter is malformed; one that nothing fits finds nothing
     */
    static Filter parse(ListRolloutsRequest request) {
        return new Filter(
                request.getChainProfileId(),
                parseStatus(request),
                parseStrategy(request),
                parseGroupId(request),
                request.getNodeId(),
                request.getTraceId());
    }

    /** The word of the status asked for; empty for all. */
    private static String parseStatus(ListRolloutsRequest request) {
        RolloutStatus status = request.getStatus();
        if (status == RolloutStatus.UNRECOGNIZED) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "There is no rollout status "
                            + request.getStatusValue()
                            + "; leave it out to see all.",
                    "status");
        }
        return status == RolloutStatus.ROLLOUT_STATUS_UNSPECIFIED
                ? ""
                : status.name().substring("ROLLOUT_STATUS_".length()).toLowerCase(Locale.ROOT);
    }

    /** The word of the strategy asked for; empty for all. */
    private static String parseStrategy(ListRolloutsRequest request) {
        Strategy strategy = request.getStrategy();
        if (strategy == Strategy.UNRECOGNIZED) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "There is no strategy "
                            + request.getStrategyValue()
                            + "; leave it out to see all.",
                    "strategy");
        }
        return strategy == Strategy.STRATEGY_UNSPECIFIED
                ? ""
                : strategy.name().substring("STRATEGY_".length()).toLowerCase(Locale.ROOT);
    }

    private static String parseGroupId(ListRolloutsRequest request) {
        String group = request.getGroupId();
        if (!group.isEmpty() && !RolloutIdCallHelpers.isUuid(group)) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "Give the id of a group as group_id, or leave it out to see all.",
                    "group_id");
        }
        return group;
    }
}
