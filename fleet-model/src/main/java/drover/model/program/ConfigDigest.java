package drover.model.program;

import drover.model.Digest;
import drover.model.NodePath;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Computes the one digest that stands for everything about a program but its file: managed files
 * and launch.
 */
public final class ConfigDigest {
    private ConfigDigest() {}

    /**
     * Hashes the sorted (path, digest) pairs of the managed files and the digest of the launch
     * specification.
     */
    public static Digest of(Map<NodePath, Digest> files, Digest launch) {
        SortedMap<NodePath, Digest> sorted = new TreeMap<>(files);
        CanonicalHasher hash = new CanonicalHasher().add("config-v1").add(sorted.size());
        sorted.forEach((path, digest) -> hash.add(path.value()).add(digest.value()));
        return hash.add(launch.value()).digest();
    }
}
