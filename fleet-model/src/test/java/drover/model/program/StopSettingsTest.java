package drover.model.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StopSettingsTest {
    @ParameterizedTest
    @CsvSource({"TERM, TERM", "SIGTERM, TERM", "INT, INT", "SIGUSR1, USR1", "QUIT, QUIT"})
    void readsSignalsWithAndWithoutSig(String name, StopSignal expected) {
        assertThat(StopSignal.parse(name)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "SIGKILL", "STOP", "term", "SIG", "", "9"})
    void refusesOtherSignals(String name) {
        assertThatThrownBy(() -> StopSignal.parse(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "'"
                                + name
                                + "' is not a signal for a stop: use one of TERM, INT, QUIT, HUP,"
                                + " USR1, USR2");
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "20, 0", "21, 1", "1800, 1780", "3600, 3580"})
    void whatGoesBeyondTwentySecondsIsExtra(long timeout, long extra) {
        assertThat(settings(Duration.ofSeconds(timeout)).timeBeyondDefault())
                .isEqualTo(Duration.ofSeconds(extra));
    }

    @Test
    void hasADefaultOfTwentySecondsAfterSigterm() {
        assertThat(StopSettings.RUNTIME_DEFAULT.timeoutOrDefault())
                .isEqualTo(Duration.ofSeconds(20));
        assertThat(StopSettings.RUNTIME_DEFAULT.signalOrDefault().longName()).isEqualTo("SIGTERM");
        assertThat(StopSettings.RUNTIME_DEFAULT.timeBeyondDefault()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 999, 3_600_001})
    void refusesTimeoutsOutOfRange(long millis) {
        assertThatThrownBy(() -> settings(Duration.ofMillis(millis)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static StopSettings settings(Duration timeout) {
        return new StopSettings(Optional.empty(), Optional.of(timeout));
    }
}
