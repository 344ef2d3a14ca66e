package drover.trust.release;

import java.util.List;
import java.util.Map;

/** A value of a signed document. There are no fractions and no nulls in one. */
sealed interface Json {
    /** Named values, each name once. */
    record Members(Map<String, Json> values) implements Json {}

    /** Values in order. */
    record Items(List<Json> values) implements Json {}

    /** A text. */
    record Text(String value) implements Json {}

    /** A whole number. */
    record Whole(long value) implements Json {}

    /** True or false. */
    record Flag(boolean value) implements Json {}
}
