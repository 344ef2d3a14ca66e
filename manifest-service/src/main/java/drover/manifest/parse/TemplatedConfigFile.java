package drover.manifest.parse;

import drover.model.NodePath;
import java.util.Map;
import java.util.Set;

/**
 * A configuration file that is rendered.
 *
 * @param template name of a file under {@code templates/CHAIN/} or {@code templates/}
 * @param overrides variables for this file only
 * @param managed who writes the file later; {@link ConfigWritePolicy#ALWAYS} in a manifest
 */
public record TemplatedConfigFile(
        NodePath path, String template, Map<String, String> overrides, ConfigWritePolicy managed) {
    /** Maximum number of files of one program on one node. */
    public static final int MOST_FILES = 64;

    /** Variables that Drover sets itself; nothing overrides them. */
    public static final Set<String> RESERVED_VARIABLES =
            Set.of("node_id", "node_type", "chain_profile_id", "binary_name", "target_version");

    public TemplatedConfigFile {
        overrides = Map.copyOf(overrides);
    }
}
