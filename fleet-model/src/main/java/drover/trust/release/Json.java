package drover.trust.release;

import java.util.List;
import java.util.Map;

/** A value of a signed document. There are no fractions and no nulls in one. */
sealed interface Json {
    /** Named values, each name once. */
    record JsonObject(Map<String, Json> values) implements Json {}

    /** Values in order. */
    record JsonArray(List<Json> values) implements Json {}

    /** A text. */
    record JsonString(String value) implements Json {}

    /** A whole number. */
    record JsonInteger(long value) implements Json {}

    /** True or false. */
    record JsonBoolean(boolean value) implements Json {}
}
