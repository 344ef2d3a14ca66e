package drover.standalone.simulation;

import java.util.Map;
import java.util.TreeMap;

/** How often each kind of thing happened in one story. */
final class Tally {
    private final Map<String, Integer> counts = new TreeMap<>();

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    Map<String, Integer> counts() {
        return Map.copyOf(counts);
    }
}
