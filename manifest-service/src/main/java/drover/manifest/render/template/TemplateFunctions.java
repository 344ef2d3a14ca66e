package drover.manifest.render.template;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Calls the functions of the subset on values; {@code and} and {@code or} are the evaluator's. */
final class TemplateFunctions {
    private TemplateFunctions() {}

    static Object call(Position at, TemplateFunction function, List<Object> values) {
        Object first = values.getFirst();
        return switch (function) {
            case AND, OR -> throw new IllegalStateException("The evaluator does these itself");
            case NOT -> !TemplateValueOperations.isTrue(first);
            case EQ -> ComparisonFunctions.equalsAny(at, values);
            case NE -> !ComparisonFunctions.equalsAny(at, values);
            case LT -> ComparisonFunctions.compare(at, first, values.get(1)) < 0;
            case LE -> ComparisonFunctions.compare(at, first, values.get(1)) <= 0;
            case GT -> ComparisonFunctions.compare(at, first, values.get(1)) > 0;
            case GE -> ComparisonFunctions.compare(at, first, values.get(1)) >= 0;
            case LEN -> length(at, first);
            case INDEX -> index(at, values);
            case PRINTF ->
                    Printf.format(
                            at,
                            requireFormatText(at, first),
                            List.copyOf(values.subList(1, values.size())));
            case DEFAULT -> TemplateValueOperations.isTrue(values.get(1)) ? values.get(1) : first;
            case QUOTE -> quote(values);
            case JOIN -> join(at, first, values.get(1));
        };
    }

    private static Long length(Position at, Object value) {
        return switch (value) {
            case String text -> (long) text.getBytes(StandardCharsets.UTF_8).length;
            case List<?> list -> (long) list.size();
            case Map<?, ?> map -> (long) map.size();
            default ->
                    throw TemplateError.evaluation(
                            at, TemplateValueOperations.kind(value) + " has no length.");
        };
    }

    private static Object index(Position at, List<Object> values) {
        Object found = values.getFirst();
        for (Object key : values.subList(1, values.size())) {
            found = elementOrMissing(at, found, key);
        }
        return found;
    }

    private static Object elementOrMissing(Position at, Object from, Object key) {
        if (from instanceof Map<?, ?> map && key instanceof String name) {
            Object found = map.get(name);
            return found == null ? MissingKeySentinel.MISSING : found;
        }
        if (from instanceof List<?> list && key instanceof Long number) {
            if (number < 0 || number >= list.size()) {
                throw TemplateError.evaluation(
                        at, "The index " + number + " is outside the list of " + list.size() + ".");
            }
            return list.get(number.intValue());
        }
        throw TemplateError.evaluation(
                at,
                "Cannot index "
                        + TemplateValueOperations.kind(from)
                        + " with "
                        + TemplateValueOperations.kind(key)
                        + ".");
    }

    private static String requireFormatText(Position at, Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw TemplateError.evaluation(at, "The format of printf must be text.");
    }

    private static String quote(List<Object> values) {
        StringJoiner joined = new StringJoiner(" ");
        for (Object value : values) {
            if (!(value instanceof MissingKeySentinel)) {
                joined.add(StringQuoter.quote(TemplateValueOperations.format(value)));
            }
        }
        return joined.toString();
    }

    private static String join(Position at, Object separator, Object value) {
        if (!(separator instanceof String between)) {
            throw TemplateError.evaluation(at, "The separator of join must be text.");
        }
        if (!(value instanceof List<?> list)) {
            return value instanceof MissingKeySentinel ? "" : TemplateValueOperations.format(value);
        }
        StringJoiner joined = new StringJoiner(between);
        list.forEach(item -> joined.add(TemplateValueOperations.format(item)));
        return joined.toString();
    }
}
