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
        for (String id : request.nodeIds()) {
            if (!known.contains(id)) {
                throw new Refused(
                        RefusalCode.NODE_NOT_FOUND,
                        "There is no node " + id + " of chain " + request.chain() + ".",
                        "node_ids");
            }
        }
        return all.stream()
                .filter(
                        node ->
                                request.nodeIds().isEmpty()
                                        || request.nodeIds().contains(node.id().value()))
                .filter(node -> !request.exclude().contains(node.id().value()))
                .filter(node -> matches(node.labels(), request.nodeSelector()))
                .toList();
    }

    private static boolean matches(Map<String, String> labels, Map<String, String> selector) {
        return selector.entrySet().stream()
                .allMatch(wanted -> wanted.getValue().equals(labels.get(wanted.getKey())));
    }
}
