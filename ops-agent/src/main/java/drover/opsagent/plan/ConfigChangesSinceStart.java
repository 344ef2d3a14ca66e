package drover.opsagent.plan;

import drover.model.NodePath;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How the configuration differs from the one that a program was started with.
 *
 * @param missing managed files that are not on disk
 * @param changed managed files with other content; empty, too, if only the launch specification or
 *     an accepted content differs
 */
public record ConfigChangesSinceStart(List<NodePath> missing, List<NodePath> changed) {
    public ConfigChangesSinceStart {
        missing = List.copyOf(missing);
        changed = List.copyOf(changed);
    }

    /** Whether there is more to it than missing files. */
    public boolean isMoreThanMissingFiles() {
        return missing.isEmpty() || !changed.isEmpty();
    }

    /** Which files are missing and which changed, as the beginning of a sentence. */
    public String describe() {
        List<String> parts = new ArrayList<>();
        if (!missing.isEmpty()) {
            parts.add(describeMissing(missing));
        }
        if (isMoreThanMissingFiles()) {
            String what = changed.isEmpty() ? "The configuration" : join(changed);
            parts.add(what + " changed after the program's start");
        }
        return String.join("; ", parts);
    }

    /** Which of these files are missing, as the beginning of a sentence. */
    public static String describeMissing(List<NodePath> missing) {
        return join(missing) + (missing.size() == 1 ? " is missing" : " are missing");
    }

    /** The paths as a list in a sentence. */
    public static String join(List<NodePath> paths) {
        return paths.stream().map(NodePath::value).collect(Collectors.joining(", "));
    }
}
