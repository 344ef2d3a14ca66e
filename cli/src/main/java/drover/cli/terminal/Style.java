package drover.cli.terminal;

import java.util.Set;

/** Colours, where they are wanted. Colour never carries what the words do not say. */
public record Style(boolean color) {
    private static final Set<String> GOOD =
            Set.of("completed", "succeeded", "online", "promoted", "running", "DONE", "good", "ok");
    private static final Set<String> BAD =
            Set.of(
                    "failed",
                    "failed_rollback",
                    "unhealthy",
                    "unreachable",
                    "FAILED",
                    "broken",
                    "critical",
                    "crash_loop",
                    "down",
                    "fail",
                    "locked");
    private static final Set<String> MIND =
            Set.of(
                    "degraded",
                    "warn",
                    "paused",
                    "awaiting_approval",
                    "cancelling",
                    "cancelled",
                    "rolling_back",
                    "rolled_back",
                    "restoring",
                    "restored",
                    "skipped",
                    "held",
                    "revoked",
                    "offline");

    private static final String RESET = "\u001b[0m";

    /** A text in bold. */
    public String bold(String text) {
        return wrapInColor("1", text);
    }

    /** A text that matters less. */
    public String dim(String text) {
        return wrapInColor("2", text);
    }

    /** A text in the colour of a word such as {@code failed}; most words have none. */
    public String colorizeByWord(String word, String text) {
        if (GOOD.contains(word)) {
            return wrapInColor("32", text);
        }
        if (BAD.contains(word)) {
            return wrapInColor("31", text);
        }
        return MIND.contains(word) ? wrapInColor("33", text) : text;
    }

    /** At most so many visible columns of a line. */
    public static String truncate(String line, int width) {
        StringBuilder kept = new StringBuilder();
        int visible = 0;
        for (int i = 0; i < line.length(); i++) {
            char letter = line.charAt(i);
            if (letter == '\u001b') {
                int end = line.indexOf('m', i);
                kept.append(line, i, end + 1);
                i = end;
            } else if (visible < width) {
                kept.append(visible == width - 1 && hasVisibleText(line, i + 1) ? '…' : letter);
                visible++;
            }
        }
        return kept.toString();
    }

    private static boolean hasVisibleText(String line, int from) {
        return !line.substring(from).replaceAll("\u001b\\[[0-9]*m", "").isEmpty();
    }

    /** Text from elsewhere on one line, without anything a terminal would obey. */
    public static String sanitize(String text) {
        return text.replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+", " ")
                .strip();
    }

    private String wrapInColor(String code, String text) {
        return color ? "\u001b[" + code + "m" + text + RESET : text;
    }
}
