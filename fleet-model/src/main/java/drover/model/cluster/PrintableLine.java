package drover.model.cluster;

/**
 * Text of a cluster or a driver for an operator: one line, limited, and without characters that
 * control a terminal or change the order in which text is shown.
 */
public final class PrintableLine {
    /** In characters; longer text is cut off. */
    public static final int MAX_LENGTH = 512;

    private PrintableLine() {}

    /** Makes text of an untrusted source a line; each unprintable character becomes a space. */
    public static String of(String text) {
        String start = text.substring(0, Math.min(text.length(), 2 * MAX_LENGTH));
        StringBuilder line = new StringBuilder();
        start.codePoints()
                .map(each -> isPrintable(each) ? each : ' ')
                .forEach(line::appendCodePoint);
        String stripped = line.toString().strip();
        return stripped.length() <= MAX_LENGTH ? stripped : cut(stripped);
    }

    /** A cut inside a surrogate pair would leave half a character. */
    private static String cut(String text) {
        boolean pair = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1));
        return text.substring(0, pair ? MAX_LENGTH - 1 : MAX_LENGTH);
    }

    /** Whether the text is a line as {@link #of} makes it, apart from its length. */
    static boolean isPrintable(String text) {
        return text.codePoints().allMatch(PrintableLine::isPrintable);
    }

    /** Format characters include those for bidirectional text. */
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }
}
