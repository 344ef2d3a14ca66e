package drover.cli.node;

import drover.cli.client.DroverClient;
import drover.cli.terminal.CommandFailed;
import drover.node.v1.GetNodeRequest;
import java.util.List;

/** Program that a command is about: the given one, or the only one of the node. */
final class ProgramResolver {
    private static final String AGENT = "drover-agent"; // reported as a program of its node

    private ProgramResolver() {}

    /**
     * The given program; if none is given, the only one that the node has besides its agent.
     *
     * @throws CommandFailed if none is given and the node has none or several
     */
    static String resolveName(String given, String node, DroverClient server) {
        if (!given.isEmpty()) {
            return given;
        }
        List<String> programs =
                server
                        .nodes()
                        .getNode(GetNodeRequest.newBuilder().setNodeId(node).build())
                        .getNode()
                        .getProgramsList()
                        .stream()
                        .map(program -> program.getName())
                        .filter(name -> !name.equals(AGENT))
                        .toList();
        if (programs.size() == 1) {
            return programs.getFirst();
        }
        throw CommandFailed.usage(
                programs.isEmpty()
                        ? "Node " + node + " has no program."
                        : "Node %s has several programs; name one: %s."
                                .formatted(node, String.join(", ", programs)));
    }
}
