package drover.kit.text;

import java.util.List;
import java.util.stream.Collectors;

/** Rows of words under each other. */
public final class TextTable {
    private static final String GAP = "  ";

    private TextTable() {}

    /** The rows as text; every one has as many words as the first. */
    public static String of(List<String[]> rows) {
        int[] widths = new int[rows.getFirst().length];
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n"));
    }

    private static String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row[i]).repeat(" ", widths[i] - row[i].length()).append(GAP);
        }
        return line.toString().stripTrailing();
    }
}
