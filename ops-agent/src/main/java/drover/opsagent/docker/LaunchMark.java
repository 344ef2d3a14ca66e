package drover.opsagent.docker;

import drover.model.program.LaunchSpec;
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
record LaunchMark(boolean arguments, boolean user, SortedSet<String> environment) {
    /** The label that carries it, which also tells the agent's own containers from others. */
    static final String LABEL = "io.drover.launch";

    /** Nothing was set. */
    static final LaunchMark NOTHING = new LaunchMark(false, false, new TreeSet<>());

    private static final String VARIABLE = "env:";

    static LaunchMark of(LaunchSpec launch) {
        return new LaunchMark(
                !launch.arguments().isEmpty(),
                !launch.user().isEmpty(),
                new TreeSet<>(launch.environment().keySet()));
    }

    static LaunchMark of(Container container) {
        List<String> words = List.of(container.label(LABEL).split(" ", -1));
        SortedSet<String> environment = new TreeSet<>();
        for (String word : words) {
            if (word.startsWith(VARIABLE)) {
                environment.add(word.substring(VARIABLE.length()));
            }
        }
        return new LaunchMark(words.contains("arguments"), words.contains("user"), environment);
    }

    String text() {
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
    static boolean isLaunchedAs(Container container, LaunchSpec launch) {
        ObjectNode wanted = container.config() instanceof ObjectNode it ? it.deepCopy() : null;
        if (wanted == null) {
            return false;
        }
        apply(wanted, launch);
        boolean same =
                Set.copyOf(Json.texts(wanted.path("Env")))
                                .equals(Set.copyOf(Json.texts(container.config().path("Env"))))
                        && List.of("Entrypoint", "Cmd", "User").stream()
                                .allMatch(
                                        name ->
                                                Json.isSame(
                                                        wanted.path(name),
                                                        container.config().path(name)));
        LaunchMark set = of(container);
        boolean owed = !container.label(LABEL).isEmpty() && !set.equals(of(launch));
        return same && !owed;
    }

    /** Writes a launch specification over a configuration. */
    static void apply(ObjectNode config, LaunchSpec launch) {
        if (!launch.arguments().isEmpty()) {
            // The whole command line: nothing of the image's own is to stand before or after it.
            List<String> line =
                    launch.arguments().stream().map(word -> inContainer(word, launch)).toList();
            Json.put(config, "Entrypoint", line.subList(0, 1));
            Json.put(config, "Cmd", line.subList(1, line.size()));
        }
        if (!launch.user().isEmpty()) {
            config.put("User", launch.user());
        }
        if (!launch.environment().isEmpty()) {
            Map<String, String> set = new TreeMap<>(launch.environment());
            List<String> all = new ArrayList<>(Json.texts(config.path("Env")));
            all.removeIf(entry -> set.containsKey(variable(entry)));
            set.forEach((name, value) -> all.add(name + "=" + value));
            Json.put(config, "Env", all);
        }
    }

    /** In a container the node's root is the container's own. */
    private static String inContainer(String word, LaunchSpec launch) {
        return word.replace("{path}", launch.path().value()).replace("{root}", "");
    }

    static String variable(String entry) {
        int equals = entry.indexOf('=');
        return equals < 0 ? entry : entry.substring(0, equals);
    }
}
