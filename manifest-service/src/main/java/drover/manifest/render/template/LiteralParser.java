package drover.manifest.render.template;

import java.util.regex.Pattern;

/** Reads string and number literals as Go does. */
final class LiteralParser {
    private static final Pattern INTEGER =
            Pattern.compile("[+-]?(?:0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)");
    private static final Pattern FRACTION =
            Pattern.compile(
                    "[+-]?(?:(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
                            + "|[0-9]+[eE][+-]?[0-9]+)");

    private LiteralParser() {}

    /** A {@link Long} or a {@link Double}; {@code 010} is eight, as in Go. */
    static Object parseNumber(String text, Position at) {
        try {
            if (INTEGER.matcher(text).matches()) {
                return parseInteger(text);
            }
            if (FRACTION.matcher(text).matches()) {
                return parseFraction(text, at);
            }
        } catch (NumberFormatException _) {
            throw TemplateError.syntax(at, "The number '" + text + "' is too large.");
        }
        throw TemplateError.syntax(at, "'" + text + "' is no number of the subset.");
    }

    private static Long parseInteger(String text) {
        String sign = text.startsWith("-") ? "-" : "";
        String digits = text.substring(text.startsWith("+") || text.startsWith("-") ? 1 : 0);
        if (digits.length() == 1 || digits.charAt(0) != '0') {
            return Long.valueOf(sign + digits);
        }
        return switch (digits.charAt(1)) {
            case 'x', 'X' -> Long.valueOf(sign + digits.substring(2), 16);
            case 'b', 'B' -> Long.valueOf(sign + digits.substring(2), 2);
            case 'o', 'O' -> Long.valueOf(sign + digits.substring(2), 8);
            default -> Long.valueOf(sign + digits.substring(1), 8);
        };
    }

    private static Double parseFraction(String text, Position at) {
        double value = Double.parseDouble(text);
        if (Double.isInfinite(value)) {
            throw TemplateError.syntax(at, "The number '" + text + "' is too large.");
        }
        return value;
    }

    /** What stands between double quotes, with its escapes resolved. */
    static String unquote(String raw, Position at) {
        StringBuilder out = new StringBuilder(raw.length());
        int next = 0;
        while (next < raw.length()) {
            char c = raw.charAt(next);
            next++;
            if (c != '\\') {
                out.append(c);
                continue;
            }
            char escape = next < raw.length() ? raw.charAt(next) : '\0';
            next++;
            int digits = escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
            if (digits > 0) {
                out.appendCodePoint(parseCodePoint(raw, next, digits, at));
                next += digits;
            } else {
                out.append(unescape(escape, at));
            }
        }
        return out.toString();
    }

    private static int parseCodePoint(String raw, int from, int digits, Position at) {
        try {
            int value = Integer.parseUnsignedInt(raw.substring(from, from + digits), 16);
            if (Character.isValidCodePoint(value) && (value < 0xD800 || value > 0xDFFF)) {
                return value;
            }
        } catch (NumberFormatException | IndexOutOfBoundsException _) {
            // told below, as for a number that is no character
        }
        throw TemplateError.syntax(at, "A '\\u' in this string does not name a character.");
    }

    private static char unescape(char escape, Position at) {
        return switch (escape) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'a' -> '\u0007';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'v' -> '\u000b';
            case '\\', '"' -> escape;
            default ->
                    throw TemplateError.syntax(
                            at,
                            "'\\"
                                    + escape
                                    + "' is no escape of the subset: use \\n \\t \\r \\\\ \\\""
                                    + " or \\uXXXX.");
        };
    }
}
