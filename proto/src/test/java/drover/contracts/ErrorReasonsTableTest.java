package drover.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of docs/operations.md says what the contract says. */
final class ErrorReasonsTableTest {
    private static final Path OPERATIONS = Path.of("../docs/operations.md");
    private static final String PREFIX = "drover.error.v1.ErrorReason.ERROR_REASON_";
    private static final Pattern ROW =
            Pattern.compile("\\| `([A-Z0-9_]+)` \\| `[A-Z_]+` \\| (.+) \\|");

    /** A reason and what it means. */
    private record Row(String reason, String meaning) {}

    @Test
    void theTableOfErrorReasonsIsTheContracts() throws IOException {
        assertThat(tableOf(Files.readString(OPERATIONS))).isEqualTo(contract());
    }

    private static List<Row> contract() throws IOException {
        return Contracts.present().stream()
                .map(Element::of)
                .flatMap(List::stream)
                .filter(element -> element.kind() == Element.Kind.ENUM_VALUE)
                .filter(element -> element.name().startsWith(PREFIX))
                .map(element -> row(element.name().substring(PREFIX.length()), element.comment()))
                .filter(row -> !row.reason().equals("UNSPECIFIED"))
                .toList();
    }

    private static Row row(String reason, String comment) {
        return new Row(reason, comment.replaceAll("\\s+", " "));
    }

    private static List<Row> tableOf(String text) {
        int start = text.indexOf("<!-- error reasons: begin -->");
        int end = text.indexOf("<!-- error reasons: end -->");
        assertThat(start).as("the mark where the table begins").isPositive();
        return text.substring(start, end)
                .lines()
                .map(ROW::matcher)
                .filter(java.util.regex.Matcher::matches)
                .map(row -> new Row(row.group(1), row.group(2)))
                .toList();
    }
}
