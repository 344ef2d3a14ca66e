package drover.coordinator.engine.create;

import drover.coordinator.peers.NodeDirectoryLink;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.model.RolloutSpec;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Chooses targets: chain and type, narrowed by labels and ids. */
final class TargetNodeFilter {
    private TargetNodeFilter() {}

    static List<DirectoryNode> select(
            UnvalidatedCreationRequest request, RolloutSpec spec, NodeDirectoryLink directory) {
        List<DirectoryNode> all = candidates(spec, directory);
        String whose = spec.programKind().targetNodesPhrase(spec.chain(), spec.nodeType());
        Set<String> known = all.stream().map(node -> node.id().value()).collect(Collectors.toSet());
        requireKnown(whose, known, request.nodeIds(), "node_ids");
        requireKnown(whose, known, request.exclude(), "exclude");
        return all.stream()
                .filter(
                        node ->
                                request.nodeIds().isEmpty()
                                        || request.nodeIds().contains(node.id().value()))
                .filter(node -> !request.exclude().contains(node.id().value()))
                .filter(node -> matches(node.labels(), request.nodeSelector()))
                .toList();
    }

    private static List<DirectoryNode> candidates(RolloutSpec spec, NodeDirectoryLink directory) {
        return directory
                .listNodes(spec.programKind().targetChain(spec.chain()), spec.nodeType())
                .stream()
                .filter(
                        node ->
                                spec.programKind()
                                        .mayBeTarget(node.programs().containsKey(spec.binary())))
                .toList();
    }

    /** A node left out by a name nobody has would be upgraded all the same. */
    private static void requireKnown(
            String whose, Set<String> known, Set<String> named, String field) {
        named.stream()
                .filter(id -> !known.contains(id))
                .sorted()
                .findFirst()
                .ifPresent(
                        id -> {
                            throw new Refused(
                                    RefusalCode.NODE_NOT_FOUND,
                                    "There is no node " + id + " " + whose + ".",
                                    field);
                        });
    }

    private static boolean matches(Map<String, String> labels, Map<String, String> selector) {
        return selector.entrySet().stream()
                .allMatch(wanted -> wanted.getValue().equals(labels.get(wanted.getKey())));
    }
}
