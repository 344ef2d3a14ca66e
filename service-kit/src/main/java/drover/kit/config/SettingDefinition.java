package drover.kit.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a service can be told at its start: {@code --agent-listen} on the command line,
 * {@code DROVER_GATEWAY_AGENT_LISTEN} in the environment, {@code agent-listen:} in its file.
 *
 * @param name words with hyphens between them
 * @param placeholder what a value looks like, for people, such as {@code HOST:PORT}
 * @param description one sentence
 * @param defaultValue what holds when nobody says it; null when somebody must
 * @param secret whether its value is shown to nobody (H14)
 */
public record SettingDefinition(
        String name,
        String placeholder,
        String description,
        @Nullable String defaultValue,
        boolean secret) {

    /** One that must be given. */
    public static SettingDefinition required(String name, String form, String meaning) {
        return new SettingDefinition(name, form, meaning, null, false);
    }

    /** One that holds this when it is not given; empty means that it is not used. */
    public static SettingDefinition of(String name, String form, String meaning, String otherwise) {
        return new SettingDefinition(name, form, meaning, otherwise, false);
    }

    /** The same, of a value that may hold a password. */
    public SettingDefinition asSecret() {
        return new SettingDefinition(name, placeholder, description, defaultValue, true);
    }

    /** On the command line. */
    String flag() {
        return "--" + name;
    }

    /** In the environment of this service. */
    String environmentVariable(String service) {
        return environmentPrefix(service) + name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** How all variables of a service begin. */
    static String environmentPrefix(String service) {
        return "DROVER_" + service.toUpperCase(Locale.ROOT) + "_";
    }
}
