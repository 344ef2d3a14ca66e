package drover.coordinator.peers;

import com.google.protobuf.Message;
import drover.kit.agent.AgentMessageRepairingValidator;
import drover.kit.agent.InvalidMessage;
import drover.model.MalformedValue;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the entries of one message, each on its own: an invalid one hides no other. */
final class LenientNodeEntryReader {
    private static final Logger LOG = LoggerFactory.getLogger(LenientNodeEntryReader.class);

    private final Map<NodeId, String> rejected = new HashMap<>();

    /** Nodes of the entries that were left out, with one sentence each. */
    Map<NodeId, String> rejectedEntries() {
        return rejected;
    }

    /** Names of nodes; what is no name is left out. */
    List<NodeId> readNodes(List<String> names) {
        return names.stream().flatMap(name -> parseNode(name).stream()).toList();
    }

    /** The valid entries, read after a check of all their fields. */
    <E extends Message, T> List<T> readValid(
            List<E> entries, Function<E, String> name, Function<E, T> reading) {
        List<T> read = new ArrayList<>();
        readValid(entries, name, reading, (_, value) -> read.add(value));
        return read;
    }

    /** The same by node. */
    <E extends Message, T> Map<NodeId, T> readByNode(
            List<E> entries, Function<E, String> name, Function<E, T> reading) {
        Map<NodeId, T> read = new HashMap<>();
        readValid(entries, name, reading, read::put);
        return read;
    }

    private <E extends Message, T> void readValid(
            List<E> entries,
            Function<E, String> name,
            Function<E, T> reading,
            BiConsumer<NodeId, T> to) {
        for (E entry : entries) {
            parseNode(name.apply(entry))
                    .ifPresent(
                            node -> {
                                try {
                                    E checked =
                                            AgentMessageRepairingValidator.validateAndRepair(entry)
                                                    .message();
                                    to.accept(node, reading.apply(checked));
                                } catch (InvalidMessage e) {
                                    reject(node, e.sentence());
                                } catch (MalformedValue e) {
                                    reject(node, String.valueOf(e.getMessage()) + ".");
                                }
                            });
        }
    }

    private void reject(NodeId node, String why) {
        rejected.put(node, why);
        LOG.warn("A relayed message of an agent was rejected nodeId={} reason={}", node, why);
    }

    private static Optional<NodeId> parseNode(String name) {
        try {
            return Optional.of(new NodeId(name));
        } catch (MalformedValue e) {
            LOG.warn("A gateway sent an invalid node name reason={}", e.getMessage());
            return Optional.empty();
        }
    }
}
