package drover.coordinator.plan;

/** Counts the nodes that were left alone because they were not connected. */
final class Offline {
    private Offline() {}

    /** The same, and the nodes that succeeded whose agents are not connected now. */
    static int all(Rollout rollout, FleetView fleet) {
        int gone = TargetHealth.of(rollout, fleet).of(TargetHealth.Kind.OFFLINE).size();
        return skipped(rollout) + gone;
    }

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
