package drover.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/operations.md names the kind of each refusal; its meanings are the contract's.
 */
final class RefusalKindsTableTest {
    private static final Path OPERATIONS = Path.of("../docs/operations.md");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z0-9_]+)` \\| `([A-Z_]+)` \\| .+");

    @Test
    void theTableNamesTheKindOfEveryRefusal() throws IOException {
        List<String> table =
                Files.readString(OPERATIONS)
                        .lines()
                        .dropWhile(line -> !line.contains("error reasons: begin"))
                        .map(ROW::matcher)
                        .filter(Matcher::matches)
                        .map(row -> row.group(1) + " " + row.group(2))
                        .toList();
        assertThat(table)
                .containsExactlyElementsOf(
                        Stream.of(RefusalCode.values())
                                .map(code -> code.name() + " " + code.kind())
                                .toList());
    }
}
