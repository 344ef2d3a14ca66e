package drover.coordinator.engine;

import drover.coordinator.store.GatewayRegistry.Registered;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Gateways whose link broke while they were not registered: they may have lost their way to the
 * database alone, and hold their nodes still. Each is dialled for a while where it was.
 */
final class LostGateways {
    /**
     * Longer than a link needs to come back; not for ever, since nothing is judged by time while
     * one of them is waited for.
     */
    static final Duration DIALLED = Duration.ofMinutes(2);

    private final Map<String, Lost> lost = new HashMap<>(); // by id

    private record Lost(String address, long since) {}

    void add(String id, String address, long now) {
        lost.put(id, new Lost(address, now));
    }

    /** It took this leader again. */
    void found(String id) {
        lost.remove(id);
    }

    /** Where they are dialled: not one that is registered, nor where another one is by now. */
    Map<String, String> places(Collection<Registered> registered, long now) {
        lost.values().removeIf(gateway -> now - gateway.since() >= DIALLED.toNanos());
        for (Registered gateway : registered) {
            lost.remove(gateway.id());
            lost.values().removeIf(other -> other.address().equals(gateway.address()));
        }
        Map<String, String> places = new HashMap<>();
        lost.forEach((id, gateway) -> places.put(id, gateway.address()));
        return places;
    }
}
