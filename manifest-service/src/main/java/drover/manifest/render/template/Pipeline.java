package drover.manifest.render.template;

import java.util.List;

/**
 * Commands that hand their value on, and what becomes of the last one.
 *
 * @param commands at least one; all but the first are calls
 */
record Pipeline(Position at, Binding binding, List<Expression> commands) {
    Pipeline {
        commands = List.copyOf(commands);
    }

    /** What becomes of the value. */
    sealed interface Binding {
        /** It is used where the pipeline stands. */
        record None() implements Binding {}

        /** It gets new variables: one, or in a range up to two. */
        record Declare(List<String> names) implements Binding {
            public Declare {
                names = List.copyOf(names);
            }
        }

        /** It becomes the value of a variable that exists. */
        record Assign(String name) implements Binding {}
    }
}
