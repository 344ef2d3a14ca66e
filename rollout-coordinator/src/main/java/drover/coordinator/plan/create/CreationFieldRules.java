package drover.coordinator.plan.create;

import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.coordinator.plan.model.DurationPhrase;
import drover.model.MigrationType;
import drover.model.RefusalCode;
import drover.model.program.DownloadAddress;
import drover.model.program.PinnedImageRule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The creation rules of seed 000 that need nothing but the request itself, after the manifest has
 * filled it.
 */
public final class CreationFieldRules {
    private static final Pattern SHA256 = Pattern.compile("sha256:[0-9a-f]{64}");

    private static final int LARGEST_BATCH = 10_000;
    private static final int MOST_LAST_NODES = 64; // they are part of each recorded decision

    /** The profile's least as well. Less would be skip_validation by another name (A16). */
    private static final Duration SHORTEST_HEALTH_WAIT = Duration.ofSeconds(1);

    private static final Duration LONGEST_HEALTH_WAIT = Duration.ofHours(24);

    private CreationFieldRules() {}

    /**
     * A refusal of a creation.
     *
     * @param field field concerned, as written in JSON
     */
    public record Refusal(RefusalCode code, String field, String sentence) {}

    /** What must be there before anybody else is asked. */
    public static Optional<Refusal> checkBeforeManifest(UnvalidatedCreationRequest request) {
        return firstRefusal(
                List.of(
                        checkFieldPresent("chain_profile_id", request.chain()),
                        request.sourceVersions().isEmpty()
                                ? missingFieldRefusal(
                                        "source_version", "Say which version the targets run now.")
                                : Optional.empty(),
                        checkStrategy(request),
                        checkThresholds(request),
                        checkLimits(request),
                        checkLastNodes(request),
                        checkHealthWait(request),
                        checkRiskyFlags(request),
                        checkExcludedTargets(request)));
    }

    /** What must hold once everything is filled in. */
    public static Optional<Refusal> checkAfterManifest(
            UnvalidatedCreationRequest request, String runtime) {
        return firstRefusal(
                List.of(
                        checkFieldPresent("binary_name", request.binary()),
                        checkFieldPresent("target_version", request.targetVersion()),
                        checkFieldPresent("target_binary_url", request.url()),
                        checkChecksum(request),
                        checkImagePin(request, runtime),
                        checkDownloadAddress(request, runtime),
                        checkBreakingMigration(request)));
    }

    /**
     * The same where only some platforms have an artifact: the manifest-service has checked each
     * address and checksum (seed 000, rules 1 and 2).
     */
    public static Optional<Refusal> checkAfterManifestPerPlatform(
            UnvalidatedCreationRequest request) {
        return firstRefusal(
                List.of(
                        checkFieldPresent("binary_name", request.binary()),
                        checkFieldPresent("target_version", request.targetVersion()),
                        checkBreakingMigration(request)));
    }

    private static Optional<Refusal> firstRefusal(List<Optional<Refusal>> candidates) {
        return candidates.stream().flatMap(Optional::stream).findFirst();
    }

    private static Optional<Refusal> checkFieldPresent(String field, String value) {
        return value.isBlank()
                ? missingFieldRefusal(field, field + " is missing.")
                : Optional.empty();
    }

    private static Optional<Refusal> missingFieldRefusal(String field, String sentence) {
        return Optional.of(new Refusal(RefusalCode.MISSING_FIELD, field, sentence));
    }

    private static Optional<Refusal> invalidFieldRefusal(String field, String sentence) {
        return Optional.of(new Refusal(RefusalCode.INVALID_FIELD, field, sentence));
    }

    private static Optional<Refusal> checkStrategy(UnvalidatedCreationRequest request) {
        StrategyName strategy = request.strategy();
        if (strategy == null) {
            return missingFieldRefusal(
                    "strategy", "Choose a strategy: rolling, canary, progressive or all_at_once.");
        }
        boolean needsSize = strategy == StrategyName.ROLLING || strategy == StrategyName.CANARY;
        if (needsSize && request.batchSize() == 0) {
            return missingFieldRefusal(
                    "batch_size", "batch_size is missing: give the number of nodes of a batch.");
        }
        if (request.batchSize() < 0 || request.batchSize() > LARGEST_BATCH) {
            return invalidFieldRefusal("batch_size", "batch_size is 1 to 10000.");
        }
        if (request.canarySize() != 0 && strategy != StrategyName.CANARY) {
            return invalidFieldRefusal(
                    "canary_size", "canary_size goes with the canary strategy only.");
        }
        if (request.canarySize() < 0 || request.canarySize() > LARGEST_BATCH) {
            return invalidFieldRefusal("canary_size", "canary_size is 1 to 10000.");
        }
        return Optional.empty();
    }

