package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import java.util.regex.Pattern;

/** Reads whole numbers: decimal digits without a leading zero, so that nobody guesses a base. */
final class WholeNumberReader {
    private static final Pattern GRAMMAR = Pattern.compile("0|[1-9][0-9]{0,17}");

    private WholeNumberReader() {}

    /** The fallback when it is not given or, with the problem noted, when it is wrong. */
    static long read(
            FieldReader reader,
            String key,
            long fallback,
            long least,
            long most,
            ProblemCollector problems) {
        String text = reader.textOrFallback(key, "");
        if (text.isEmpty()) {
            return fallback;
        }
        if (GRAMMAR.matcher(text).matches()) {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        problems.add(
                reader.locationOf(key),
                ProblemCode.NOT_A_NUMBER,
                "'"
                        + FieldReader.shorten(text)
                        + "' is not allowed: write a whole number from "
                        + least
                        + " to "
                        + most
                        + ".");
        return fallback;
    }
}
