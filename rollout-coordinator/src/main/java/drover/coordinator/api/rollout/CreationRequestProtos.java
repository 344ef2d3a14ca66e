package drover.coordinator.api.rollout;

import drover.coordinator.api.TimestampParser;
import drover.coordinator.engine.create.RefusingFieldParser;
import drover.coordinator.peers.GrpcManifestServiceLink;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.coordinator.plan.model.FailureAction;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.kit.grpc.Refused;
import drover.manifest.v1.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Strategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A creation as asked, in the coordinator's words. */
public final class CreationRequestProtos {
    private CreationRequestProtos() {}

    public static UnvalidatedCreationRequest toCreationRequest(CreateRolloutRequest request) {
        List<String> sources = new ArrayList<>();
        if (!request.getSourceVersion().isBlank()) {
            sources.add(request.getSourceVersion());
        }
        sources.addAll(request.getSourceVersionsList());
        return new UnvalidatedCreationRequest(
                request.getChainProfileId(),
                request.getNodeType(),
                request.getUpgradeId(),
                request.getBinaryName(),
                sources,
                request.getTargetVersion(),
                request.getTargetBinaryUrl(),
                request.getTargetBinaryChecksum(),
                toStrategyName(request.getStrategy()),
                request.getBatchSize(),
                request.getCanarySize(),
                request.getFailureThreshold(),
                request.getFailureThresholdPercent(),
                request.getMaxInFlight(),
                parseHealthWait(request),
                request.getConfigChangesList().stream()
                        .map(
                                change ->
                                        new UnvalidatedCreationRequest.TemplatedConfigChange(
                                                change.getPath(),
                                                change.getTemplate(),
                                                change.getOverridesMap()))
                        .toList(),
                request.getMigrationType() == MigrationType.MIGRATION_TYPE_UNSPECIFIED
                        ? null
                        : GrpcManifestServiceLink.toMigrationType(request.getMigrationType()),
                request.getRecoveryPlan(),
                request.getAcknowledgeStateRisk(),
                request.getManifestContentHash(),
                request.getOfflineBudget(),
                request.getForceContinue(),
                request.getSkipValidation(),
                new LinkedHashSet<>(request.getNodeIdsList()),
                Set.copyOf(request.getExcludeList()),
                request.getNodeSelectorMap(),
                toPolicy(request));
    }

    private static RolloutPolicy toPolicy(CreateRolloutRequest request) {
        FailureAction onFailure =
                switch (request.getOnFailure()) {
                    case ON_FAILURE_UNSPECIFIED, ON_FAILURE_PAUSE -> FailureAction.PAUSE;
                    case ON_FAILURE_ROLLBACK -> FailureAction.ROLLBACK;
                    case UNRECOGNIZED ->
                            throw new Refused(
                                    RefusalCode.INVALID_FIELD,
                                    "on_failure is pause or rollback.",
                                    "on_failure");
                };
        return new RolloutPolicy(
                onFailure,
                request.hasFinishBy()
                        ? TimestampParser.parseTime(request.getFinishBy(), "finish_by")
                        : null,
                ExpectedFailureReasons.NONE,
                toRollbackHealth(request.getRollbackHealth(), "rollback_health")
                        .orElse(RollbackHealthPolicy.WAIT),
                request.getUnhealthyBudget(),
                parseOrder(request));
    }

    private static NodeOrder parseOrder(CreateRolloutRequest request) {
        NodeOrder order =
                NodeOrder.parse(request.getOrder())
                        .orElseThrow(
                                () ->
                                        new Refused(
                                                RefusalCode.INVALID_FIELD,
                                                "order is name, as-listed or label:KEY.",
                                                "order"));
        return order.withLast(
                request.getLastNodeIdsList().stream()
                        .distinct()
                        .map(node -> RefusingFieldParser.parse("last_node_ids", node, NodeId::new))
                        .toList());
    }

    /** The health gate of a rollback; empty when the caller leaves it out. */
    static Optional<RollbackHealthPolicy> toRollbackHealth(
            drover.rollout.v1.RollbackHealth requested, String field) {
        return switch (requested) {
            case ROLLBACK_HEALTH_UNSPECIFIED -> Optional.empty();
            case ROLLBACK_HEALTH_WAIT -> Optional.of(RollbackHealthPolicy.WAIT);
            case ROLLBACK_HEALTH_ASK -> Optional.of(RollbackHealthPolicy.ASK);
            case ROLLBACK_HEALTH_IGNORE -> Optional.of(RollbackHealthPolicy.IGNORE);
            case UNRECOGNIZED ->
                    throw new Refused(
                            RefusalCode.INVALID_FIELD, field + " is wait, ask or ignore.", field);
        };
    }

    private static @Nullable Duration parseHealthWait(CreateRolloutRequest request) {
        return request.hasHealthWaitDuration()
                ? Duration.ofSeconds(
                        request.getHealthWaitDuration().getSeconds(),
                        request.getHealthWaitDuration().getNanos())
                : null;
    }

    private static @Nullable StrategyName toStrategyName(Strategy strategy) {
        return switch (strategy) {
            case STRATEGY_ROLLING -> StrategyName.ROLLING;
            case STRATEGY_CANARY -> StrategyName.CANARY;
            case STRATEGY_ALL_AT_ONCE -> StrategyName.ALL_AT_ONCE;
            case STRATEGY_PROGRESSIVE -> StrategyName.PROGRESSIVE;
            case STRATEGY_UNSPECIFIED, UNRECOGNIZED -> null;
        };
    }
}
