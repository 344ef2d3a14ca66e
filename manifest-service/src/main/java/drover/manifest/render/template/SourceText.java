package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The characters of a template, and which line and column each offset is on. */
final class SourceText {
    private final String text;
    private final List<Integer> lineStarts = new ArrayList<>();

    SourceText(String text) {
        this.text = text;
        lineStarts.add(0);
        for (int i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
            lineStarts.add(i + 1);
        }
    }

    Position position(int offset) {
        int found = Collections.binarySearch(lineStarts, offset);
        int line = found >= 0 ? found : -found - 2;
        return new Position(line + 1, offset - lineStarts.get(line) + 1);
    }

    int length() {
        return text.length();
    }

    /** The character there; NUL behind the end, which no template may contain in an action. */
    char charAt(int offset) {
        return offset < text.length() ? text.charAt(offset) : '\0';
    }

    boolean startsWith(String prefix, int offset) {
        return text.startsWith(prefix, offset);
    }

    int indexOf(String wanted, int from) {
        return text.indexOf(wanted, from);
    }

    String slice(int from, int to) {
        return text.substring(from, to);
    }

    static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    static boolean isWordCharacter(char c) {
        return c == '_' || Character.isLetterOrDigit(c);
    }

    static String withoutLeadingSpace(String text) {
        int i = 0;
        while (i < text.length() && isSpace(text.charAt(i))) {
            i++;
        }
        return text.substring(i);
    }

    static String withoutTrailingSpace(String text) {
        int i = text.length();
        while (i > 0 && isSpace(text.charAt(i - 1))) {
            i--;
        }
        return text.substring(0, i);
    }
}
