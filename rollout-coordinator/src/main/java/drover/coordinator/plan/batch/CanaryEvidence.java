package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.model.Digest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What a person looks at before approving a canary, one fact a line (issue 4, Approval). Made from
 * what is committed alone, so that every replica says the same and no heartbeat changes it; a
 * verdict that turns bad later takes the approval back by itself, see {@link ApprovalRules}.
 *
 * @param latestChangeText what changed last of it
 */
public record CanaryEvidence(List<String> lines, String latestChangeText) {
    /** A node that is proven was found well for the whole observation. */
    private static final String HEALTHY = "WELL";

    public CanaryEvidence {
        lines = List.copyOf(lines);
    }

    /** What an approval of this rollout is given on now; empty while none is awaited. */
    public static Optional<CanaryEvidence> of(Rollout rollout) {
        return rollout.state() instanceof RolloutState.AwaitingApproval waiting
                ? Optional.of(of(rollout, waiting))
                : Optional.empty();
    }

    public static CanaryEvidence of(Rollout rollout, RolloutState.AwaitingApproval waiting) {
        RolloutSpec spec = rollout.spec();
        List<NodeUpgrade> canary =
                rollout.nodesInBatch(rollout.currentBatch())
                        .sorted(Comparator.comparing(NodeUpgrade::id))
                        .toList();
        List<String> lines = new ArrayList<>();
        lines.add("rollout " + rollout.id());
        lines.add("manifest " + (spec.manifestHash().isEmpty() ? "none" : spec.manifestHash()));
        lines.add("target " + spec.targetVersion() + " " + spec.targetDigest());
        // Awaited anew is looked at anew: whatever ended an earlier wait has spent its evidence.
        lines.add("awaited since " + waiting.since());
        canary.forEach(node -> lines.add(evidenceLine(spec, node)));
        return new CanaryEvidence(lines, latestChangeText(waiting.since(), canary));
    }

    private static String evidenceLine(RolloutSpec spec, NodeUpgrade node) {
        String target = node.target().artifact(spec).map(a -> a.digest().value()).orElse("none");
        return "node "
                + node.id()
                + ": "
                + StateNameFormatter.of(node.state())
                + ", since "
                + node.state().since()
                + ", attempt "
                + node.attempt()
                + ", runs "
                + (node.running().isEmpty() ? "not known" : node.running())
                + ", target "
                + target
                + ", configuration "
                + node.target().targetConfig()
                + ", verdict "
                + verdictCode(node.state());
    }

    /** What was found of it, as a stable code. */
    private static String verdictCode(NodeState state) {
        return switch (state) {
            case NodeState.Succeeded succeeded -> HEALTHY;
            case NodeState.Unhealthy unhealthy -> unhealthy.cause().code();
            case NodeState.Failed failed -> failed.cause().code();
            case NodeState.FailedRollback failed -> failed.cause().code();
            case NodeState.Unreachable unreachable -> unreachable.cause().code();
            case NodeState.Skipped skipped -> skipped.reason().name();
            default -> "none"; // not decided: nothing is approved on it
        };
    }

    private static String latestChangeText(Instant awaited, List<NodeUpgrade> canary) {
        return canary.stream()
                .max(Comparator.comparing(node -> node.state().since()))
                .filter(node -> node.state().since().isAfter(awaited))
                .map(
                        node ->
                                "node "
                                        + node.id()
                                        + " is "
                                        + StateNameFormatter.of(node.state())
                                        + " since "
                                        + node.state().since())
                .orElse("approval is awaited since " + awaited);
    }

    /** Names all of it: SHA-256 over the lines, each ended by a newline. */
    public Digest digest() {
        return Digest.of(String.join("\n", lines) + "\n");
    }
}
