package drover.manifest.check;

import drover.model.NodePath;
import java.util.Map;

/**
 * A configuration file that is rendered.
 *
 * @param template name of a file under {@code templates/CHAIN/} or {@code templates/}
 * @param overrides variables for this file only
 */
public record ConfigChange(NodePath path, String template, Map<String, String> overrides) {
    public ConfigChange {
        overrides = Map.copyOf(overrides);
    }
}
