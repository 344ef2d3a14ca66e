package drover.gateway.engine.stream;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Entries that travel together: at most 1,000 (the contract) and about 1 MiB, which bounds the
 * memory of a message. The size of what is sent is counted when it is serialized.
 */
public final class BoundedEntryBatch<K, V> {
    private static final int MOST_ENTRIES = 1_000;
    private static final long MOST_BYTES = 1L << 20;

    private final Map<K, V> entries = new LinkedHashMap<>();
    private long bytes;

    public void put(K key, V value, int size) {
        entries.put(key, value);
        bytes += size;
    }

    public boolean isFull() {
        return entries.size() >= MOST_ENTRIES || bytes >= MOST_BYTES;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Everything in it; it is empty afterwards. */
    public Map<K, V> drain() {
        Map<K, V> taken = Map.copyOf(entries);
        entries.clear();
        bytes = 0;
        return taken;
    }
}
