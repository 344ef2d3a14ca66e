package drover.manifest.document;

import java.util.List;
import java.util.function.Supplier;

/** The outcome of parsing a file. */
public sealed interface ParseResult<T> {
    /** It is good. */
    record Valid<T>(T value) implements ParseResult<T> {}

    /** It has problems, at least one. */
    record Invalid<T>(List<ValidationProblem> problems) implements ParseResult<T> {
        public Invalid {
            problems = List.copyOf(problems);
        }
    }

    /** Good when nothing was found; the value is made only then. */
    static <T> ParseResult<T> of(ProblemCollector problems, Supplier<T> value) {
        return problems.sortedProblems().isEmpty()
                ? new Valid<>(value.get())
                : new Invalid<>(problems.sortedProblems());
    }

    /** The problems; none when it is good. */
    default List<ValidationProblem> problems() {
        return switch (this) {
            case Valid<T> _ -> List.of();
            case Invalid<T>(List<ValidationProblem> problems) -> problems;
        };
    }
}
