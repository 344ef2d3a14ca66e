package drover.system.build;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Violations of the rule that no test of the default run fails because the machine is busy: upper
 * limits of measured durations, loops until a time of the clock, waits of less than a minute, and
 * pauses by {@code Thread.sleep}.
 */
final class WallClockRules {
    private static final double SHORTEST_WAIT = 60; // seconds
    private static final double SHORTEST_TEST = 300; // seconds, of all that a test does

    private static final Pattern STATEMENT = Pattern.compile("[^;{}]+");
    private static final Pattern UPPER_LIMIT =
            Pattern.compile(
                    "\\.is(LessThan|LessThanOrEqualTo|Between|StrictlyBetween|CloseTo|Before"
                            + "|BeforeOrEqualTo)\\(");
    private static final Pattern TIMEOUT = Pattern.compile("\\bassertTimeout\\w*\\(");
    private static final Pattern CLOCK =
            Pattern.compile("\\b(Duration\\.|nanoTime|currentTimeMillis|Instant\\.now|Clock\\.)");
    private static final Pattern DURATION = Pattern.compile("\\bDuration (\\w+)\\b");

    /** Part of a duration or of an instant, as a number. */
    private static final Pattern AMOUNT =
            Pattern.compile(
                    "\\.(get|to)(Seconds|Millis|Micros|Nanos?|Minutes|EpochSecond|EpochMilli)"
                            + "\\(\\)");

    private static final Pattern LOOP =
            Pattern.compile(
                    "\\bwhile \\(.*\\b(Instant\\.now|clock\\.instant|nanoTime|currentTimeMillis)"
                            + "\\(",
                    Pattern.DOTALL);
    private static final Pattern CONSTANT =
            Pattern.compile(
                    "(?:final )(?:Duration|int|long) (\\w+)\\s*="
                            + "\\s*(Duration\\.of\\w+\\([\\d_L]+\\)|[\\d_L]+);");
    private static final Pattern LENGTH = Pattern.compile("Duration\\.of(\\w+)\\(([\\d_L]+)\\)");
    private static final Pattern WAIT =
            Pattern.compile(
                    "(\\.(?:atMost|succeedsWithin|failsWithin|orTimeout|withDeadlineAfter|waitFor"
                            + "|await|poll|get|join|tryAcquire|timeout|setSoTimeout)"
                            + "|@Timeout)\\(");
    private static final Pattern UNIT =
            Pattern.compile(
                    "([\\w_]+)(\\.to\\w+\\(\\))?,\\s*(?:unit = )?(?:TimeUnit\\.)?"
                            + "(MILLISECONDS|SECONDS|MINUTES|HOURS)");
    private static final Pattern PAUSE = Pattern.compile("var _ =|while \\(!");
    private static final Pattern AWAITILITY = Pattern.compile("(?<![.\\w])await\\(");

    private static final Map<String, Double> SECONDS =
            Map.of(
                    "Millis",
                    0.001,
                    "MILLISECONDS",
                    0.001,
                    "Seconds",
                    1.0,
                    "SECONDS",
                    1.0,
                    "Minutes",
                    60.0,
                    "MINUTES",
                    60.0,
                    "Hours",
                    3_600.0,
                    "HOURS",
                    3_600.0);

    private final String code;
    private final Map<String, String> constants = new HashMap<>();
    private final List<String> durations = new ArrayList<>();
    private final List<String> found = new ArrayList<>();

    private WallClockRules(String source) {
        code = JavaSources.TEXT.matcher(source).replaceAll(WallClockRules::blank);
        CONSTANT.matcher(code).results().forEach(it -> constants.put(it.group(1), it.group(2)));
        DURATION.matcher(code).results().map(it -> it.group(1)).forEach(durations::add);
    }

    /** Each violation, with the number of its line. */
    static List<String> violations(String source) {
        WallClockRules rules = new WallClockRules(source);
        Matcher statement = STATEMENT.matcher(rules.code);
        while (statement.find()) {
            rules.check(statement.group(), statement.start());
        }
        return rules.found;
    }

