package drover.coordinator.plan.model;

import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.model.program.StopSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a rollout was created with. Frozen: nothing that happens to a manifest or a profile later
 * changes it (invariant A19).
 *
 * @param nodeType type of the targets; empty for any
 * @param sourceVersions versions that targets may run before
 * @param targetUrl where the artifact is; empty when only the platforms listed have one
 * @param targetDigest digest of that artifact; over the list of artifacts when there is none
 * @param runtime runtime that targets must have; empty for any
 * @param upgradeId manifest it came from; empty when created by hand
 * @param manifestHash hash of that manifest; empty when created by hand without one
 * @param healthWait how long a node must be well before it counts
 * @param crashLoopRestarts restarts within an attempt from which it is a crash loop
 * @param maxInFlight nodes with work under way at once
 * @param offlineBudget nodes that may be offline without holding the rollout up
 * @param artifacts artifacts of the platforms that have one of their own
 * @param membership the group it is a component of, if it does not stand alone
 * @param conduct how it behaves when nodes fail, and by when it should be done
 * @param oversight what decides whether a second person is needed
 * @param release digest of the signed release that nodes receive with the artifact; empty without
 * @param stopTimeout how long the program may take to stop
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
        String manifestHash,
        Map<String, TargetArtifact> artifacts,
        GroupMembership membership,
        RolloutPolicy conduct,
        TwoPersonRuleInput oversight,
        String release,
        Duration stopTimeout) {

    private static final Duration SHORTEST_DEADLINE = Duration.ofSeconds(30);

    public RolloutSpec {
        sourceVersions = List.copyOf(sourceVersions);
        // Rollouts and decisions written down by earlier versions lack the last six.
        artifacts = artifacts == null ? Map.of() : Map.copyOf(artifacts);
        membership = membership == null ? GroupMembership.NONE : membership; // likewise
        conduct = conduct == null ? RolloutPolicy.DEFAULT : conduct;
        oversight = oversight == null ? TwoPersonRuleInput.NONE : oversight;
        release = release == null ? "" : release;
        stopTimeout = stopTimeout == null ? StopSettings.DEFAULT_TIMEOUT : stopTimeout;
    }

    /** A rollout that stands alone. */
    public RolloutSpec(
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
            String manifestHash,
            Map<String, TargetArtifact> artifacts) {
        this(
                chain,
                nodeType,
                binary,
                sourceVersions,
                targetVersion,
                targetUrl,
                targetDigest,
                runtime,
                strategy,
                threshold,
                maxInFlight,
                offlineBudget,
                healthWait,
                crashLoopRestarts,
                migration,
                recoveryPlan,
                upgradeId,
                manifestHash,
                artifacts,
                GroupMembership.NONE,
                RolloutPolicy.DEFAULT,
                TwoPersonRuleInput.NONE,
                "",
                StopSettings.DEFAULT_TIMEOUT);
    }

    /**
     * The place of a rollout in a group.
     *
     * @param group empty when it stands alone
     * @param index its place in the order, from 0
     */
    public record GroupMembership(String group, int index) {
        /** It stands alone. */
        public static final GroupMembership NONE = new GroupMembership("", 0);
    }

    /** What kind of program it upgrades. */
    public ProgramKind programKind() {
        return ProgramKind.of(chain, binary);
    }

    /** Whether a node of this runtime can be a target. */
    public boolean acceptsRuntime(String nodeRuntime) {
        return runtime.isEmpty() || runtime.equals(nodeRuntime);
    }

    /**
     * What to install anew where there is no backup. An old agent is named even when nobody knows
     * where it came from: its jar is still on the node (seed 001, no version is ever erased).
     */
    public Optional<TargetArtifact> reinstallableArtifact(NodeTarget target) {
        return switch (programKind()) {
            case CARED_FOR -> target.reinstallableArtifact();
            case AGENT ->
                    Optional.of(new TargetArtifact(target.sourceUrl(), target.sourceDigest(), 0));
        };
    }

    /** Whether a group steers it (rule R4) and holds the chain for it (invariant A2). */
    public boolean isInGroup() {
        return !membership.group().isEmpty();
    }

    /** The same as a component of a group. */
    public RolloutSpec asComponentOf(String group, int index) {
        return copyWith(
                new GroupMembership(group, index), conduct, oversight, release, stopTimeout);
    }

    /** One artifact for every platform. */
    public RolloutSpec(
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
        this(
                chain,
                nodeType,
                binary,
                sourceVersions,
                targetVersion,
                targetUrl,
                targetDigest,
                runtime,
                strategy,
                threshold,
                maxInFlight,
                offlineBudget,
                healthWait,
                crashLoopRestarts,
                migration,
                recoveryPlan,
                upgradeId,
                manifestHash,
                Map.of());
    }

    /** The same behaving so. */
    public RolloutSpec withPolicy(RolloutPolicy how) {
        return copyWith(membership, how, oversight, release, stopTimeout);
    }

    /** The same as somebody created it, for a chain of so many nodes; 0 when nobody counted. */
    public RolloutSpec withTwoPersonRuleInput(String createdBy, int chainNodes) {
        return copyWith(
                membership,
                conduct,
                new TwoPersonRuleInput(createdBy, chainNodes),
                release,
                stopTimeout);
    }

    /** The same with a signed release of this digest; empty for none. */
    public RolloutSpec withRelease(String digest) {
        return copyWith(membership, conduct, oversight, digest, stopTimeout);
    }

    /** The same for a program that may take this long to stop. */
    public RolloutSpec withStopTimeout(Duration timeout) {
        return copyWith(membership, conduct, oversight, release, timeout);
    }

    private RolloutSpec copyWith(
            GroupMembership place,
            RolloutPolicy how,
            TwoPersonRuleInput seen,
            String releaseDigest,
            Duration stop) {
        return new RolloutSpec(
                chain,
                nodeType,
                binary,
                sourceVersions,
                targetVersion,
                targetUrl,
                targetDigest,
                runtime,
                strategy,
                threshold,
                maxInFlight,
                offlineBudget,
                healthWait,
                crashLoopRestarts,
                migration,
                recoveryPlan,
                upgradeId,
                manifestHash,
                artifacts,
                place,
                how,
                seen,
                releaseDigest,
                stop);
    }

    /** Time that a stop may take beyond what {@link RolloutTimeouts} includes. */
    public Duration extraStopTime() {
        return StopSettings.timeBeyondDefault(stopTimeout);
    }

    /**
     * What a node of this platform gets: the artifact listed for it, else the one for all; nothing
     * when there is neither. Nothing either while the platform is not known and matters.
     *
     * @param platform such as {@code linux/arm64}; empty when not known
     */
    public Optional<TargetArtifact> artifactForOrAny(String platform) {
        TargetArtifact own = artifacts.get(platform);
        if (own != null) {
            return Optional.of(own);
        }
        boolean unknown = platform.isEmpty() && !artifacts.isEmpty();
        return unknown || targetUrl.isEmpty()
                ? Optional.empty()
                : Optional.of(new TargetArtifact(targetUrl, targetDigest, 0));
    }

    /** Stands for the digest of the artifact where every platform has its own. */
    public static Digest combinedDigest(Map<String, TargetArtifact> artifacts) {
        StringBuilder list = new StringBuilder();
        new TreeMap<>(artifacts)
                .forEach(
                        (platform, artifact) ->
                                list.append(platform)
                                        .append(' ')
                                        .append(artifact.digest())
                                        .append('\n'));
        return Digest.of(list.toString());
    }

    /**
     * How long a settling node of which something is heard has until it must have become well:
     * three times the wait, and never less than a program needs to start on a busy machine.
     */
    public Duration healthTimeout() {
        return threeHealthWaits(SHORTEST_DEADLINE);
    }

    /**
     * How long nothing may be heard of a settling node: three times the wait, and never less than
     * its agent, or who judges it, needs to be heard again over another connection.
     */
    public Duration noDataTimeout() {
        return threeHealthWaits(RolloutTimeouts.RECONNECT_GRACE);
    }

    private Duration threeHealthWaits(Duration atLeast) {
        Duration tripled = healthWait.multipliedBy(3);
        return tripled.compareTo(atLeast) < 0 ? atLeast : tripled;
    }

    /**
     * How long a canary is observed once its last node is well: twice the wait (seed 000, Canary).
     */
    public Duration observationDuration() {
        return healthWait.multipliedBy(2);
    }
}
