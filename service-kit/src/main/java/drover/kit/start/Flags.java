package drover.kit.start;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a service is started with: {@code --name value} pairs, then the environment, then defaults.
 */
public final class Flags {
    private final Map<String, String> values;

    private Flags(Map<String, String> values) {
        this.values = values;
    }

    /**
     * Reads flags. A flag {@code --agent-listen} of the service {@code gateway} may also stand in
     * the environment as {@code DROVER_GATEWAY_AGENT_LISTEN}; the flag wins.
     *
     * @param known names without hyphens before them; any other is refused
     * @throws IllegalArgumentException with one sentence that names the flag
     */
    public static Flags read(
            String service,
            List<String> known,
            String[] arguments,
            Map<String, String> environment) {
        Map<String, String> values = new HashMap<>();
        for (String name : known) {
            String value = environment.get(variable(service, name));
            if (value != null && !value.isBlank()) {
                values.put(name, value);
            }
        }
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "'"
                                + arguments[i]
                                + "' is not understood. Known are: "
                                + listed(known)
                                + ".");
            }
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value.");
            }
            values.put(name, arguments[i + 1]);
        }
        return new Flags(values);
    }

    private static String variable(String service, String name) {
        return ("DROVER_" + service + "_" + name).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private static String listed(List<String> known) {
        return String.join(", ", known.stream().map(name -> "--" + name).toList());
    }

    /**
     * The value of a flag that must be given.
     *
     * @throws IllegalArgumentException when it is missing
     */
    public String required(String name) {
        String value = values.get(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("--" + name + " is missing.");
        }
        return value;
    }

    /** The value of a flag, or this when it is not given. */
    public String or(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }
}
