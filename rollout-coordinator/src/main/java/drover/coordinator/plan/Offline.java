package drover.coordinator.plan;

/** Counts the nodes that were left alone because they were not connected. */
final class Offline {
    private Offline() {}

    static int skipped(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream()
                        .filter(
                                node ->
                                        node.state() instanceof NodeState.Skipped skipped
                                                && skipped.reason() == SkipReason.OFFLINE)
                        .count();
    }
}
