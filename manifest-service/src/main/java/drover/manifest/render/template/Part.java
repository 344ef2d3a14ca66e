package drover.manifest.render.template;

import java.util.List;

/** A part of a template, in the order in which they are written out. */
sealed interface Part {
    /** Text as it stands. */
    record Text(String text) implements Part {}

    /** Writes a value, or binds it and writes nothing. */
    record Output(Pipeline pipeline) implements Part {}

    /** Writes one of two branches. */
    record If(Pipeline condition, List<Part> then, List<Part> otherwise) implements Part {
        public If {
            then = List.copyOf(then);
            otherwise = List.copyOf(otherwise);
        }
    }

    /** Like {@link If}, with the dot set to the value. */
    record With(Pipeline value, List<Part> then, List<Part> otherwise) implements Part {
        public With {
            then = List.copyOf(then);
            otherwise = List.copyOf(otherwise);
        }
    }

    /** Writes the body once for each element of a list or map. */
    record Range(Pipeline over, List<Part> body, List<Part> otherwise) implements Part {
        public Range {
            body = List.copyOf(body);
            otherwise = List.copyOf(otherwise);
        }
    }
}
