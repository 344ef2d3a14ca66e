package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodePath;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records of agents, over versions. */
class StateJsonTest {
    private final StateJson json = new StateJson();

    @Test
    @DisplayName("C15: a launch specification of an earlier agent has no stop settings")
    void readsALaunchSpecificationWithoutStopSettings() {
        String earlier =
                """
                {"path": "/app", "service": "", "arguments": ["{path}"], "environment": {},
                 "user": "", "identity": "EXE"}
                """;

        assertThat(read(earlier.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(launch(StopSettings.RUNTIME_DEFAULT));
    }

    static Stream<StopSettings> settings() {
        Optional<StopSignal> signal = Optional.of(StopSignal.USR2);
        Optional<Duration> timeout = Optional.of(Duration.ofMillis(90_500));
        return Stream.of(
                StopSettings.RUNTIME_DEFAULT,
                new StopSettings(signal, Optional.empty()),
                new StopSettings(Optional.empty(), timeout),
                new StopSettings(signal, timeout));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void readsTheStopSettingsThatItWrote(StopSettings stop) {
        assertThat(read(json.write(launch(stop)))).isEqualTo(launch(stop));
    }

    private LaunchSpec read(byte[] bytes) {
        return json.read(bytes, LaunchSpec.class, "launch");
    }

    private static LaunchSpec launch(StopSettings stop) {
        return new LaunchSpec(
                new NodePath("/app"),
                "",
                List.of("{path}"),
                Map.of(),
                "",
                ProgramDigestSource.EXE,
                stop);
    }
}
