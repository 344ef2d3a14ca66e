package drover.opsagent.selfupgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentVersionNumberTest {
    @Test
    @DisplayName("Build metadata is no part of the place on the disk")
    void namesTheDirectory() {
        assertThat(AgentVersionNumber.of("1.10.0+build.7").directoryName()).isEqualTo("v1.10.0");
        assertThat(AgentVersionNumber.of("v1.10.0"))
                .isEqualTo(AgentVersionNumber.of("1.10.0+other"));
        assertThat(AgentVersionNumber.of("1.10.0")).isGreaterThan(AgentVersionNumber.of("1.9.9"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1.2",
                "1.2.3.4",
                "01.2.3",
                "1.2.3-rc1",
                "1.2.3+",
                "../1.2.3",
                "1.2.3/..",
                "unknown",
                "1.2.9999999",
                "vv1.2.3",
                "1.2.3 "
            })
    @DisplayName("H15: nothing else becomes part of a path or of a unit's name")
    void refusesAnythingElse(String text) {
        assertThat(AgentVersionNumber.isValid(text)).isFalse();
        assertThatThrownBy(() -> AgentVersionNumber.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MAJOR.MINOR.PATCH");
    }
}
