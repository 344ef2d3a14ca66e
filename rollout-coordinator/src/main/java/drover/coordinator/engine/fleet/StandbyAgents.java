package drover.coordinator.engine.fleet;

import drover.coordinator.plan.observed.StandbyAgent;
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
    private final Map<NodeId, ConnectedStandby> held = new ConcurrentHashMap<>();

    private record ConnectedStandby(String gateway, StandbyAgent agent) {
        /** A gateway that has not noticed yet that a stream is broken tells of an earlier start. */
        static ConnectedStandby later(ConnectedStandby old, ConnectedStandby fresh) {
            boolean stale =
                    !old.gateway.equals(fresh.gateway)
                            && old.agent.incarnation() > fresh.agent.incarnation();
            return stale ? old : fresh;
        }

        @Nullable ConnectedStandby nullIfAt(String other) {
            return gateway.equals(other) ? null : this;
        }
    }

    void update(String gateway, Map<NodeId, Optional<StandbyAgent>> received) {
        received.forEach(
                (node, agent) ->
                        agent.ifPresentOrElse(
                                here ->
                                        held.merge(
                                                node,
                                                new ConnectedStandby(gateway, here),
                                                ConnectedStandby::later),
                                () ->
                                        held.computeIfPresent(
                                                node, (id, at) -> at.nullIfAt(gateway))));
    }

    Optional<StandbyAgent> of(NodeId node) {
        return Optional.ofNullable(held.get(node)).map(ConnectedStandby::agent);
    }

    void forget(NodeId node) {
        held.remove(node);
    }

    /** A gateway that cannot be heard has nobody: what it had may be gone. */
    void removeGateway(String gateway) {
        held.values().removeIf(at -> at.gateway().equals(gateway));
    }

    void retainGateways(Collection<String> gateways) {
        held.values().removeIf(at -> !gateways.contains(at.gateway()));
    }
}
