package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Faults;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every part of the measurements once, over a real mesh of six processes, with two nodes: in the
 * clear, and proven.
 */
@Faults(
        rule = "N1 (benches report figures and assert none)",
        sample = "HelpTest.everyMeasurementExplainsItself")
class BenchIT {
    @ParameterizedTest
    @ValueSource(strings = {"", "--secured"})
    void measuresASmallFleetBesideItsLimits(String edges) {
        String[] words =
                ("fleet --agents 2 --warm-up 0 --rounds 2 " + edges).strip().split(" ", -1);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code =
                Main.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(words);
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString())
                .contains("most commits")
                .contains("PostgreSQL")
                .contains("bare streams")
                .contains("bare updates");
    }
}
