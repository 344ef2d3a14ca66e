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
    void anOldJavaFails() {
        assertThat(MachineRules.java(25).level()).isEqualTo(OK);
        assertThat(MachineRules.java(24))
                .isEqualTo(
                        new DoctorFinding(
                                FAIL,
                                "java",
                                "Java 24 is too old: install a JDK 25 and set JAVA_HOME to it."));
    }

    @Test
    void littleMemoryWarnsAndTooLittleFails() {
        assertThat(MachineRules.memory(1536 * MIB).level()).isEqualTo(OK);
        assertThat(MachineRules.memory(1536 * MIB - 1).level()).isEqualTo(WARN);
        assertThat(MachineRules.memory(512 * MIB).level()).isEqualTo(WARN);
        assertThat(MachineRules.memory(512 * MIB - 1).level()).isEqualTo(FAIL);
    }

    @Test
    void littleSpaceWarnsAndTooLittleFails() {
        assertThat(MachineRules.disk(2048 * MIB).level()).isEqualTo(OK);
        assertThat(MachineRules.disk(2048 * MIB - 1).level()).isEqualTo(WARN);
        assertThat(MachineRules.disk(200 * MIB - 1).level()).isEqualTo(FAIL);
    }

    @Test
    void aDiskThatIsSlowToSyncWarns() {
        assertThat(MachineRules.sync(Duration.ofMillis(50)).level()).isEqualTo(OK);
        assertThat(MachineRules.sync(Duration.ofMillis(51)).level()).isEqualTo(WARN);
    }

    @Test
    void aClockThatIsSetWhileItIsWatchedWarnsInBothDirections() {
        assertThat(MachineRules.clock(Duration.ofMillis(-100)).level()).isEqualTo(OK);
        assertThat(MachineRules.clock(Duration.ofMillis(101)).level()).isEqualTo(WARN);
        assertThat(MachineRules.clock(Duration.ofMillis(-101)).level()).isEqualTo(WARN);
    }

    @Test
    void clocksThatDisagreeWarn() {
        assertThat(MachineRules.databaseClock(Duration.ofSeconds(2)).level()).isEqualTo(OK);
        assertThat(MachineRules.databaseClock(Duration.ofMillis(-2_500)).sentence())
                .isEqualTo(
                        "The database's clock is 2.5 s behind this machine's: let NTP keep both.");
    }
}
