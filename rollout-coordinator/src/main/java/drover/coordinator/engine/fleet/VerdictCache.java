package drover.coordinator.engine.fleet;

import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What health-evaluators say of nodes: the latest verdict on each, and since when any evaluator is
 * heard.
 */
public final class VerdictCache {
    private static final String NONE = "Nobody is connected who may speak for the node.";

    private final Supplier<Instant> clock;
    private final Map<NodeId, VerdictWithTimes> verdicts = new ConcurrentHashMap<>();
    private volatile @Nullable Instant since;
    private volatile @Nullable Instant lostSince; // null while heard, and before

    VerdictCache(Supplier<Instant> clock) {
        this.clock = clock;
    }

    Optional<VerdictWithTimes> of(NodeId node) {
        return Optional.ofNullable(verdicts.get(node));
    }

    /** Since when any evaluator can be heard; null while none can. */
    @Nullable Instant evaluatorConnectedSince() {
        return since;
    }

    /** Since when none can be heard after one was; null while one can, and before. */
    @Nullable Instant evaluatorUnavailableSince() {
        return lostSince;
    }

    /** Whether any evaluator can be heard; that a further one can changes nothing. */
    public void setEvaluatorConnected(boolean available) {
        if (available) {
            since = since == null ? clock.get() : since;
            lostSince = null;
        } else {
            lostSince = since == null ? lostSince : clock.get();
            since = null;
            verdicts.clear(); // no data is never healthy (F3)
        }
    }

    public void update(NodeId node, HealthVerdict verdict) {
        Instant now = clock.get();
        verdicts.compute(
                node,
                (id, before) ->
                        before == null
                                ? VerdictWithTimes.first(verdict, now)
                                : before.withVerdict(verdict, now));
    }

    /** Nobody is heard who may speak for the node: a silence, where it was judged before. */
    void markNoData(NodeId node) {
        Instant now = clock.get();
        verdicts.computeIfPresent(
                node,
                (id, before) ->
                        before.withVerdict(
                                new HealthVerdict.NoData(before.verdict().attempt(), NONE), now));
    }

    /**
     * Nobody judges these attempts for the moment: nothing counts until somebody else speaks (F3),
     * and has time to (rule R3). Nodes that others judge have no more time for it.
     *
     * @param attempts by node
     */
    public void resetAfterEvaluatorLoss(Map<NodeId, Long> attempts) {
        Instant now = clock.get();
        attempts.forEach(
                (node, attempt) ->
                        verdicts.put(node, VerdictWithTimes.afterEvaluatorLoss(attempt, now)));
    }

    /**
     * Another evaluator is asked of these attempts: nothing counts until it speaks (F3), and nobody
     * has more time for it.
     *
     * @param attempts by node
     */
    public void resetAfterEvaluatorSwitch(Map<NodeId, Long> attempts) {
        Instant now = clock.get();
        attempts.forEach(
                (node, attempt) ->
                        verdicts.compute(
                                node,
                                (id, before) ->
                                        VerdictWithTimes.afterEvaluatorSwitch(
                                                before, attempt, now)));
    }

    void forget(NodeId node) {
        verdicts.remove(node);
    }

    /** What was judged of this attempt; what another rollout is told of a later one stays. */
    public void forget(NodeId node, long attempt) {
        verdicts.computeIfPresent(
                node, (id, judged) -> judged.verdict().attempt() == attempt ? null : judged);
    }
}
