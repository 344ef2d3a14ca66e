package drover.coordinator.engine.fleet;

import drover.coordinator.peers.GatewayLink.ReportedProgramHealth;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Health of programs by the latest heartbeats, as gateways report it: one slot per node and
 * gateway. Only the report of the gateway that holds the node's session counts.
 */
final class ProgramHealthCache {
    // By node and gateway: hardly a node is ever at two gateways at once.
    private final Map<NodeId, Map<String, Map<BinaryName, ProgramHealth>>> reported =
            new ConcurrentHashMap<>();

    private final Set<String> reportingGateways = ConcurrentHashMap.newKeySet();

    void update(String gateway, Map<NodeId, List<ReportedProgramHealth>> nodes, Instant now) {
        reportingGateways.add(gateway);
        nodes.forEach(
                (node, programs) ->
                        reported.merge(
                                node,
                                Map.of(gateway, withHealthSince(Map.of(), programs, now)),
                                (before, _) -> {
                                    var after = new HashMap<>(before);
                                    after.put(
                                            gateway,
                                            withHealthSince(
                                                    before.getOrDefault(gateway, Map.of()),
                                                    programs,
                                                    now));
                                    return Map.copyOf(after);
                                }));
    }

    /** A level keeps the time since which it has been reported without a break. */
    private static Map<BinaryName, ProgramHealth> withHealthSince(
            Map<BinaryName, ProgramHealth> before,
            List<ReportedProgramHealth> programs,
            Instant now) {
        Map<BinaryName, ProgramHealth> stamped = new HashMap<>();
        for (ReportedProgramHealth one : programs) {
            ProgramHealth was = before.get(one.program());
            Instant since = was != null && was.level() == one.level() ? was.since() : now;
            stamped.put(one.program(), new ProgramHealth(one.level(), one.detail(), since));
        }
        return Map.copyOf(stamped);
    }

    /**
     * The node with the health of its programs, as the gateway reports it that has its session.
     * Until the first heartbeat of a connection it is unknown. Gateways that never report any
     * health are of an earlier version.
     */
    NodeView.Present withHealth(NodeId node, NodeConnection connection) {
        NodeView.Present present = connection.presentView();
        Map<BinaryName, ProgramHealth> health =
                reported.getOrDefault(node, Map.of()).get(connection.gateway());
        boolean reportsNoHealth =
                health == null && !reportingGateways.contains(connection.gateway());
        if (reportsNoHealth || present.programs().isEmpty()) {
            return present;
        }
        Map<BinaryName, ProgramView> programs = new HashMap<>();
        present.programs()
                .forEach(
                        (name, program) ->
                                programs.put(
                                        name,
                                        new ProgramView(
                                                program.version(),
                                                program.digest(),
                                                program.config(),
                                                program.running(),
                                                health == null
                                                        ? awaitedHealth(connection)
                                                        : health.get(name))));
        return new NodeView.Present(
                present.session(),
                present.runtime(),
                present.features(),
                present.attemptFloor(),
                programs);
    }

    private static ProgramHealth awaitedHealth(NodeConnection connection) {
        return new ProgramHealth(
                ProgramHealth.Level.UNKNOWN,
                "Its agent is connected, and its first heartbeat is awaited.",
                connection.since());
    }

    /** The gateway does not hold the node's session any more. */
    void remove(NodeId node, String gateway) {
        reported.computeIfPresent(node, (id, at) -> withoutGateways(at, gateway::equals));
    }

    void remove(NodeId node) {
        reported.remove(node);
    }

    void removeGateway(String gateway) {
        removeGateway(gateway::equals);
    }

    void retainGateways(Collection<String> gateways) {
        removeGateway(gateway -> !gateways.contains(gateway));
    }

    private void removeGateway(Predicate<String> gateways) {
        reportingGateways.removeIf(gateways);
        reported.keySet()
                .forEach(
                        node ->
                                reported.computeIfPresent(
                                        node, (id, at) -> withoutGateways(at, gateways)));
    }

    private static @Nullable Map<String, Map<BinaryName, ProgramHealth>> withoutGateways(
            Map<String, Map<BinaryName, ProgramHealth>> at, Predicate<String> gateways) {
        if (at.keySet().stream().noneMatch(gateways)) {
            return at;
        }
        var rest = new HashMap<>(at);
        rest.keySet().removeIf(gateways);
        return rest.isEmpty() ? null : Map.copyOf(rest);
    }
}