    private static Optional<Refusal> checkThresholds(UnvalidatedCreationRequest request) {
        if (request.threshold() != 0 && request.thresholdPercent() != 0) {
            return invalidFieldRefusal(
                    "failure_threshold_percent",
                    "Give failure_threshold or failure_threshold_percent, not both.");
        }
        if (request.thresholdPercent() < 0 || request.thresholdPercent() > 99) {
            return invalidFieldRefusal(
                    "failure_threshold_percent", "failure_threshold_percent is 1 to 99.");
        }
        if (request.threshold() < 0) {
            return invalidFieldRefusal("failure_threshold", "failure_threshold is 0 or more.");
        }
        return Optional.empty();
    }

    /** What a uint32 of the wire holds may be negative here. */
    private static Optional<Refusal> checkLimits(UnvalidatedCreationRequest request) {
        if (request.maxInFlight() < 0) {
            return invalidFieldRefusal("max_in_flight", "max_in_flight is 1 to 2147483647.");
        }
        if (request.offlineBudget() < 0) {
            return invalidFieldRefusal("offline_budget", "offline_budget is 0 to 2147483647.");
        }
        if (request.policy().unhealthyBudget() < 0) {
            return invalidFieldRefusal("unhealthy_budget", "unhealthy_budget is 0 to 2147483647.");
        }
        return Optional.empty();
    }

    private static Optional<Refusal> checkLastNodes(UnvalidatedCreationRequest request) {
        int count = request.policy().order().last().size();
        if (count > MOST_LAST_NODES) {
            return invalidFieldRefusal(
                    "last_node_ids",
                    "last_node_ids has at most "
                            + MOST_LAST_NODES
                            + " nodes; use an order instead.");
        }
        if (count > 0 && request.strategy() == StrategyName.ALL_AT_ONCE) {
            return invalidFieldRefusal(
                    "last_node_ids",
                    "all_at_once upgrades all nodes together: leave out last_node_ids, or choose"
                            + " another strategy.");
        }
        return Optional.empty();
    }

    private static Optional<Refusal> checkHealthWait(UnvalidatedCreationRequest request) {
        Duration wait = request.healthWait();
        if (wait != null && wait.isNegative()) {
            return invalidFieldRefusal(
                    "health_wait_duration", "health_wait_duration is not negative.");
        }
        boolean unchecked =
                request.skipValidation() && request.strategy() == StrategyName.ALL_AT_ONCE;
        if (wait != null && wait.compareTo(SHORTEST_HEALTH_WAIT) < 0 && !unchecked) {
            return invalidFieldRefusal(
                    "health_wait_duration",
                    "health_wait_duration is 1s at the least; to upgrade without waiting for health"
                            + " set skip_validation, which goes with all_at_once only.");
        }
        if (wait != null && wait.compareTo(LONGEST_HEALTH_WAIT) > 0) {
            return invalidFieldRefusal(
                    "health_wait_duration", "health_wait_duration is 24h at the most.");
        }
        return Optional.empty();
    }

    /**
     * Requires a health wait in which every probe runs again after its first success.
     *
     * @param wait health wait that the rollout would have
     * @param probeInterval longest interval of the program's probes; zero if it has none
     */
    public static Optional<Refusal> checkProbeInterval(
            UnvalidatedCreationRequest request, Duration wait, Duration probeInterval) {
        return request.skipValidation() || wait.compareTo(probeInterval) >= 0
                ? Optional.empty()
                : invalidFieldRefusal(
                        "health_wait_duration",
                        "The health wait of "
                                + DurationPhrase.of(wait)
                                + " is shorter than the longest probe interval of "
                                + request.binary()
                                + ", "
                                + DurationPhrase.of(probeInterval)
                                + ". Use a health wait of at least that, or probe more often.");
    }

    private static Optional<Refusal> checkRiskyFlags(UnvalidatedCreationRequest request) {
        boolean allAtOnce = request.strategy() == StrategyName.ALL_AT_ONCE;
        if (request.forceContinue() && !allAtOnce) {
            return invalidFieldRefusal(
                    "force_continue", "force_continue goes with all_at_once only.");
        }
        if (request.skipValidation() && !allAtOnce) {
            return invalidFieldRefusal(
                    "skip_validation", "skip_validation goes with all_at_once only.");
        }
        if (request.forceContinue() && request.threshold() > 0) {
            return invalidFieldRefusal(
                    "failure_threshold", ignoredThresholdSentence("failure_threshold"));
        }
        if (request.forceContinue() && request.thresholdPercent() > 0) {
            return invalidFieldRefusal(
                    "failure_threshold_percent",
                    ignoredThresholdSentence("failure_threshold_percent"));
        }
        if (request.forceContinue() && request.policy().rollsBackOnFailure()) {
            return invalidFieldRefusal(
                    "on_failure",
                    "force_continue goes on whatever fails, so that on_failure rollback would mean"
                            + " nothing; give one of them.");
        }
        return Optional.empty();
    }

