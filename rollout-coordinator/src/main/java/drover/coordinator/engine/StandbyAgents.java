package drover.coordinator.engine;

import drover.coordinator.plan.StandbyAgent;
import drover.model.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes have a second agent, and at which gateway: it may be another than the executor's. One
 * slot per node; the later start of an agent wins, whichever gateway tells of it.
 */
final class StandbyAgents {
    private final Map<NodeId, Held> held = new ConcurrentHashMap<>();

    private record Held(String gateway, StandbyAgent agent) {
        /** A gateway that has not noticed yet that a stream is broken tells of an earlier start. */
        static Held later(Held old, Held fresh) {
            boolean stale =
                    !old.gateway.equals(fresh.gateway)
                            && old.agent.incarnation() > fresh.agent.incarnation();
            return stale ? old : fresh;
        }

        @Nullable Held unlessAt(String other) {
            return gateway.equals(other) ? null : this;
        }
    }

    void told(String gateway, Map<NodeId, Optional<StandbyAgent>> told) {
        told.forEach(
                (node, agent) ->
                        agent.ifPresentOrElse(
                                here -> held.merge(node, new Held(gateway, here), Held::later),
                                () ->
                                        held.computeIfPresent(
                                                node, (id, at) -> at.unlessAt(gateway))));
    }

    Optional<StandbyAgent> of(NodeId node) {
        return Optional.ofNullable(held.get(node)).map(Held::agent);
    }

    void forget(NodeId node) {
        held.remove(node);
    }

    /** A gateway that cannot be heard has nobody: what it had may be gone. */
    void forgetThoseAt(String gateway) {
        held.values().removeIf(at -> at.gateway().equals(gateway));
    }

    void keepThoseAt(Collection<String> gateways) {
        held.values().removeIf(at -> !gateways.contains(at.gateway()));
    }
}
