package drover.simulation.world;

import java.util.Map;
import java.util.TreeMap;

/** How often each kind of thing happened in one story. */
public final class OccurrenceCounter {
    private final Map<String, Integer> counts = new TreeMap<>();

    public void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    public Map<String, Integer> counts() {
        return Map.copyOf(counts);
    }
}
