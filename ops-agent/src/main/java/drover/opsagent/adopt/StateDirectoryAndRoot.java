package drover.opsagent.adopt;

import java.nio.file.Path;

/**
 * Where a node is on this machine.
 *
 * @param stateDirectory the agent's own; absolute
 * @param root under which the node's files lie; absolute
 */
public record StateDirectoryAndRoot(Path stateDirectory, Path root) {
    public StateDirectoryAndRoot {
        stateDirectory = stateDirectory.toAbsolutePath().normalize();
        root = root.toAbsolutePath().normalize();
    }
}
