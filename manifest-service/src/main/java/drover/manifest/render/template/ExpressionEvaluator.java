package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Computes the values of pipelines and binds them to variables. */
final class ExpressionEvaluator {
    private final VariableStack scope;
    private final RenderBudget budget;

    ExpressionEvaluator(VariableStack scope, RenderBudget budget) {
        this.scope = scope;
        this.budget = budget;
    }

    Object evaluate(Pipeline pipeline, Object dot) {
        Object value = null;
        for (Expression command : pipeline.commands()) {
            value =
                    command instanceof Expression.Call call
                            ? evaluateCall(call, value, dot)
                            : evaluate(command, dot);
        }
        if (value == null) {
            throw new IllegalStateException("A pipeline has at least one command");
        }
        bind(pipeline, value);
        return value;
    }

    private void bind(Pipeline pipeline, Object value) {
        switch (pipeline.binding()) {
            case Pipeline.Binding.None() -> {}
            case Pipeline.Binding.Declare(List<String> names) ->
                    names.forEach(name -> scope.declare(name, value));
            case Pipeline.Binding.Assign(String name) -> scope.assign(pipeline.at(), name, value);
        }
    }

    private Object evaluate(Expression expression, Object dot) {
        budget.spend(expression.at(), 1);
        return switch (expression) {
            case Expression.Dot _ -> dot;
            case Expression.Field(Position at, List<String> path) -> resolvePath(at, dot, path);
            case Expression.Variable(Position at, String name, List<String> path) ->
                    resolvePath(at, scope.value(at, name), path);
            case Expression.Literal(Position _, Object value) -> value;
            case Expression.Nested(Position at, Pipeline pipeline, List<String> path) ->
                    resolvePath(at, evaluate(pipeline, dot), path);
            case Expression.Call call -> evaluateCall(call, null, dot);
        };
    }

    private static Object resolvePath(Position at, Object from, List<String> path) {
        Object value = from;
        for (String name : path) {
            if (!(value instanceof Map<?, ?> map)) {
                throw TemplateError.evaluation(
                        at, TemplateValueOperations.kind(value) + " has no field '." + name + "'.");
            }
            Object found = map.get(name);
            if (found == null) {
                throw new TemplateError(
                        TemplateError.Kind.UNDEFINED_VARIABLE,
                        at,
                        "The variable '" + name + "' is not defined.");
            }
            value = found;
        }
        return value;
    }

    /**
     * @param given the value from the command before; null when there is none
     */
    private Object evaluateCall(Expression.Call call, @Nullable Object given, Object dot) {
        if (call.function() == TemplateFunction.AND || call.function() == TemplateFunction.OR) {
            return evaluateLogic(call, given, dot);
        }
        List<Object> values = new ArrayList<>();
        call.arguments().forEach(argument -> values.add(evaluate(argument, dot)));
        if (given != null) {
            values.add(given);
        }
        values.forEach(value -> budget.spend(call.at(), cost(value)));
        Object result = TemplateFunctions.call(call.at(), call.function(), values);
        budget.spend(call.at(), cost(result));
        return result;
    }

    /** Stops at the first value that decides, as Go does since 1.18. */
    private Object evaluateLogic(Expression.Call call, @Nullable Object given, Object dot) {
        boolean stopsAt = call.function() == TemplateFunction.OR;
        Object last = given;
        for (Expression argument : call.arguments()) {
            Object value = evaluate(argument, dot);
            if (TemplateValueOperations.isTrue(value) == stopsAt) {
                return value;
            }
            last = given == null ? value : given;
        }
        if (last == null) {
            throw new IllegalStateException("and/or have at least one value");
        }
        return last;
    }

    /** Handling a value costs what its text is long. */
    private static long cost(Object value) {
        return switch (value) {
            case String text -> 1L + text.length();
            case List<?> list -> {
                long sum = 1;
                for (Object item : list) {
                    sum += cost(item);
                }
                yield sum;
            }
            case Map<?, ?> map -> {
                long sum = 1;
                for (Object item : map.values()) {
                    sum += 1 + (item == null ? 0 : cost(item));
                }
                yield sum;
            }
            default -> 1;
        };
    }
}
