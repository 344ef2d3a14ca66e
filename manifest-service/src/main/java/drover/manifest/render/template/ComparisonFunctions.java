package drover.manifest.render.template;

import java.util.List;
import java.util.Map;

/** Go's eq, ne, lt, le, gt and ge: values of one kind only; nothing is converted. */
final class ComparisonFunctions {
    private ComparisonFunctions() {}

    /** Whether the first equals any of the others. */
    static boolean equalsAny(Position at, List<Object> values) {
        Object first = values.getFirst();
        boolean any = false;
        for (Object other : values.subList(1, values.size())) {
            any = any || equal(at, first, other);
        }
        return any;
    }

    private static boolean equal(Position at, Object left, Object right) {
        if (isCollection(left) || isCollection(right) || left.getClass() != right.getClass()) {
            throw incomparable(at, left, right);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return a.doubleValue() == b.doubleValue();
        }
        return left.equals(right);
    }

    private static boolean isCollection(Object value) {
        return value instanceof List<?> || value instanceof Map<?, ?>;
    }

    /** Below zero, zero or above, for text and numbers. */
    static int compare(Position at, Object left, Object right) {
        if (left instanceof String a && right instanceof String b) {
            return TemplateValueOperations.compareText(a, b);
        }
        if (left instanceof Long a && right instanceof Long b) {
            return Long.compare(a, b);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return Double.compare(a + 0.0, b + 0.0); // minus zero is zero
        }
        throw incomparable(at, left, right);
    }

    private static TemplateError incomparable(Position at, Object left, Object right) {
        return TemplateError.evaluation(
                at,
                "Cannot compare "
                        + TemplateValueOperations.kind(left)
                        + " with "
                        + TemplateValueOperations.kind(right)
                        + ": compare text with text in quotes.");
    }
}
