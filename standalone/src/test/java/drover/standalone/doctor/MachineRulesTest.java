package drover.standalone.doctor;

import static drover.standalone.doctor.DoctorFinding.Level.FAIL;
import static drover.standalone.doctor.DoctorFinding.Level.OK;
import static drover.standalone.doctor.DoctorFinding.Level.WARN;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MachineRulesTest {
    private static final long MIB = 1L << 20;

    @Test
    void warnsIfProgramsShareTheTerminal() {
        assertThat(MachineRules.checkSessions(true).level()).isEqualTo(OK);
        assertThat(MachineRules.checkSessions(false).level()).isEqualTo(WARN);
        assertThat(MachineRules.checkSessions(false).sentence())
                .contains("Ctrl-C at 'drover up' also ends programs");
    }

    @Test
    void anOldJavaFails() {
        assertThat(MachineRules.checkJavaVersion(25).level()).isEqualTo(OK);
        assertThat(MachineRules.checkJavaVersion(24))
                .isEqualTo(
                        new DoctorFinding(
                                FAIL,
                                "java",
                                "Java 24 is too old: install a JDK 25 and set JAVA_HOME to it."));
    }

    @Test
    void littleMemoryWarnsAndTooLittleFails() {
        assertThat(MachineRules.checkMemory(1536 * MIB).level()).isEqualTo(OK);
        assertThat(MachineRules.checkMemory(1536 * MIB - 1).level()).isEqualTo(WARN);
        assertThat(MachineRules.checkMemory(512 * MIB).level()).isEqualTo(WARN);
        assertThat(MachineRules.checkMemory(512 * MIB - 1).level()).isEqualTo(FAIL);
    }

    @Test
    void littleSpaceWarnsAndTooLittleFails() {
        assertThat(MachineRules.checkDiskSpace(2048 * MIB).level()).isEqualTo(OK);
        assertThat(MachineRules.checkDiskSpace(2048 * MIB - 1).level()).isEqualTo(WARN);
        assertThat(MachineRules.checkDiskSpace(200 * MIB - 1).level()).isEqualTo(FAIL);
    }

    @Test
    void aDiskThatIsSlowToSyncWarns() {
        assertThat(MachineRules.checkSyncDuration(Duration.ofMillis(50)).level()).isEqualTo(OK);
        assertThat(MachineRules.checkSyncDuration(Duration.ofMillis(51)).level()).isEqualTo(WARN);
    }

    @Test
    void aClockThatIsSetWhileItIsWatchedWarnsInBothDirections() {
        assertThat(MachineRules.checkClockDrift(Duration.ofMillis(-100)).level()).isEqualTo(OK);
        assertThat(MachineRules.checkClockDrift(Duration.ofMillis(101)).level()).isEqualTo(WARN);
        assertThat(MachineRules.checkClockDrift(Duration.ofMillis(-101)).level()).isEqualTo(WARN);
    }

    @Test
    void clocksThatDisagreeWarn() {
        assertThat(MachineRules.checkDatabaseClock(Duration.ofSeconds(2)).level()).isEqualTo(OK);
        assertThat(MachineRules.checkDatabaseClock(Duration.ofMillis(-2_500)).sentence())
                .isEqualTo(
                        "The database's clock is 2.5 s behind this machine's: let NTP keep both.");
    }
}
