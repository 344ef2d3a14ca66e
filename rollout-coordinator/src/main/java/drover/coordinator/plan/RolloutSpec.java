package drover.coordinator.plan;

import drover.model.BinaryName;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.Version;
import java.time.Duration;
import java.util.List;

/**
 * What a rollout was created with. Frozen: nothing that happens to a manifest or a profile later
 * changes it (invariant A19).
 *
 * @param nodeType type of the targets; empty for any
 * @param sourceVersions versions that targets may run before
 * @param runtime runtime that targets must have
 * @param upgradeId manifest it came from; empty when created by hand
 * @param manifestHash hash of that manifest; empty when created by hand without one
 * @param healthWait how long a node must be well before it counts
 * @param crashLoopRestarts restarts within an attempt from which it is a crash loop
 * @param maxInFlight nodes with work under way at once
 * @param offlineBudget nodes that may be offline without holding the rollout up
 */
public record RolloutSpec(
        ChainProfileId chain,
        String nodeType,
        BinaryName binary,
        List<Version> sourceVersions,
        Version targetVersion,
        String targetUrl,
        Digest targetDigest,
        String runtime,
        Strategy strategy,
        Threshold threshold,
        int maxInFlight,
        int offlineBudget,
        Duration healthWait,
        int crashLoopRestarts,
        MigrationType migration,
        String recoveryPlan,
        String upgradeId,
        String manifestHash) {

    private static final Duration SHORTEST_DEADLINE = Duration.ofSeconds(30);

    public RolloutSpec {
        sourceVersions = List.copyOf(sourceVersions);
    }

    /**
     * How long a settling node has until it must have become well: three times the wait, and never
     * less than a program needs to start on a busy machine.
     */
    public Duration healthDeadline() {
        Duration tripled = healthWait.multipliedBy(3);
        return tripled.compareTo(SHORTEST_DEADLINE) < 0 ? SHORTEST_DEADLINE : tripled;
    }

    /**
     * How long a canary is observed once its last node is well: twice the wait (seed 000, Canary).
     */
    public Duration observation() {
        return healthWait.multipliedBy(2);
    }
}
