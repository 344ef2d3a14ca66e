package drover.system.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.system.docs.MetricsTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alerts that operations.md begins with. */
class AlertRulesTest {
    private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");

    @TempDir Path folder;

    @Test
    void nameOnlyMetricsThatAreListed() throws IOException {
        List<String> listed =
                MetricsTable.documented().stream().map(MetricsTable.Row::name).toList();
        List<String> named =
                Pattern.compile("drover_[a-z_]+")
                        .matcher(alerts())
                        .results()
                        .map(it -> it.group().replaceFirst("_bucket$", ""))
                        .toList();
        assertThat(named).hasSizeGreaterThan(5).isSubsetOf(listed);
    }

    @Test
    void areRulesThatPrometheusTakes() throws Exception {
        Optional<Path> checker = PrometheusServer.find("promtool");
        assumeTrue(checker.isPresent(), "promtool is not on the path; .ci/run brings it");
        Path rules = Files.writeString(folder.resolve("alerts.yml"), alerts());
        Process check =
                new ProcessBuilder(checker.get().toString(), "check", "rules", rules.toString())
                        .redirectErrorStream(true)
                        .start();
        String message = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(message).isZero();
        assertThat(message).contains("SUCCESS: 11 rules found");
    }

    private static String alerts() throws IOException {
        String text = Files.readString(OPERATIONS);
        int start = text.indexOf("groups:\n");
        return text.substring(start, text.indexOf("```", start));
    }
}
