package drover.opsagent.docker.engine;

import drover.model.NodePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A directory or file that a container sees.
 *
 * @param type {@code bind}, {@code volume} or {@code tmpfs}
 * @param source the machine's path of a bind, the name of a volume
 * @param destination where the container sees it
 */
public record Mount(String type, String source, String destination, boolean writable) {
    /** A directory or file of the machine. */
    public static final String BIND = "bind";

    /** Storage that the engine keeps. */
    public static final String VOLUME = "volume";

    static List<Mount> parseAll(JsonNode list) {
        List<Mount> all = new ArrayList<>();
        for (JsonNode one : list.values()) {
            String type = EngineJson.stringField(one, "Type");
            all.add(
                    new Mount(
                            type,
                            EngineJson.stringField(one, type.equals(VOLUME) ? "Name" : "Source"),
                            EngineJson.stringField(one, "Destination"),
                            EngineJson.booleanField(one, "RW")));
        }
        return all;
    }

    /**
     * Where a file of the container is on the machine: in the mount that is nearest to it, and only
     * if that is a bind. A volume is the program's own, and what is in the image is nowhere.
     */
    public static Optional<String> findHostPath(List<Mount> mounts, NodePath path) {
        Optional<Mount> nearest = Optional.empty();
        for (Mount mount : mounts) {
            int length = nearest.map(one -> one.normalizedDestination().length()).orElse(-1);
            if (mount.contains(path) && mount.normalizedDestination().length() > length) {
                nearest = Optional.of(mount);
            }
        }
        return nearest.filter(mount -> mount.type.equals(BIND))
                .map(
                        mount ->
                                mount.source
                                        + path.value()
                                                .substring(mount.normalizedDestination().length()));
    }

    private boolean contains(NodePath path) {
        return path.value().equals(normalizedDestination())
                || path.value().startsWith(normalizedDestination() + "/");
    }

    /** Its destination without a slash at the end, so that of the root is empty. */
    private String normalizedDestination() {
        return destination.endsWith("/")
                ? destination.substring(0, destination.length() - 1)
                : destination;
    }
}
