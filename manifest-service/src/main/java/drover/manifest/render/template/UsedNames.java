package drover.manifest.render.template;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds which variables a template may look at. */
final class UsedNames {
    private final Set<String> names = new HashSet<>();
    private boolean everything;

    private UsedNames() {}

    static Template.Uses of(List<Part> parts) {
        UsedNames used = new UsedNames();
        used.parts(parts);
        return new Template.Uses(used.names, used.everything);
    }

    private void parts(List<Part> parts) {
        for (Part part : parts) {
            switch (part) {
                case Part.Text _ -> {}
                case Part.Output(Pipeline pipeline) -> pipeline(pipeline);
                case Part.If(Pipeline condition, List<Part> then, List<Part> otherwise) ->
                        block(condition, then, otherwise);
                case Part.With(Pipeline value, List<Part> then, List<Part> otherwise) ->
                        block(value, then, otherwise);
                case Part.Range(Pipeline over, List<Part> body, List<Part> otherwise) ->
                        block(over, body, otherwise);
            }
        }
    }

    private void block(Pipeline pipeline, List<Part> then, List<Part> otherwise) {
        pipeline(pipeline);
        parts(then);
        parts(otherwise);
    }

    private void pipeline(Pipeline pipeline) {
        pipeline.commands().forEach(this::expression);
    }

    private void expression(Expression expression) {
        switch (expression) {
            case Expression.Dot _ -> everything = true; // may be all variables, as in a range
            case Expression.Field field -> names.add(field.path().getFirst());
            case Expression.Variable variable -> variable(variable);
            case Expression.Literal _ -> {}
            case Expression.Nested nested -> pipeline(nested.pipeline());
            case Expression.Call call -> call.arguments().forEach(this::expression);
        }
    }

    private void variable(Expression.Variable variable) {
        if (!variable.name().equals("$")) {
            return;
        }
        if (variable.path().isEmpty()) {
            everything = true;
        } else {
            names.add(variable.path().getFirst());
        }
    }
}
