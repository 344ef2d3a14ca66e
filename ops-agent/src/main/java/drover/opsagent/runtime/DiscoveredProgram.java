package drover.opsagent.runtime;

import drover.model.Digest;
import drover.model.NodePath;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What runs as a program of a node, found by looking.
 *
 * @param description the unit, container or process, for people: {@code unit nats.service}
 * @param digest of what is executed, as the runtime proves versions
 * @param executable where that came from: the executable, or the image by its name
 * @param paths where the program's and its managed files are on this machine
 * @param status how it stands, for people: name and value
 */
public record DiscoveredProgram(
        String description,
        Digest digest,
        String executable,
        Map<NodePath, Path> paths,
        SortedMap<String, String> status) {
    public DiscoveredProgram {
        paths = Map.copyOf(paths);
        status = Collections.unmodifiableSortedMap(new TreeMap<>(status));
    }
}
