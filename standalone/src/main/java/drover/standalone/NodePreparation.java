package drover.standalone;

import drover.machine.home.DataDirectory;
import drover.machine.home.NodeDirectory;
import drover.machine.home.Unusable;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.fleet.FleetDoors;
import drover.standalone.fleet.PlannedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Makes nodes ready for their agents: known to the gateways, and laid out with what they run. */
public final class NodePreparation {
    private final DataDirectory data;
    private final FleetDoors doors;
    private final Services services;
    private final Function<NodeDirectory, Optional<Digest>> token;

    private NodePreparation(
            DataDirectory data,
            FleetDoors doors,
            Services services,
            Function<NodeDirectory, Optional<Digest>> token) {
        this.data = data;
        this.doors = doors;
        this.services = services;
        this.token = token;
    }

    /** Each has a token of its own, made at the first time. */
    NodePreparation(DataDirectory data, FleetDoors doors, Services services) {
        this(data, doors, services, node -> Optional.of(node.tokenDigest()));
    }

    /** Of a mesh whose services run elsewhere. */
    public static NodePreparation elsewhere(DataDirectory data, FleetDoors doors) {
        return new NodePreparation(data, doors, new Assembly(Map.of()));
    }

    /** The same for nodes that show certificates: none has a token. */
    public static NodePreparation certified(DataDirectory data, FleetDoors doors) {
        return new NodePreparation(data, doors, new Assembly(Map.of()), _ -> Optional.empty());
    }

    /** What a node is after it was prepared. */
    public sealed interface Outcome {
        /** Which. */
        NodeId node();

        /** Its agent may start. */
        record Ready(NodeId node) implements Outcome {}

        /** Somebody took it out of service, and it is left as it is. */
        record Retired(NodeId node) implements Outcome {}

        /** It is not ready for its agent. */
        record Unready(NodeId node, String why) implements Outcome {}
    }

    /**
     * What preparing came to.
     *
     * @param outcomes of the nodes that it came to, in their order
     * @param end why it came to no other: a part of the mesh is away, and each would wait for it
     */
    public record Prepared(List<Outcome> outcomes, Optional<FleetDoors.Unanswered> end) {
        public Prepared {
            outcomes = List.copyOf(outcomes);
        }

        /**
         * Nobody may be unready.
         *
         * @throws Unusable with one sentence for each that is, and the one of the end
         */
        public void requireAll() {
            List<String> sentences = new ArrayList<>();
            for (Outcome outcome : outcomes) {
                if (outcome instanceof Outcome.Unready(NodeId node, String why)) {
                    sentences.add(node + " is not ready: " + why);
                }
            }
            end.ifPresent(unanswered -> sentences.add(unanswered.sentence()));
            if (!sentences.isEmpty()) {
                String told = String.join("\n", sentences);
                throw end.map(cause -> new Unusable(told, cause))
                        .orElseGet(() -> new Unusable(told));
            }
        }
    }

    /**
     * Idempotent: a node that has its first programs keeps what it runs by now. One that cannot be
     * made ready, because its disk is broken or its token was ended, keeps no other from it.
     */
    public Prepared prepare(List<PlannedNode> nodes) {
        List<Outcome> outcomes = new ArrayList<>();
        for (PlannedNode node : nodes) {
            try {
                outcomes.add(prepare(node));
            } catch (FleetDoors.Unanswered e) {
                return new Prepared(outcomes, Optional.of(e));
            } catch (Unusable e) {
                outcomes.add(new Outcome.Unready(node.name(), e.sentence()));
            }
        }
        return new Prepared(outcomes, Optional.empty());
    }

    private Outcome prepare(PlannedNode node) {
        NodeDirectory directory = data.node(node.name());
        if (doors.register(node, token.apply(directory)).hasRetiredAt()) {
            return new Outcome.Retired(node.name());
        }
        if (!services.isInstalled(directory)) {
            services.install(doors.installation(node, directory));
        }
        return new Outcome.Ready(node.name());
    }
}
