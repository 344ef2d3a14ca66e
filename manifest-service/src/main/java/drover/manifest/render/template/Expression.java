package drover.manifest.render.template;

import java.util.List;

/** Something that has a value. */
sealed interface Expression {
    Position at();

    /** The present value of the dot. */
    record Dot(Position at) implements Expression {}

    /** A path from the dot: {@code .a.b}. */
    record Field(Position at, List<String> path) implements Expression {
        public Field {
            path = List.copyOf(path);
        }
    }

    /** A variable and a path from it: {@code $x.a}; the name begins with the dollar sign. */
    record Variable(Position at, String name, List<String> path) implements Expression {
        public Variable {
            path = List.copyOf(path);
        }
    }

    /** A {@link String}, {@link Long}, {@link Double} or {@link Boolean}. */
    record Literal(Position at, Object value) implements Expression {}

    /** A pipeline in parentheses, and a path from its value. */
    record Nested(Position at, Pipeline pipeline, List<String> path) implements Expression {
        public Nested {
            path = List.copyOf(path);
        }
    }

    /** A function call; in a pipeline the value before it comes as one more argument. */
    record Call(Position at, TemplateFunction function, List<Expression> arguments)
            implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }
}
