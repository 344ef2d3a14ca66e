package drover.opsagent.systemd;

import java.util.regex.Pattern;

/**
 * Name of a service unit. A plain one: it becomes an argument and part of a path, so nothing that
 * is special to either is let in (H15).
 */
public record UnitName(String value) {
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z0-9:_.@][A-Za-z0-9:_.@-]{0,246}\\.service"); // 255 in all

    /**
     * Takes a name.
     *
     * @throws IllegalArgumentException when it is not plain
     */
    public UnitName {
        if (!isValidServiceName(value)) {
            throw new IllegalArgumentException("'" + value + "' is no plain name of a service");
        }
    }

    /** Whether a text can be the name of a unit that an agent cares for. */
    static boolean isValidServiceName(String text) {
        return PLAIN.matcher(text).matches() && !text.contains("@.") && !text.startsWith(".");
    }

    @Override
    public String toString() {
        return value;
    }
}
