package drover.manifest.render.template;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Go's {@code printf} for the verbs {@code %s %d %v %q %x %t %%}, with the flags {@code - 0 +} and
 * a width. What Go would answer with {@code %!d(string=…)} is an error here, because nobody wants
 * that in a configuration file.
 */
final class Printf {
    private static final Pattern VERB = Pattern.compile("%([-+0]*)([1-9][0-9]{0,3})?(.?)");
    private static final int WIDEST = 1_000; // a width is for aligning, not for filling memory

    private final Position at;
    private final List<Object> arguments;
    private int next;

    private Printf(Position at, List<Object> arguments) {
        this.at = at;
        this.arguments = arguments;
    }

    static String format(Position at, String format, List<Object> arguments) {
        Printf printf = new Printf(at, arguments);
        StringBuilder out = new StringBuilder();
        Matcher verb = VERB.matcher(format);
        int from = 0;
        while (verb.find(from)) {
            out.append(format, from, verb.start()).append(printf.formatVerb(verb));
            from = verb.end();
        }
        out.append(format.substring(from));
        if (printf.next < arguments.size()) {
            throw TemplateError.evaluation(at, "printf has more values than its format has verbs.");
        }
        return out.toString();
    }

    private String formatVerb(Matcher verb) {
        String flags = verb.group(1);
        String letter = verb.group(3);
        if (letter.equals("%")) {
            return "%";
        }
        if ("sdvqxt".indexOf(letter) < 0 || letter.isEmpty()) {
            throw TemplateError.evaluation(
                    at, "printf knows %s %d %v %q %x %t %% only, not '" + verb.group() + "'.");
        }
        if (next >= arguments.size()) {
            throw TemplateError.evaluation(
                    at, "printf has fewer values than its format has verbs.");
        }
        Object value = arguments.get(next);
        next++;
        String text = formatValue(letter.charAt(0), value, flags.contains("+"));
        int width = verb.group(2) == null ? 0 : Integer.parseInt(verb.group(2));
        if (width > WIDEST) {
            throw TemplateError.evaluation(at, "printf widths end at " + WIDEST + ".");
        }
        return pad(text, width, flags, value);
    }

    private String formatValue(char verb, Object value, boolean plus) {
        if (value instanceof MissingKeySentinel) {
            throw TemplateError.evaluation(at, "printf cannot write a value that is not there.");
        }
        if (verb == 'v') {
            return TemplateValueOperations.format(
                    value); // the plus means something else here, for structures only
        }
        return switch (value) {
            case String text when verb == 's' -> text;
            case String text when verb == 'q' -> StringQuoter.quote(text);
            case String text when verb == 'x' ->
                    HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
            case Boolean truth when verb == 't' -> truth.toString();
            case Long number when verb == 'd' -> formatSigned(number, plus);
            case Long number when verb == 'x' -> formatHex(number, plus);
            default ->
                    throw TemplateError.evaluation(
                            at,
                            "printf cannot write "
                                    + TemplateValueOperations.kind(value)
                                    + " as %"
                                    + verb
                                    + ".");
        };
    }

    private static String formatSigned(long number, boolean plus) {
        return (plus && number >= 0 ? "+" : "") + number;
    }

    private static String formatHex(long number, boolean plus) {
        String sign = number < 0 ? "-" : plus ? "+" : "";
        // the magnitude of the smallest number is right as an unsigned one
        return sign + Long.toHexString(number < 0 ? -number : number);
    }

    private String pad(String text, int width, String flags, Object value) {
        int missing = width - text.codePointCount(0, text.length());
        if (missing <= 0) {
            return text;
        }
        if (flags.contains("-")) {
            return text + " ".repeat(missing);
        }
        if (!flags.contains("0")) {
            return " ".repeat(missing) + text;
        }
        if (!(value instanceof Long)) {
            throw TemplateError.evaluation(at, "printf fills up whole numbers only with zeros.");
        }
        int sign = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        return text.substring(0, sign) + "0".repeat(missing) + text.substring(sign);
    }
}
