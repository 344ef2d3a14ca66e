package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class HelpTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fleet",
                "idle",
                "latency",
                "stream",
                "secured",
                "handshakes",
                "sql",
                "agent"
            })
    void everyMeasurementExplainsItself(String name) {
        assertThat(help(name, "--help")).contains("Usage: drover bench " + name, "default: ");
    }

    @Test
    void theWholeExplainsItself() {
        assertThat(help("--help")).contains("fleet", "idle", "latency", "stream", "secured", "sql");
    }

    @Test
    void everyOptionIsDescribedWithItsDefault() {
        Set<String> undescribed = new TreeSet<>();
        for (CommandLine command : Main.commandLine().getSubcommands().values()) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                String text = String.join(" ", option.description());
                String value = option.defaultValue();
                if (text.isEmpty() || (value != null && !text.contains("default: " + value))) {
                    undescribed.add(command.getCommandName() + " " + option.longestName());
                }
            }
        }
        assertThat(undescribed).isEmpty();
    }

    private static String help(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code =
                Main.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(arguments);
        assertThat(code).as(err.toString()).isZero();
        return out.toString();
    }
}
