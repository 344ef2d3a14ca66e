package drover.coordinator.engine;

import drover.model.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where connected nodes are: one seat each, and beside it the one it was preferred to. A gateway
 * that cannot look lets in whoever was the node before, and its machine may have started more
 * agents than the new one; so a seat at a gateway that looks comes first, whatever the node counts
 * (invariant H3). The mirror's alone; only {@link #of} is for whoever does not hold its lock.
 */
final class Seats {
    private final Map<NodeId, Seat> held = new ConcurrentHashMap<>();
    private final Map<NodeId, Seat> passedOver = new HashMap<>();
    private final BarredNodes barred;

    Seats(BarredNodes barred) {
        this.barred = barred;
    }

    @Nullable Seat of(NodeId node) {
        return held.get(node);
    }

    /** A gateway has told of a connection. */
    void take(NodeId node, Seat told) {
        forgetPassedOver(node, told.gateway());
        Seat present = held.get(node);
        if (present == null) {
            held.put(node, told);
            return;
        }
        Seat first = first(present, told);
        held.put(node, first);
        if (!present.gateway().equals(told.gateway())) {
            Seat other = first.gateway().equals(told.gateway()) ? present : told;
            passedOver.merge(node, other, Seat::later);
        }
    }

    private Seat first(Seat present, Seat told) {
        if (isCutOff(present) == isCutOff(told)) {
            return Seat.later(present, told);
        }
        return isCutOff(told) ? present : told;
    }

    private boolean isCutOff(Seat seat) {
        return barred.isCutOff(seat.gateway());
    }

    /** Gateways are cut off that were not: what was passed over for one of them may come first. */
    void preferThoseThatLook() {
        passedOver.replaceAll(
                (node, other) -> {
                    Seat present = held.get(node);
                    if (present == null || !isCutOff(present) || isCutOff(other)) {
                        return other;
                    }
                    held.put(node, other);
                    return present;
                });
    }

    /** This gateway does not have the node. */
    void leave(NodeId node, String gateway) {
        forgetPassedOver(node, gateway);
        Seat present = held.get(node);
        if (present != null && present.gateway().equals(gateway)) {
            giveUp(node, present);
        }
    }

    /** Such gateways are not heard any more. */
    void leaveAll(Predicate<String> gateways) {
        passedOver.values().removeIf(seat -> gateways.test(seat.gateway()));
        held.forEach(
                (node, seat) -> {
                    if (gateways.test(seat.gateway())) {
                        giveUp(node, seat);
                    }
                });
    }

    /**
     * What was passed over is where the node is now if it was connected there later; else a gateway
     * has not noticed yet that its stream is broken (C13).
     */
    private void giveUp(NodeId node, Seat present) {
        held.remove(node);
        Seat other = passedOver.remove(node);
        if (other != null
                && other.node().isLaterThan(present.node())
                && !barred.isShutOut(node, other.gateway())) {
            held.put(node, other);
        }
    }

    private void forgetPassedOver(NodeId node, String gateway) {
        passedOver.computeIfPresent(
                node, (id, seat) -> seat.gateway().equals(gateway) ? null : seat);
    }

    /** Wherever the node is, that is over. Returns where it was; null for nowhere. */
    @Nullable Seat remove(NodeId node) {
        passedOver.remove(node);
        return held.remove(node);
    }

    /** The same for a node that nobody may speak for. Returns whether it was anywhere. */
    boolean shutOut(NodeId node) {
        Seat other = passedOver.get(node);
        if (other != null) {
            boolean _ = barred.isShutOut(node, other.gateway());
        }
        Seat present = remove(node);
        return present != null && barred.isShutOut(node, present.gateway());
    }

    /** The agent has heard of this attempt, wherever it is. */
    void heardOf(NodeId node, long attempt) {
        held.computeIfPresent(node, (id, seat) -> seat.withFloor(attempt));
        passedOver.computeIfPresent(node, (id, seat) -> seat.withFloor(attempt));
    }

    /** Nodes at gateways that cannot look. */
    Set<NodeId> atCutOff() {
        return held.entrySet().stream()
                .filter(node -> isCutOff(node.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
