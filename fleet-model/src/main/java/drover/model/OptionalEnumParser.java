package drover.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads values that were written down as words. A later version may have written one that this one
 * does not have: that is empty and no error, so that it hides nothing else (invariant C15).
 */
public final class OptionalEnumParser {
    private OptionalEnumParser() {}

    /** The value of this name, as the code has it. */
    public static <E extends Enum<E>> Optional<E> byName(Class<E> type, String name) {
        return findBy(Enum::name, type, name);
    }

    /** The value of this word, which is its name in small letters. */
    public static <E extends Enum<E>> Optional<E> byLowerCaseName(Class<E> type, String word) {
        return findBy(value -> value.name().toLowerCase(Locale.ROOT), type, word);
    }

    private static <E extends Enum<E>> Optional<E> findBy(
            Function<E, String> reading, Class<E> type, String written) {
        return Arrays.stream(type.getEnumConstants())
                .filter(value -> reading.apply(value).equals(written))
                .findFirst();
    }
}
