package drover.localenv.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PostgresStartFailureTest {
    private static final Path HOME = Path.of("/data/postgres");

    @Test
    void reportsAFullDisk() {
        assertThat(
                        PostgresStartFailure.explain(
                                        "FATAL: could not write: No space left on device", HOME)
                                .message())
                .contains("disk is full")
                .contains("/data/postgres");
    }

    @Test
    void namesTheLogWhenTheCauseIsNew() {
        assertThat(
                        PostgresStartFailure.explain("LOG: a\nFATAL:  something odd\nLOG: b", HOME)
                                .message())
                .contains("something odd")
                .contains("/data/postgres/postgres.log");
    }

    @Test
    void describesTheRemedyOfALockFile() {
        String output = "FATAL:  lock file \"postmaster.pid\" already exists";
        assertThat(PostgresStartFailure.isLocked(output)).isTrue();
        assertThat(PostgresStartFailure.explain(output, HOME).message())
                .contains("/data/postgres")
                .contains("delete the file cluster/postmaster.pid");
    }

    @Test
    void aFullDiskIsNoLock() {
        assertThat(PostgresStartFailure.isLocked("FATAL: No space left on device")).isFalse();
    }
}
