package drover.coordinator.plan.model;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Skipped nodes of a rollout, counted by reason. */
public final class SkipSummary {
    private final Map<SkipReason, Integer> counts = new TreeMap<>();
    private final int nodes;
    private final String group;

    private SkipSummary(int nodes, String group) {
        this.nodes = nodes;
        this.group = group;
    }

    public static SkipSummary of(Rollout rollout) {
        SkipSummary summary =
                new SkipSummary(rollout.nodes().size(), rollout.spec().membership().group());
        for (NodeUpgrade node : rollout.nodes().values()) {
            if (node.state() instanceof NodeState.Skipped skipped) {
                summary.counts.merge(skipped.reason(), 1, Integer::sum);
            }
        }
        return summary;
    }

    /** Whether every node was skipped, and not each of them because it runs the target already. */
    public boolean isAllSkippedNotAllAtTarget() {
        int skipped = counts.values().stream().mapToInt(Integer::intValue).sum();
        return skipped == nodes && skipped > counts.getOrDefault(SkipReason.ALREADY_THERE, 0);
    }

    /** For example {@code Every node was skipped (1 ALREADY_THERE, 2 DRIFTED): …}. */
    public String allSkippedSentence() {
        return "Every node was skipped ("
                + counts.entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .collect(Collectors.joining(", "))
                + "): remove the causes and create the "
                + (group.isEmpty()
                        ? "rollout again."
                        : "group again, or continue the paused group without this component"
                                + " (drover group skip "
                                + group
                                + ").");
    }
}
