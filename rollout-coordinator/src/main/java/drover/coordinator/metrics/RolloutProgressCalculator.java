package drover.coordinator.metrics;

import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.model.UpgradePhase;
import java.util.EnumMap;
import java.util.Map;

/** What a rollout shows at this moment. */
public final class RolloutProgressCalculator {
    private RolloutProgressCalculator() {}

    /** The share of its nodes that are decided, from 0 to 1; a rollback takes them back. */
    public static double progress(Rollout rollout) {
        NodeCounters counters = rollout.counters();
        return counters.total() == 0
                ? 0
                : (double) (counters.total() - counters.pending()) / counters.total();
    }

    /** How many nodes are in each phase, as REST shows it; those at rest are in none. */
    public static Map<UpgradePhase, Integer> nodeCountsByPhase(Rollout rollout) {
        Map<UpgradePhase, Integer> phases = new EnumMap<>(UpgradePhase.class);
        for (UpgradePhase phase : UpgradePhase.values()) {
            phases.put(phase, 0);
        }
        for (NodeUpgrade node : rollout.nodes().values()) {
            UpgradePhase phase = node.phase();
            if (phase != null) {
                phases.merge(phase, 1, Integer::sum);
            }
        }
        return phases;
    }
}
