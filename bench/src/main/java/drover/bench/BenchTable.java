package drover.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A short table for people, its numbers to the right. */
final class BenchTable {
    private final List<List<String>> rows = new ArrayList<>();

    BenchTable(String... heads) {
        rows.add(List.of(heads));
    }

    BenchTable addRow(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public String toString() {
        int columns = rows.getFirst().size();
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            for (int column = 0; column < columns; column++) {
                String cell = row.get(column);
                String gap = " ".repeat(width(column) - cell.length());
                text.append(column == 0 ? cell + gap : "  " + gap + cell);
            }
            text.append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
    }

    /** A share of a duration, in milliseconds. */
    static String millisPerPart(Duration time, long parts) {
        return String.format(Locale.ROOT, "%.3f ms", time.toNanos() / 1e6 / parts);
    }

    static String ratio(Duration figure, Duration limit) {
        return String.format(Locale.ROOT, "%.1f", (double) figure.toNanos() / limit.toNanos());
    }
}
