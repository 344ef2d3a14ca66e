package drover.system.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of metrics in the documentation. */
public final class MetricsTable {
    private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `(drover_[a-z_]+)` \\| (\\w+) \\| ([^|]*) \\| ([^|]*) \\|");

    private MetricsTable() {}

    /**
     * One row.
     *
     * @param kind counter, gauge or histogram
     */
    public record Row(String name, String kind, List<String> labels, String help) {}

    public static List<Row> documented() throws IOException {
        return Files.readAllLines(OPERATIONS).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(it -> new Row(it.group(1), it.group(2), labels(it.group(3)), it.group(4)))
                .toList();
    }

    private static List<String> labels(String cell) {
        return cell.isBlank() ? List.of() : List.of(cell.strip().replace("`", "").split(", "));
    }
}
