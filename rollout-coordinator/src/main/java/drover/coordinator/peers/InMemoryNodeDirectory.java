package drover.coordinator.peers;

import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The gateways' directory without a network: knows the nodes it was told of. */
public final class InMemoryNodeDirectory implements NodeDirectoryLink {
    private final Map<String, List<DirectoryNode>> nodes = new ConcurrentHashMap<>();
    private final Set<NodeId> offline = ConcurrentHashMap.newKeySet();
    private final List<UnhealthyNode> unhealthy = new CopyOnWriteArrayList<>();
    private volatile boolean unavailable;

    /** Adds nodes to a chain. */
    public void add(String chain, List<DirectoryNode> more) {
        nodes.computeIfAbsent(chain, key -> new CopyOnWriteArrayList<>()).addAll(more);
    }

    /** Says this of a chain from now on, and nothing else. */
    public void set(String chain, List<DirectoryNode> all) {
        nodes.put(chain, new CopyOnWriteArrayList<>(all));
    }

    /** Whether no gateway answers from now on. */
    public void setUnavailable(boolean isUnavailable) {
        unavailable = isUnavailable;
    }

    /** Says that a node has no connected agent from now on. */
    public void disconnect(NodeId node) {
        offline.add(node);
    }

    /** Reports the program of a node as unhealthy from now on, whatever its name. */
    public void markUnhealthy(UnhealthyNode node) {
        unhealthy.add(node);
    }

    /** Reports the programs of all nodes as healthy again. */
    public void clearUnhealthy() {
        unhealthy.clear();
    }

    @Override
    public List<UnhealthyNode> listUnhealthyNodes(String chain, BinaryName program) {
        requireAvailable();
        return List.copyOf(unhealthy);
    }

    @Override
    public Set<NodeId> listOfflineNodes(String chain, String type) {
        return Set.copyOf(offline);
    }

    @Override
    public List<DirectoryNode> listNodes(String chain, String type) {
        requireAvailable();
        return nodes.entrySet().stream()
                .filter(entry -> chain.isEmpty() || entry.getKey().equals(chain))
                .flatMap(entry -> entry.getValue().stream())
                .filter(node -> type.isEmpty() || node.type().equals(type))
                .sorted(Comparator.comparing(DirectoryNode::id))
                .toList();
    }

    private void requireAvailable() {
        if (unavailable) {
            throw new PeerUnavailable(
                    Peer.GATEWAY, "No gateway answered", new IllegalStateException("away"));
        }
    }
}
