package drover.localenv.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PostgresStartDiagnosisTest {
    private static final Path HOME = Path.of("/data/postgres");

    @Test
    void reportsAFullDisk() {
        assertThat(
                        PostgresStartDiagnosis.explain(
                                        "FATAL: could not write: No space left on device", HOME)
                                .message())
                .contains("disk is full")
                .contains("/data/postgres");
    }

    @Test
    void namesTheLogWhenTheCauseIsNew() {
        assertThat(
                        PostgresStartDiagnosis.explain(
                                        "LOG: a\nFATAL:  something odd\nLOG: b", HOME)
                                .message())
                .contains("something odd")
                .contains("/data/postgres/postgres.log");
    }

    @Test
    void describesTheRemedyOfALockFile() {
        String output = "FATAL:  lock file \"postmaster.pid\" already exists";
        assertThat(PostgresStartDiagnosis.isLockConflict(output)).isTrue();
        assertThat(PostgresStartDiagnosis.explain(output, HOME).message())
                .contains("/data/postgres")
                .contains("delete the file cluster/postmaster.pid");
    }

    @Test
    void aFullDiskIsNoLock() {
        assertThat(PostgresStartDiagnosis.isLockConflict("FATAL: No space left on device"))
                .isFalse();
    }
}
