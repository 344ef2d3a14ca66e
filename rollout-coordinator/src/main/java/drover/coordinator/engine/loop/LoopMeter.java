package drover.coordinator.engine.loop;

import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.query.AttentionCountViews.AttentionCounts;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.function.Function;

/** Is told what the leader's loops do, for metrics. Never keeps a loop from its work. */
public interface LoopMeter {
    /** Nobody measures. */
    LoopMeter NONE =
            new LoopMeter() {
                @Override
                public RolloutCommitMeter rolloutMeter(RolloutId id) {
                    return new RolloutCommitMeter() {};
                }

                @Override
                public void recordRound(String loop, Duration took) {}
            };

    /** What measures one rollout's loop. */
    RolloutCommitMeter rolloutMeter(RolloutId id);

    /**
     * A loop has looked once.
     *
     * @param loop {@code rollout} or {@code leader}
     */
    void recordRound(String loop, Duration took);

    /**
     * A loop could not handle one item, and continued with the others.
     *
     * @param loop such as {@code rollout}, {@code leader}, {@code fleet} or {@code spans}
     */
    default void recordFailure(String loop) {}

    /** A message that a gateway relayed was rejected: a value was outside its limits. */
    default void recordInvalidMessage() {}

    /**
     * How old the oldest event is that a receiver has not been told of.
     *
     * @param oldest zero when it has been told of all there is
     */
    default void recordUndeliveredAge(String sink, Duration oldest) {}

    /** A receiver rejected an event, which is a dead letter now. */
    default void recordDeadLetter(String sink) {}

    /** What waits for operators. */
    default void recordAttention(AttentionCounts attention) {}

    /** Measures one rollout's loop, from the loop's thread. */
    interface RolloutCommitMeter {
        /** The rollout was read, for the first time or again. */
        default void recordLoaded(RolloutWithHistoryHead loaded) {}

        /** Writes a commit and counts what it brought, once it is written. */
        default Commit.Outcome measureCommit(
                Commit commit, Function<Commit, Commit.Outcome> write) {
            return write.apply(commit);
        }

        /** The loop has ended: nothing of the rollout is shown any more. */
        default void recordEnd() {}
    }
}
