package drover.manifest.render.template;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds which variables a template may look at. */
final class UsedVariableCollector {
    private final Set<String> names = new HashSet<>();
    private boolean everything;

    private UsedVariableCollector() {}

    static Template.UsedVariables of(List<Part> parts) {
        UsedVariableCollector used = new UsedVariableCollector();
        used.collectParts(parts);
        return new Template.UsedVariables(used.names, used.everything);
    }

    private void collectParts(List<Part> parts) {
        for (Part part : parts) {
            switch (part) {
                case Part.Text _ -> {}
                case Part.Output(Pipeline pipeline) -> collectPipeline(pipeline);
                case Part.If(Pipeline condition, List<Part> then, List<Part> otherwise) ->
                        collectBlock(condition, then, otherwise);
                case Part.With(Pipeline value, List<Part> then, List<Part> otherwise) ->
                        collectBlock(value, then, otherwise);
                case Part.Range(Pipeline over, List<Part> body, List<Part> otherwise) ->
                        collectBlock(over, body, otherwise);
            }
        }
    }

    private void collectBlock(Pipeline pipeline, List<Part> then, List<Part> otherwise) {
        collectPipeline(pipeline);
        collectParts(then);
        collectParts(otherwise);
    }

    private void collectPipeline(Pipeline pipeline) {
        pipeline.commands().forEach(this::collectExpression);
    }

    private void collectExpression(Expression expression) {
        switch (expression) {
            case Expression.Dot _ -> everything = true; // may be all variables, as in a range
            case Expression.Field field -> names.add(field.path().getFirst());
            case Expression.Variable variable -> collectVariable(variable);
            case Expression.Literal _ -> {}
            case Expression.Nested nested -> collectPipeline(nested.pipeline());
            case Expression.Call call -> call.arguments().forEach(this::collectExpression);
        }
    }

    private void collectVariable(Expression.Variable variable) {
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
