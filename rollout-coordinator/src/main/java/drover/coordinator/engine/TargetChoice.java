package drover.coordinator.engine;

import drover.coordinator.peers.DirectoryLink;
import drover.coordinator.peers.DirectoryLink.DirectoryNode;
import drover.coordinator.plan.CreationRequest;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Chooses targets: chain and type, narrowed by labels and ids. */
final class TargetChoice {
    private TargetChoice() {}

    static List<DirectoryNode> choose(CreationRequest request, DirectoryLink directory) {
        List<DirectoryNode> all = directory.nodes(request.chain(), request.nodeType());
        Set<String> known = all.stream().map(node -> node.id().value()).collect(Collectors.toSet());
        requireKnown(request, known, request.nodeIds(), "node_ids");
        requireKnown(request, known, request.exclude(), "exclude");
        return all.stream()
                .filter(
                        node ->
                                request.nodeIds().isEmpty()
                                        || request.nodeIds().contains(node.id().value()))
                .filter(node -> !request.exclude().contains(node.id().value()))
                .filter(node -> matches(node.labels(), request.nodeSelector()))
                .toList();
    }

    /** A node left out by a name nobody has would be upgraded all the same. */
    private static void requireKnown(
            CreationRequest request, Set<String> known, Set<String> named, String field) {
        named.stream()
                .filter(id -> !known.contains(id))
                .sorted()
                .findFirst()
                .ifPresent(
                        id -> {
                            throw new Refused(
                                    RefusalCode.NODE_NOT_FOUND,
                                    "There is no node "
                                            + id
                                            + " of chain "
                                            + request.chain()
                                            + (request.nodeType().isEmpty()
                                                    ? ""
                                                    : " and type " + request.nodeType())
                                            + ".",
                                    field);
                        });
    }

    private static boolean matches(Map<String, String> labels, Map<String, String> selector) {
        return selector.entrySet().stream()
                .allMatch(wanted -> wanted.getValue().equals(labels.get(wanted.getKey())));
    }
}
