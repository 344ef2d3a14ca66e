package drover.coordinator.engine.fleet;

import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Gateways whose link broke while they were not registered: they may have lost their way to the
 * database alone, and hold their nodes still. Each is dialled for a while where it was.
 */
final class UnregisteredGatewaysToReconnect {
    /**
     * Longer than a link needs to come back; not for ever, since nothing is judged by time while
     * one of them is waited for.
     */
    static final Duration RECONNECT_FOR = Duration.ofMinutes(2);

    private final Map<String, LostGateway> lost = new HashMap<>(); // by id

    private record LostGateway(String address, long since) {}

    /**
     * A link broke.
     *
     * @param held whether the gateway was at work over it for as long as one is dialled; otherwise
     *     the time of the loss before goes on, or one that comes and goes would be dialled for ever
     */
    void add(String id, String address, long now, boolean held) {
        LostGateway fresh = new LostGateway(address, now);
        lost.merge(id, fresh, (before, later) -> held ? later : before);
    }

    /** It was let go of. */
    void forget(String id) {
        lost.remove(id);
    }

    /**
     * Where they are dialled: not one that is registered, nor where another one is by now.
     *
     * @param attached whose losses are kept meanwhile, so that the next does not begin anew
     */
    Map<String, String> pruneAndListUnregisteredAddresses(
            Collection<RegisteredGateway> registered, Set<String> attached, long now) {
        lost.entrySet()
                .removeIf(
                        each ->
                                isExpired(each.getValue(), now)
                                        && !attached.contains(each.getKey()));
        for (RegisteredGateway gateway : registered) {
            lost.remove(gateway.id());
            lost.values().removeIf(other -> other.address().equals(gateway.address()));
        }
        Map<String, String> places = new HashMap<>();
        lost.forEach(
                (id, gateway) -> {
                    if (!isExpired(gateway, now)) {
                        places.put(id, gateway.address());
                    }
                });
        return places;
    }

    private static boolean isExpired(LostGateway gateway, long now) {
        return now - gateway.since() >= RECONNECT_FOR.toNanos();
    }
}
