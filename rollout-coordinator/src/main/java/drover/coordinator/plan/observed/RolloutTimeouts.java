package drover.coordinator.plan.observed;

import drover.model.UpgradeAction;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * How long a rollout waits for what.
 *
 * @param accept from assignment until the agent must have said that it began; then the node is
 *     unreachable
 * @param work from assignment until the agent must have finished; all action timeouts, the same
 *     again for compensation, and a margin for transport (invariant C6). A program that may take
 *     longer than 20 s to stop has more
 * @param blindGrace how long the fleet must have been in full view before anything is judged by a
 *     deadline (rule R3)
 * @param blindPause how long without sight until the rollout pauses
 * @param offlineGrace how long a node must be gone before it counts as offline
 * @param pendingExpiry how long a rollout may wait to be started
 * @param approvalExpiry how long it may wait to be approved
 */
public record RolloutTimeouts(
        Duration accept,
        Duration work,
        Duration blindGrace,
        Duration blindPause,
        Duration offlineGrace,
        Duration pendingExpiry,
        Duration approvalExpiry) {

    /** Sum of the timeouts of all eight actions. */
    public static final Duration ACTIONS =
            Stream.of(UpgradeAction.values())
                    .map(UpgradeAction::timeout)
                    .reduce(Duration.ZERO, Duration::plus);

    /**
     * Until an agent whose connection has gone mute is heard over another one: it notices within 30
     * + 20 s, dials again within 60 s as usually set, and has 10 s to spare. Nothing that a node
     * does not say is held against it sooner.
     */
    public static final Duration RECONNECT_GRACE = Duration.ofMinutes(2);

    /**
     * How long nothing is heard of a connected node until its rollout asks another evaluator: an
     * evaluator calls a node silent after 15 s and dials a lost gateway again within 5 s, and three
     * of them are to be asked within the shortest limit of silence.
     */
    public static final Duration EVALUATOR_SWITCH_AFTER = RECONNECT_GRACE.dividedBy(3);

    private static final Duration TRANSPORT = Duration.ofMinutes(2);

    /** The times that the product is run with. */
    public static final RolloutTimeouts STANDARD =
            new RolloutTimeouts(
                    RECONNECT_GRACE,
                    ACTIONS.multipliedBy(2).plus(TRANSPORT),
                    Duration.ofMinutes(2),
                    Duration.ofMinutes(15),
                    Duration.ofMinutes(1),
                    Duration.ofHours(24),
                    Duration.ofDays(7));
}
