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
 * @param what the unit, container or process, for people: {@code unit nats.service}
 * @param digest of what is executed, as the runtime proves versions
 * @param executed where that came from: the executable, or the image by its name
 * @param places where the program's and its managed files are on this machine
 * @param standing how it stands, for people: name and value
 */
public record Discovered(
        String what,
        Digest digest,
        String executed,
        Map<NodePath, Path> places,
        SortedMap<String, String> standing) {
    public Discovered {
        places = Map.copyOf(places);
        standing = Collections.unmodifiableSortedMap(new TreeMap<>(standing));
    }
}
