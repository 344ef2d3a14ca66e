package drover.model;

import java.util.regex.Pattern;

/** A text that does not have the form its type asks for. The message says what would. */
public final class MalformedValue extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private MalformedValue(String message) {
        super(message);
    }

    public static void requireMatch(Pattern grammar, String value, String allowed) {
        if (!grammar.matcher(value).matches()) {
            throw forValue(value, allowed);
        }
    }

    static MalformedValue forValue(String value, String allowed) {
        return new MalformedValue("'" + shorten(value) + "' is not allowed: use " + allowed);
    }

    private static String shorten(String value) {
        return value.length() <= 120 ? value : value.substring(0, 120) + "…";
    }
}
