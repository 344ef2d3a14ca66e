package drover.machine.database;

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

    @Test
    void saysWhatToDoAboutALockFile() {
        String output = "FATAL:  lock file \"postmaster.pid\" already exists";
        assertThat(StartFailure.isLocked(output)).isTrue();
        assertThat(StartFailure.explain(output, HOME).sentence())
                .contains("/data/postgres")
                .contains("delete the file cluster/postmaster.pid");
    }

    @Test
    void aFullDiskIsNoLock() {
        assertThat(StartFailure.isLocked("FATAL: No space left on device")).isFalse();
    }
}
