package drover.trust.release;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object, each of which must be asked for: what is left is unknown and refused.
 */
final class JsonObjectReader {
    private final String where;
    private final Map<String, Json> left;

    private JsonObjectReader(String where, Map<String, Json> values) {
        this.where = where;
        this.left = new HashMap<>(values);
    }

    /** Those of an object; anything else is refused. */
    static JsonObjectReader of(String where, Json value) {
        if (value instanceof Json.JsonObject(Map<String, Json> values)) {
            return new JsonObjectReader(where, values);
        }
        throw NotTrusted.malformed(where + " is no object: take the original.");
    }

    /** Refuses what was not asked for. */
    void requireAllRead() {
        if (!left.isEmpty()) {
            throw NotTrusted.malformed(
                    where
                            + " has unknown fields ("
                            + String.join(", ", new TreeSet<>(left.keySet()))
                            + "): a newer Drover may know them, this one believes nothing of it.");
        }
    }

    /** Whether a field that may be missing is there and was not asked for yet. */
    boolean hasUnread(String name) {
        return left.containsKey(name);
    }

    JsonObjectReader readObject(String name) {
        return of(where + "." + name, takeField(name));
    }

    /** The names that were not asked for yet, sorted. */
    List<String> unreadNames() {
        return List.copyOf(new TreeSet<>(left.keySet()));
    }

    String readText(String name) {
        if (takeField(name) instanceof Json.JsonString(String value)) {
            return value;
        }
        throw malformedField(name, "text");
    }

    long readLong(String name, long least, long most) {
        if (takeField(name) instanceof Json.JsonInteger(long value)
                && value >= least
                && value <= most) {
            return value;
        }
        throw malformedField(name, "whole number from " + least + " to " + most);
    }

    boolean readBoolean(String name) {
        if (takeField(name) instanceof Json.JsonBoolean(boolean value)) {
            return value;
        }
        throw malformedField(name, "true or false");
    }

    Instant readInstant(String name) {
        String text = readText(name);
        try {
            Instant time = Instant.parse(text);
            if (time.toString().equals(text)) { // one way to write it
                return time;
            }
        } catch (DateTimeException _) {
            // told below
        }
        throw malformedField(name, "time like 2030-01-31T00:00:00Z");
    }

    /** A list whose elements are read by a function; at most so many. */
    <T> List<T> readList(String name, int most, Function<Json, T> element) {
        if (takeField(name) instanceof Json.JsonArray(List<Json> values) && values.size() <= most) {
            return values.stream().map(element).toList();
        }
        throw malformedField(name, "list of at most " + most);
    }

    /** A list of texts, each of which is a name of some kind. */
    <T> List<T> readNames(String name, int most, Function<String, T> parse) {
        return readList(
                name,
                most,
                value -> {
                    if (value instanceof Json.JsonString(String text)) {
                        return parseName(name, text, parse);
                    }
                    throw malformedField(name, "list of texts");
                });
    }

    /** A text that is a name of some kind. */
    <T> T readName(String name, Function<String, T> parse) {
        return parseName(name, readText(name), parse);
    }

    private <T> T parseName(String name, String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw NotTrusted.malformed(where + "." + name + ": " + e.getMessage() + ".");
        }
    }

    private Json takeField(String name) {
        @Nullable Json value = left.remove(name);
        if (value == null) {
            throw NotTrusted.malformed(where + " lacks " + name + ": take the original.");
        }
        return value;
    }

    private NotTrusted malformedField(String name, String wanted) {
        return NotTrusted.malformed(
                where + "." + name + " must be a " + wanted + ": take the original.");
    }
}
