package drover.manifest.render.template;

/** Puts text in double quotes with Go's escapes ({@code %q}). */
final class StringQuoter {
    private StringQuoter() {}

    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> appendEscaped(out, c));
        return out.append('"').toString();
    }

    private static void appendEscaped(StringBuilder out, int c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\t' -> out.append("\\t");
            case '\r' -> out.append("\\r");
            case 0x07 -> out.append("\\a");
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case 0x0b -> out.append("\\v");
            default -> {
                if (isPrintable(c)) {
                    out.appendCodePoint(c);
                } else if (c < 0x80) {
                    out.append(String.format("\\x%02x", c));
                } else {
                    out.append(String.format(c > 0xFFFF ? "\\U%08x" : "\\u%04x", c));
                }
            }
        }
    }

    /** Letters, marks, numbers, punctuation, symbols and the plain space, as Go defines it. */
    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
