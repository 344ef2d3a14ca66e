package drover.coordinator.plan;

import drover.model.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which health-evaluator a rollout asks, by what it has asked in vain (decision 0086). Pure.
 *
 * <p>None is asked again that did not hear a node which is still waited for, so that a rollout
 * whose nodes no single evaluator hears comes to rest, and pauses at its deadline. It is forgotten
 * when the rollout comes into another state, as by being resumed: somebody has looked.
 *
 * @param since since when the rollout had been in its state
 * @param unheard of which nodes nothing was heard there, by the opening of the evaluator's link
 */
public record EvaluatorChoice(Instant since, Map<Long, Set<NodeId>> unheard) {
    /** Nothing was asked in vain. */
    public static final EvaluatorChoice FRESH = new EvaluatorChoice(Instant.MIN, Map.of());

    private static final Comparator<Open> LEAST_BUSY = Comparator.comparingLong(Open::rollouts);

    public EvaluatorChoice {
        unheard = Map.copyOf(unheard);
    }

    /**
     * An evaluator that can be heard.
     *
     * @param opening number of this opening of its link: one that was lost and is back is another,
     *     and may reach what it had not
     * @param rollouts how many rollouts ask it
     */
    public record Open(long opening, long rollouts) {}

    /**
     * Nodes of a rollout of which nothing is heard.
     *
     * @param since since when the rollout has been in its state
     * @param nodes those nodes
     * @param waitedFor all of the rollout whose health is waited for, heard or not
     */
    public record Silence(Instant since, Set<NodeId> nodes, Set<NodeId> waitedFor) {
        public Silence {
            nodes = Set.copyOf(nodes);
            waitedFor = Set.copyOf(waitedFor);
        }
    }

    /** Whom a rollout asks that asks nobody: the least busy, the first of them on a tie. */
    public Optional<Open> first(Collection<Open> open) {
        return open.stream()
                .min(
                        Comparator.comparing((Open each) -> unheard.containsKey(each.opening()))
                                .thenComparing(LEAST_BUSY));
    }

    /** Whom it asks in place of the present one: the least busy that was not asked in vain. */
    public Optional<Open> next(long present, Collection<Open> open) {
        return open.stream()
                .filter(each -> each.opening() != present)
                .filter(each -> !unheard.containsKey(each.opening()))
                .min(LEAST_BUSY);
    }

    /** The same once nothing is heard of some nodes at the present one. */
    public EvaluatorChoice without(long present, Collection<Open> open, Silence silence) {
        Map<Long, Set<NodeId>> known = new HashMap<>();
        for (Open each : open) {
            Set<NodeId> there = new HashSet<>();
            if (since.equals(silence.since())) {
                there.addAll(unheard.getOrDefault(each.opening(), Set.of()));
            }
            if (each.opening() == present) {
                there.addAll(silence.nodes());
            }
            there.retainAll(silence.waitedFor());
            if (!there.isEmpty()) {
                known.put(each.opening(), Set.copyOf(there));
            }
        }
        return new EvaluatorChoice(silence.since(), known);
    }
}
