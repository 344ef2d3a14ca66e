package drover.standalone.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StartFailureTest {
    private static final Path HOME = Path.of("/data/postgres");

    @Test
    void saysThatTheDiskIsFull() {
        assertThat(
                        StartFailure.explain(
                                        "FATAL: could not write: No space left on device", HOME)
                                .sentence())
                .contains("disk is full")
                .contains("/data/postgres");
    }

    @Test
    void namesTheLogWhenTheCauseIsNew() {
        assertThat(StartFailure.explain("LOG: a\nFATAL:  something odd\nLOG: b", HOME).sentence())
                .contains("something odd")
                .contains("/data/postgres/postgres.log");
    }
}
