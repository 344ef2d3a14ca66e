package drover.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Aligned columns under a header; the last column is cut where the terminal ends. */
public final class ConsoleTable {
    private static final String GAP = "  ";

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    public ConsoleTable(String... header) {
        this.header = List.of(header);
    }

    /** Adds a row; empty cells show a hyphen, so that columns can be told apart by any tool. */
    public ConsoleTable addRow(Object... cells) {
        rows.add(
                Stream.of(cells)
                        .map(cell -> Style.sanitize(cell.toString()))
                        .map(text -> text.isEmpty() ? "-" : text)
                        .toList());
        return this;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public List<String> lines(Style style, int width) {
        int[] widths = new int[header.size()];
        Stream.concat(Stream.of(header), rows.stream())
                .forEach(
                        row -> {
                            for (int i = 0; i < widths.length; i++) {
                                widths[i] = Math.max(widths[i], row.get(i).length());
                            }
                        });
        List<String> lines = new ArrayList<>();
        lines.add(Style.truncate(style.dim(line(header, widths, new Style(false))), width));
        rows.forEach(row -> lines.add(Style.truncate(line(row, widths, style), width)));
        return lines;
    }

    private static String line(List<String> cells, int[] widths, Style style) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            boolean last = i == widths.length - 1;
            String cell = cells.get(i);
            line.append(style.colorizeByWord(cell, cell))
                    .append(last ? "" : " ".repeat(widths[i] - cell.length()) + GAP);
        }
        return line.toString();
    }
}
