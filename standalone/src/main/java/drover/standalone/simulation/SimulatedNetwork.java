package drover.standalone.simulation;

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
final class SimulatedNetwork {
    private final VirtualTime time;
    private final Chance chance;
    private final Map<String, Long> lastOnStream = new HashMap<>();
    private final Set<String> cut = new HashSet<>();
    private Weather weather = Weather.FAIR;

    /**
     * How bad the network is.
     *
     * @param lost percent of single messages that are lost
     * @param doubled percent that come twice
     * @param slowest longest way of a message
     */
    record Weather(int lost, int doubled, Duration slowest) {
        static final Weather FAIR = new Weather(0, 0, Duration.ofMillis(5));
    }

    SimulatedNetwork(VirtualTime time, Chance chance) {
        this.time = time;
        this.chance = chance;
    }

    void weather(Weather next) {
        weather = next;
    }

    /** Whether two places can talk. */
    boolean connects(String one, String other) {
        return !cut.contains(one) && !cut.contains(other) && !cut.contains(pair(one, other));
    }

    void cut(String place) {
        cut.add(place);
    }

    void cut(String one, String other) {
        cut.add(pair(one, other));
    }

    void mend(String place) {
        cut.remove(place);
    }

    void mend(String one, String other) {
        cut.remove(pair(one, other));
    }

    void mendAll() {
        cut.clear();
    }

    private static String pair(String one, String other) {
        return one.compareTo(other) < 0 ? one + "|" + other : other + "|" + one;
    }

    /** Carries a message of a stream, after those before it. */
    void stream(String stream, Runnable arrival) {
        long at = time.nanos() + way().toNanos();
        long behind = Math.max(at, lastOnStream.getOrDefault(stream, 0L));
        lastOnStream.put(stream, behind);
        time.at(behind, arrival);
    }

    /** Carries a single message: perhaps not at all, perhaps twice, perhaps past others. */
    void single(Runnable arrival) {
        if (chance.percent(weather.lost())) {
            return;
        }
        time.after(way(), arrival);
        if (chance.percent(weather.doubled())) {
            time.after(way(), arrival);
        }
    }

    private Duration way() {
        return chance.between(Duration.ofMillis(1), weather.slowest());
    }
}
