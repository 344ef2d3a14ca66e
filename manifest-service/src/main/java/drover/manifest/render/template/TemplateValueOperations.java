package drover.manifest.render.template;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values of templates: text, whole numbers ({@link Long}), fractions ({@link Double}), truth
 * values, lists, maps with text keys, and {@link MissingKeySentinel}.
 */
final class TemplateValueOperations {
    private static final int LAST_SMALL_EXPONENT = -4;
    private static final int FIRST_LARGE_EXPONENT = 6;

    private TemplateValueOperations() {}

    /** Whether {@code if} takes it for true: everything but empty things and zero. */
    static boolean isTrue(Object value) {
        return switch (value) {
            case Boolean truth -> truth;
            case Long number -> number != 0;
            case Double number -> number != 0;
            case String text -> !text.isEmpty();
            case List<?> list -> !list.isEmpty();
            case Map<?, ?> map -> !map.isEmpty();
            default -> false;
        };
    }

    /** What kind of value it is, for error sentences. */
    static String kind(Object value) {
        return switch (value) {
            case Boolean _ -> "a truth value";
            case Long _ -> "a whole number";
            case Double _ -> "a fraction";
            case String _ -> "text";
            case List<?> _ -> "a list";
            case Map<?, ?> _ -> "a map";
            default -> "nothing";
        };
    }

    /** A map in the order of its keys, as Go walks through it. */
    static Map<String, Object> sortByKey(Map<?, ?> map) {
        Map<String, Object> sorted = new TreeMap<>(TemplateValueOperations::compareText);
        map.forEach((key, value) -> sorted.put(String.valueOf(key), value));
        return sorted;
    }

    /** Compares by code points, as Go's bytes do. */
    static int compareText(String left, String right) {
        int shorter = Math.min(left.length(), right.length());
        for (int i = 0; i < shorter; i++) {
            if (left.charAt(i) != right.charAt(i)) {
                // a surrogate stands for a code point above all others
                boolean leftHigh = Character.isSurrogate(left.charAt(i));
                boolean rightHigh = Character.isSurrogate(right.charAt(i));
                return leftHigh != rightHigh
                        ? Boolean.compare(leftHigh, rightHigh)
                        : Character.compare(left.charAt(i), right.charAt(i));
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** How Go writes it out ({@code %v}). */
    static String format(Object value) {
        return switch (value) {
            case Double number -> formatDouble(number);
            case List<?> list -> {
                StringBuilder out = new StringBuilder("[");
                list.forEach(item -> out.append(out.length() > 1 ? " " : "").append(format(item)));
                yield out.append(']').toString();
            }
            case Map<?, ?> map -> {
                StringBuilder out = new StringBuilder("map[");
                sortByKey(map)
                        .forEach(
                                (key, item) ->
                                        out.append(out.length() > 4 ? " " : "")
                                                .append(key)
                                                .append(':')
                                                .append(format(item)));
                yield out.append(']').toString();
            }
            case MissingKeySentinel _ -> "<nil>";
            default -> value.toString();
        };
    }

    /** Shortest digits; an exponent for less than 0.0001 and from a million on, as Go does it. */
    private static String formatDouble(double number) {
        BigDecimal exact = new BigDecimal(Double.toString(number));
        String digits = exact.stripTrailingZeros().unscaledValue().abs().toString();
        int exponent = exact.signum() == 0 ? 0 : exact.precision() - exact.scale() - 1;
        if (exponent >= LAST_SMALL_EXPONENT && exponent < FIRST_LARGE_EXPONENT) {
            String plain = exact.stripTrailingZeros().toPlainString();
            return exact.signum() == 0 ? "0" : plain;
        }
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        String sign = number < 0 ? "-" : "";
        String written = (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
        return sign + digits.charAt(0) + fraction + "e" + (exponent < 0 ? "-" : "+") + written;
    }
}
