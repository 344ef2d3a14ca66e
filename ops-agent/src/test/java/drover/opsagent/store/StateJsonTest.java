package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.runtime.process.RunRecord;
import drover.trust.release.ReleaseWatermark;
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

    @Test
    @DisplayName("C15: a program of an earlier agent is no member of a cluster")
    void readsTheClusterProbeThatItWrote() {
        ClusterProbe probe =
                new ClusterProbe(
                        "etcd",
                        "https://127.0.0.1:2379",
                        Duration.ofSeconds(5),
                        Optional.of(new NodePath("/etc/etcd/ca.pem")),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(new NodePath("/etc/etcd/user")));
        ProgramSpec member =
                new ProgramSpec(
                        new BinaryName("app"),
                        "process",
                        launch(StopSettings.RUNTIME_DEFAULT),
                        List.of(),
                        List.of(),
                        Optional.of(probe));
        byte[] written = json.write(member);
        assertThat(json.read(written, ProgramSpec.class, "spec")).isEqualTo(member);

        String earlier =
                new String(written, StandardCharsets.UTF_8)
                        .replaceFirst("\"cluster\":", "\"unknown\":");
        assertThat(
                        json.read(
                                        earlier.getBytes(StandardCharsets.UTF_8),
                                        ProgramSpec.class,
                                        "spec")
                                .cluster())
                .isEmpty();
    }

    @Test
    @DisplayName("C15: a run of an earlier agent says wanted, and not where its output starts")
    void readsARunOfAnEarlierAgent() {
        String earlier =
                """
                {"wanted": true, "marker": "m1", "first": {"number": 7, "startTicks": 9},
                 "bootId": "b1", "digest": "sha256:%s", "configDigest": "sha256:%s",
                 "launch": {"path": "/app", "service": "", "arguments": [], "environment": {},
                 "user": "", "identity": "EXE"}, "startsSince": 2}
                """
                        .formatted("a".repeat(64), "b".repeat(64));

        RunRecord run =
                json.read(earlier.getBytes(StandardCharsets.UTF_8), RunRecord.class, "run.json");

        assertThat(run.desired()).isTrue();
        assertThat(run.startsSince()).isEqualTo(2);
        assertThat(run.logStart()).isZero();
        assertThat(run.earlierLogStart()).isZero();
        assertThat(json.read(json.write(run), RunRecord.class, "run.json")).isEqualTo(run);
    }

    @Test
    @DisplayName("E6: the release numbers that an earlier agent stored do not go down")
    void readsTheWatermarkOfAnEarlierAgent() {
        byte[] earlier =
                "{\"counter\": 12, \"version\": \"1.4.0\", \"floor\": 8}"
                        .getBytes(StandardCharsets.UTF_8);

        ReleaseWatermark watermark = json.read(earlier, ReleaseWatermark.class, "trust");

        assertThat(watermark).isEqualTo(new ReleaseWatermark(12, "1.4.0", 8));
        assertThat(json.read(json.write(watermark), ReleaseWatermark.class, "trust"))
                .isEqualTo(watermark);
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