    /** Keeps the lines, so that their numbers stay right. */
    private static String blank(MatchResult text) {
        String lines = text.group().replaceAll("[^\n]", "");
        return switch (text.group().charAt(0)) {
            case '"' -> "\"\"" + lines;
            case '\'' -> "' '";
            default -> lines;
        };
    }

    private void check(String statement, int start) {
        Matcher limit = UPPER_LIMIT.matcher(statement);
        if (statement.contains("assert")
                && limit.find()
                && (measuresTime(statement)
                        || AMOUNT.matcher(statement.substring(0, limit.start())).find())) {
            report("upper limit of a duration", start + limit.start());
        }
        Matcher loop = LOOP.matcher(statement);
        if (loop.find()) {
            report("loop until a time", start + loop.start());
        }
        Matcher timeout = TIMEOUT.matcher(statement);
        if (timeout.find()) {
            report("upper limit of a duration", start + timeout.start());
        }
        if (statement.contains("Thread.sleep(")) {
            report("sleep", start + statement.indexOf("Thread.sleep("));
        }
        Matcher awaitility = AWAITILITY.matcher(statement);
        if (awaitility.find() && !statement.contains("atMost(") && isAwaitility(statement)) {
            report("wait of 10 s, the default", start + awaitility.start());
        }
        Matcher wait = WAIT.matcher(statement);
        while (wait.find()) {
            boolean test = wait.group().startsWith("@");
            String unit = test ? "SECONDS" : wait.group().endsWith("SoTimeout(") ? "Millis" : "";
            double seconds = seconds(argument(statement, wait.end()), unit);
            boolean pause = PAUSE.matcher(statement).find();
            if (!pause && seconds < (test ? SHORTEST_TEST : SHORTEST_WAIT)) {
                report("wait of " + seconds + " s", start + wait.start());
            }
        }
    }

    private boolean measuresTime(String statement) {
        return CLOCK.matcher(statement).find()
                || durations.stream().anyMatch(it -> statement.matches("(?s).*\\b" + it + "\\b.*"));
    }

    /** A test may have a method of the same name. */
    private static boolean isAwaitility(String statement) {
        return statement.contains(".until");
    }

    private void report(String what, int place) {
        int line = 1 + (int) code.substring(0, place).chars().filter(it -> it == '\n').count();
        found.add(line + ": " + what);
    }

    private static String argument(String statement, int from) {
        int depth = 1;
        int end = from;
        while (end < statement.length() && depth > 0) {
            char c = statement.charAt(end++);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        return statement.substring(from, Math.max(from, end - 1)).strip();
    }

    /**
     * Length of a wait. What cannot be read here counts as long: it is a constant of another class.
     *
     * @param bareUnit unit of a number without one; empty for waits that always name it
     */
    private double seconds(String argument, String bareUnit) {
        Matcher unit = UNIT.matcher(argument);
        if (unit.find()) {
            String amount = constants.getOrDefault(unit.group(1), unit.group(1));
            return unit.group(2) == null ? number(amount, unit.group(3)) : length(amount);
        }
        if (!bareUnit.isEmpty()) {
            String amount = argument.replaceAll("value = |,.*", "");
            return number(constants.getOrDefault(amount, amount), bareUnit);
        }
        return length(constants.getOrDefault(argument, argument));
    }

    private static double length(String text) {
        Matcher length = LENGTH.matcher(text);
        return length.matches() ? number(length.group(2), length.group(1)) : Double.MAX_VALUE;
    }

    private static double number(String digits, String unit) {
        Double seconds = SECONDS.get(unit);
        return seconds != null && digits.matches("[\\d_]+L?")
                ? Double.parseDouble(digits.replaceAll("[_L]", "")) * seconds
                : Double.MAX_VALUE;
    }
}
