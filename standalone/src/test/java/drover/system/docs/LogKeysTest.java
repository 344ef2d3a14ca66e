package drover.system.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Keeps the table of log keys in operations.md equal to what the programs write. */
class LogKeysTest {
    private static final int STATEMENTS = 200; // there are more: fewer means that they are not seen

    @Test
    void everyKeyOfALogLineIsInTheTable() throws IOException {
        Set<String> documented = Set.copyOf(LogKeys.documented());
        List<LogKeys.Line> strangers =
                LogKeys.written().stream()
                        .filter(line -> !documented.containsAll(line.keys()))
                        .toList();
        assertThat(strangers).as("lines with a key that is not documented").isEmpty();
    }

    @Test
    void tableListsEachWrittenKeyOnce() throws IOException {
        Set<String> written = new TreeSet<>();
        LogKeys.written().forEach(line -> written.addAll(line.keys()));
        assertThat(LogKeys.documented()).doesNotHaveDuplicates().isSubsetOf(written);
    }

    @Test
    void seesTheLinesOfAllPrograms() throws IOException {
        assertThat(LogKeys.written()).hasSizeGreaterThan(STATEMENTS);
        assertThat(LogKeys.sourcesWithAnotherLogger()).isEmpty();
    }
}