    /** A moment that is past cannot be met. */
    public static Optional<Refusal> checkFinishBy(UnvalidatedCreationRequest request, Instant now) {
        Instant finishBy = request.policy().finishBy();
        return finishBy == null || finishBy.isAfter(now)
                ? Optional.empty()
                : invalidFieldRefusal(
                        "finish_by",
                        "finish_by is "
                                + finishBy
                                + ", which is past; give a moment to come, or none.");
    }

    private static String ignoredThresholdSentence(String field) {
        return "force_continue goes on whatever fails, so that "
                + field
                + " would mean nothing; give one of them.";
    }

    private static Optional<Refusal> checkExcludedTargets(UnvalidatedCreationRequest request) {
        return request.nodeIds().stream()
                .filter(request.exclude()::contains)
                .sorted()
                .findFirst()
                .flatMap(
                        both ->
                                invalidFieldRefusal(
                                        "exclude",
                                        "Node " + both + " is in node_ids and in exclude."));
    }

    private static Optional<Refusal> checkChecksum(UnvalidatedCreationRequest request) {
        if (request.checksum().isBlank()) {
            return Optional.of(
                    new Refusal(
                            RefusalCode.CHECKSUM_MISSING,
                            "target_binary_checksum",
                            "Give the artifact's checksum; without it nothing is installed."));
        }
        if (!SHA256.matcher(request.checksum()).matches()) {
            return Optional.of(
                    new Refusal(
                            RefusalCode.CHECKSUM_NOT_SHA256,
                            "target_binary_checksum",
                            "Write the checksum as sha256: and 64 lower-case hexadecimal digits."));
        }
        return Optional.empty();
    }

    private static Optional<Refusal> checkImagePin(
            UnvalidatedCreationRequest request, String runtime) {
        if (!runtime.equals("docker")) {
            return Optional.empty();
        }
        if (!PinnedImageRule.isPinned(request.url())) {
            return notPinnedRefusal(
                    "Pin the image by its digest: name@sha256: and 64 lower-case hexadecimal digits;"
                            + " tags can change under you.");
        }
        if (!request.url().endsWith("@" + request.checksum())) {
            return notPinnedRefusal(
                    "The image is pinned by another digest than target_binary_checksum; give one and"
                            + " the same.");
        }
        return Optional.empty();
    }

    /** The rules of manifests for addresses: an agent would refuse any other address. */
    private static Optional<Refusal> checkDownloadAddress(
            UnvalidatedCreationRequest request, String runtime) {
        if (runtime.equals("docker") || PinnedImageRule.isPinned(request.url())) {
            return Optional.empty();
        }
        try {
            DownloadAddress.parse(request.url());
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return invalidFieldRefusal("target_binary_url", String.valueOf(e.getMessage()));
        }
    }

    private static Optional<Refusal> notPinnedRefusal(String sentence) {
        return Optional.of(
                new Refusal(RefusalCode.IMAGE_NOT_PINNED, "target_binary_url", sentence));
    }

    private static Optional<Refusal> checkBreakingMigration(UnvalidatedCreationRequest request) {
        if (request.migration() != MigrationType.BREAKING) {
            return Optional.empty();
        }
        if (request.strategy() != StrategyName.CANARY) {
            return Optional.of(
                    new Refusal(
                            RefusalCode.BREAKING_NEEDS_CANARY,
                            "strategy",
                            "A breaking migration needs the canary strategy."));
        }
        if (request.recoveryPlan().isBlank()) {
            return Optional.of(
                    new Refusal(
                            RefusalCode.BREAKING_NEEDS_RECOVERY_PLAN,
                            "recovery_plan",
                            "Say what to do if the old program cannot read the new state."));
        }
        if (!request.acknowledgeStateRisk()) {
            return Optional.of(
                    new Refusal(
                            RefusalCode.BREAKING_NEEDS_ACKNOWLEDGEMENT,
                            "acknowledge_state_risk",
                            "Set acknowledge_state_risk: after a rollback the state may be unreadable."));
        }
        return Optional.empty();
    }
}
