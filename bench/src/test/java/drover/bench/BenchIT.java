package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Every part of the measurements once, over a real mesh of six processes, with two nodes. */
class BenchIT {
    @Test
    void measuresASmallFleetBesideItsLimits() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code =
                Main.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute("fleet", "--agents", "2", "--warm-up", "0", "--rounds", "2");
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString())
                .contains("most commits")
                .contains("PostgreSQL")
                .contains("bare streams")
                .contains("bare updates");
    }
}
