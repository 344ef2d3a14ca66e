package drover.model;

import java.util.List;

/**
 * A path on a node, absolute in form and meant under the node's root directory, for example {@code
 * /etc/celestia/config.toml}. On a real machine the root is {@code /}; on the process runtime it is
 * a directory, so that one profile serves every runtime. Never leaves the root (invariant H11).
 */
public record NodePath(String value) implements Comparable<NodePath> {
    private static final int LONGEST = 1024;

    /**
     * Refuses, with {@link MalformedValue}, relative paths, empty, {@code .} and {@code ..} parts,
     * and control characters.
     */
    public NodePath {
        if (!isSafe(value)) {
            throw MalformedValue.forValue(
                    value, "an absolute path without '.', '..', empty parts or control characters");
        }
    }

    /** The parts of the path, from the root. */
    public List<String> parts() {
        return List.of(value.substring(1).split("/"));
    }

    /** The last part. */
    public String fileName() {
        return value.substring(value.lastIndexOf('/') + 1);
    }

    private static boolean isSafe(String value) {
        if (!value.startsWith("/")
                || value.length() > LONGEST
                || value.chars().anyMatch(Character::isISOControl)) {
            return false;
        }
        for (String part : value.substring(1).split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int compareTo(NodePath other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
