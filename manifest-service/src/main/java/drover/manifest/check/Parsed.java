package drover.manifest.check;

import java.util.List;
import java.util.function.Supplier;

/** The outcome of parsing a file. */
public sealed interface Parsed<T> {
    /** It is good. */
    record Good<T>(T value) implements Parsed<T> {}

    /** It has problems, at least one. */
    record Bad<T>(List<Problem> problems) implements Parsed<T> {
        public Bad {
            problems = List.copyOf(problems);
        }
    }

    /** Good when nothing was found; the value is made only then. */
    static <T> Parsed<T> of(Problems problems, Supplier<T> value) {
        return problems.found().isEmpty() ? new Good<>(value.get()) : new Bad<>(problems.found());
    }

    /** The problems; none when it is good. */
    default List<Problem> problems() {
        return switch (this) {
            case Good<T> _ -> List.of();
            case Bad<T>(List<Problem> problems) -> problems;
        };
    }
}
