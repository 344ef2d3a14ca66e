package drover.simulation.world;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Carries messages between places. A stream keeps its order and loses nothing while it stands, as
 * TCP does; what receivers promise to bear in any order and number (commands, withdrawals,
 * statuses, acknowledgements, heartbeats) may also be lost, doubled and overtaken.
 */
public final class SimulatedNetwork {
    private final VirtualTime time;
    private final SeededRandom random;
    private final Map<String, Long> lastOnStream = new HashMap<>();
    private final Set<String> cut = new HashSet<>();
    private Conditions conditions = Conditions.FAIR;

    /**
     * How bad the network is.
     *
     * @param lost percent of single messages that are lost
     * @param doubled percent that come twice
     * @param slowest longest way of a message
     */
    public record Conditions(int lost, int doubled, Duration slowest) {
        public static final Conditions FAIR = new Conditions(0, 0, Duration.ofMillis(5));
    }

    SimulatedNetwork(VirtualTime time, SeededRandom chance) {
        this.time = time;
        this.random = chance;
    }

    public void setConditions(Conditions next) {
        conditions = next;
    }

    /** Whether two places can talk. */
    boolean isConnected(String one, String other) {
        return !cut.contains(one) && !cut.contains(other) && !cut.contains(pair(one, other));
    }

    public void disconnect(String place) {
        cut.add(place);
    }

    public void disconnect(String one, String other) {
        cut.add(pair(one, other));
    }

    public void reconnect(String place) {
        cut.remove(place);
    }

    public void reconnect(String one, String other) {
        cut.remove(pair(one, other));
    }

    public void reconnectAll() {
        cut.clear();
    }

    private static String pair(String one, String other) {
        return one.compareTo(other) < 0 ? one + "|" + other : other + "|" + one;
    }

    /** Carries a message of a stream, after those before it. */
    void sendInOrder(String stream, Runnable arrival) {
        long at = time.nanos() + randomLatency().toNanos();
        long behind = Math.max(at, lastOnStream.getOrDefault(stream, 0L));
        lastOnStream.put(stream, behind);
        time.scheduleAt(behind, arrival);
    }

    /** Carries a single message: perhaps not at all, perhaps twice, perhaps past others. */
    void sendUnreliably(Runnable arrival) {
        if (random.nextBooleanPercent(conditions.lost())) {
            return;
        }
        time.scheduleAfter(randomLatency(), arrival);
        if (random.nextBooleanPercent(conditions.doubled())) {
            time.scheduleAfter(randomLatency(), arrival);
        }
    }

    private Duration randomLatency() {
        return random.between(Duration.ofMillis(1), conditions.slowest());
    }
}
