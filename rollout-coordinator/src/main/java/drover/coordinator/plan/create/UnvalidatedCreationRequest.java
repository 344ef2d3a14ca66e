package drover.coordinator.plan.create;

import drover.coordinator.plan.model.RolloutPolicy;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks to be rolled out, as written: texts are not yet parsed, empty means not
 * given.
 *
 * @param strategy null when not given
 * @param thresholdPercent 0 when not given
 * @param healthWait null when not given
 * @param migration null when not given
 * @param nodeIds ids of the targets in the order of the request; empty for all
 * @param policy how it behaves when nodes fail, and by when it should be done
 */
public record UnvalidatedCreationRequest(
        String chain,
        String nodeType,
        String upgradeId,
        String binary,
        List<String> sourceVersions,
        String targetVersion,
        String url,
        String checksum,
        @Nullable StrategyName strategy,
        int batchSize,
        int canarySize,
        int threshold,
        int thresholdPercent,
        int maxInFlight,
        @Nullable Duration healthWait,
        List<TemplatedConfigChange> changes,
        drover.model.@Nullable MigrationType migration,
        String recoveryPlan,
        boolean acknowledgeStateRisk,
        String manifestHash,
        int offlineBudget,
        boolean forceContinue,
        boolean skipValidation,
        Set<String> nodeIds,
        Set<String> exclude,
        Map<String, String> nodeSelector,
        RolloutPolicy policy) {

    /** A request that asks for nothing special. */
    public UnvalidatedCreationRequest(
            String chain,
            String nodeType,
            String upgradeId,
            String binary,
            List<String> sourceVersions,
            String targetVersion,
            String url,
            String checksum,
            @Nullable StrategyName strategy,
            int batchSize,
            int canarySize,
            int threshold,
            int thresholdPercent,
            int maxInFlight,
            @Nullable Duration healthWait,
            List<TemplatedConfigChange> changes,
            drover.model.@Nullable MigrationType migration,
            String recoveryPlan,
            boolean acknowledgeStateRisk,
            String manifestHash,
            int offlineBudget,
            boolean forceContinue,
            boolean skipValidation,
            Set<String> nodeIds,
            Set<String> exclude,
            Map<String, String> nodeSelector) {
        this(
                chain,
                nodeType,
                upgradeId,
                binary,
                sourceVersions,
                targetVersion,
                url,
                checksum,
                strategy,
                batchSize,
                canarySize,
                threshold,
                thresholdPercent,
                maxInFlight,
                healthWait,
                changes,
                migration,
                recoveryPlan,
                acknowledgeStateRisk,
                manifestHash,
                offlineBudget,
                forceContinue,
                skipValidation,
                nodeIds,
                exclude,
                nodeSelector,
                RolloutPolicy.DEFAULT);
    }

    public UnvalidatedCreationRequest {
        sourceVersions = List.copyOf(sourceVersions);
        changes = List.copyOf(changes);
        nodeIds = Collections.unmodifiableSet(new LinkedHashSet<>(nodeIds));
        exclude = Set.copyOf(exclude);
        nodeSelector = Map.copyOf(nodeSelector);
    }

    /** Strategies by name. */
    public enum StrategyName {
        /** Batches of one size. */
        ROLLING,
        /** Some first, observed. */
        CANARY,
        /** One batch. */
        ALL_AT_ONCE,
        /** A growing ladder. */
        PROGRESSIVE
    }

    /** A configuration file that changes. */
    public record TemplatedConfigChange(
            String path, String template, Map<String, String> overrides) {
        public TemplatedConfigChange {
            overrides = Map.copyOf(overrides);
        }
    }
}
