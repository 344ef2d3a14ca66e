package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes out the parts of a template for given variables. One object per rendering. */
final class Evaluator {
    private static final Position UNKNOWN = new Position(1, 1);

    private final StringBuilder out = new StringBuilder();
    private final VariableStack scope;
    private final RenderBudget budget;
    private final ExpressionEvaluator expressions;

    private Evaluator(Map<String, ?> variables, int longestOutput) {
        scope = new VariableStack(variables);
        budget = new RenderBudget(longestOutput);
        expressions = new ExpressionEvaluator(scope, budget);
    }

    static String render(List<Part> parts, Map<String, ?> variables, int longestOutput) {
        Evaluator evaluator = new Evaluator(variables, longestOutput);
        evaluator.write(parts, variables);
        return evaluator.out.toString();
    }

    private void write(List<Part> parts, Object dot) {
        for (Part part : parts) {
            switch (part) {
                case Part.Text(String text) -> append(UNKNOWN, text);
                case Part.Output(Pipeline pipeline) -> writeOutput(pipeline, dot);
                case Part.If(Pipeline condition, List<Part> then, List<Part> otherwise) ->
                        writeBranch(condition, then, otherwise, dot, false);
                case Part.With(Pipeline value, List<Part> then, List<Part> otherwise) ->
                        writeBranch(value, then, otherwise, dot, true);
                case Part.Range range -> writeRange(range, dot);
            }
        }
    }

    private void append(Position at, String text) {
        budget.spend(at, 1L + text.length());
        out.append(text);
        budget.checkOutputLength(at, out.length());
    }

    private void writeOutput(Pipeline pipeline, Object dot) {
        Object value = expressions.evaluate(pipeline, dot);
        if (!(pipeline.binding() instanceof Pipeline.Binding.None)) {
            return;
        }
        if (value instanceof MissingKeySentinel) {
            throw TemplateError.evaluation(
                    pipeline.at(), "There is no such value: give it a default.");
        }
        append(pipeline.at(), TemplateValueOperations.format(value));
    }

    private void writeBranch(
            Pipeline pipeline, List<Part> then, List<Part> otherwise, Object dot, boolean sets) {
        int mark = scope.mark();
        Object value = expressions.evaluate(pipeline, dot);
        boolean taken = TemplateValueOperations.isTrue(value);
        write(taken ? then : otherwise, taken && sets ? value : dot);
        scope.returnTo(mark);
    }

    private void writeRange(Part.Range range, Object dot) {
        int mark = scope.mark();
        Object over = expressions.evaluate(range.over(), dot);
        scope.returnTo(mark);
        List<Element> elements = elements(range.over().at(), over);
        List<String> names =
                range.over().binding() instanceof Pipeline.Binding.Declare(List<String> declared)
                        ? declared
                        : List.of();
        for (Element element : elements) {
            budget.spend(range.over().at(), 1);
            if (names.size() == 2) {
                scope.declare(names.getFirst(), element.key());
            }
            if (!names.isEmpty()) {
                scope.declare(names.getLast(), element.value());
            }
            write(range.body(), element.value());
            scope.returnTo(mark);
        }
        if (elements.isEmpty()) {
            names.forEach(name -> scope.declare(name, over));
            write(range.otherwise(), dot);
            scope.returnTo(mark);
        }
    }

    private record Element(Object key, Object value) {}

    private static List<Element> elements(Position at, Object over) {
        List<Element> elements = new ArrayList<>();
        switch (over) {
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    elements.add(new Element((long) i, list.get(i)));
                }
            }
            case Map<?, ?> map ->
                    TemplateValueOperations.sortByKey(map)
                            .forEach((key, value) -> elements.add(new Element(key, value)));
            case MissingKeySentinel _ -> {}
            default ->
                    throw TemplateError.evaluation(
                            at,
                            "range walks through lists and maps, not "
                                    + TemplateValueOperations.kind(over)
                                    + ".");
        }
        return elements;
    }
}
