package drover.opsagent.docker.recreate;

import drover.model.program.LaunchSpec;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/**
 * What of a container was set by a launch specification, kept as a label of the container: the next
 * specification takes it away again, and what people set otherwise stays.
 *
 * @param environment names of variables
 */
public record SpecifiedLaunchFieldsLabel(
        boolean arguments, boolean user, SortedSet<String> environment) {
    /** The label that carries it, which also tells the agent's own containers from others. */
    static final String LABEL = "io.drover.launch";

    /** Nothing was set. */
    static final SpecifiedLaunchFieldsLabel NOTHING =
            new SpecifiedLaunchFieldsLabel(false, false, new TreeSet<>());

    private static final String VARIABLE = "env:";

    static SpecifiedLaunchFieldsLabel of(LaunchSpec launch) {
        return new SpecifiedLaunchFieldsLabel(
                !launch.arguments().isEmpty(),
                !launch.user().isEmpty(),
                new TreeSet<>(launch.environment().keySet()));
    }

    static SpecifiedLaunchFieldsLabel of(Container container) {
        List<String> words = List.of(container.label(LABEL).split(" ", -1));
        SortedSet<String> environment = new TreeSet<>();
        for (String word : words) {
            if (word.startsWith(VARIABLE)) {
                environment.add(word.substring(VARIABLE.length()));
            }
        }
        return new SpecifiedLaunchFieldsLabel(
                words.contains("arguments"), words.contains("user"), environment);
    }

    String toLabelValue() {
        List<String> words = new ArrayList<>(List.of("drover"));
        if (arguments) {
            words.add("arguments");
        }
        if (user) {
            words.add("user");
        }
        environment.forEach(name -> words.add(VARIABLE + name));
        return String.join(" ", words);
    }

    /** Whether the container is launched as specified, and as nothing that was specified before. */
    public static boolean matches(Container container, LaunchSpec launch) {
        ObjectNode wanted = container.config() instanceof ObjectNode it ? it.deepCopy() : null;
        if (wanted == null) {
            return false;
        }
        applyLaunchSpec(wanted, launch);
        boolean same =
                Set.copyOf(EngineJson.toStrings(wanted.path("Env")))
                                .equals(
                                        Set.copyOf(
                                                EngineJson.toStrings(
                                                        container.config().path("Env"))))
                        && List.of("Entrypoint", "Cmd", "User").stream()
                                .allMatch(
                                        name ->
                                                EngineJson.isEqualOrBothAbsent(
                                                        wanted.path(name),
                                                        container.config().path(name)));
        SpecifiedLaunchFieldsLabel set = of(container);
        boolean owed = !container.label(LABEL).isEmpty() && !set.equals(of(launch));
        return same && !owed;
    }

    /** Writes a launch specification over a configuration. */
    static void applyLaunchSpec(ObjectNode config, LaunchSpec launch) {
        if (!launch.arguments().isEmpty()) {
            // The whole command line: nothing of the image's own is to stand before or after it.
            List<String> line =
                    launch.arguments().stream()
                            .map(word -> expandPlaceholders(word, launch))
                            .toList();
            EngineJson.putStrings(config, "Entrypoint", line.subList(0, 1));
            EngineJson.putStrings(config, "Cmd", line.subList(1, line.size()));
        }
        if (!launch.user().isEmpty()) {
            config.put("User", launch.user());
        }
        if (!launch.environment().isEmpty()) {
            Map<String, String> set = new TreeMap<>(launch.environment());
            List<String> all = new ArrayList<>(EngineJson.toStrings(config.path("Env")));
            all.removeIf(entry -> set.containsKey(variableName(entry)));
            set.forEach((name, value) -> all.add(name + "=" + expandPlaceholders(value, launch)));
            EngineJson.putStrings(config, "Env", all);
        }
    }

    /** In a container the node's root is the container's own. */
    private static String expandPlaceholders(String word, LaunchSpec launch) {
        return word.replace("{path}", launch.path().value())
                .replace("{root}/", "/")
                .replace("{root}", "/");
    }

    static String variableName(String entry) {
        int equals = entry.indexOf('=');
        return equals < 0 ? entry : entry.substring(0, equals);
    }
}
