package drover.model.program;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.NodePath;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class ConfigDigestTest {
    private static final NodePath PROGRAM = new NodePath("/bin/p");
    private static final Digest LAUNCH = Digest.of("launch");

    @Test
    void theOrderOfFilesDoesNotMatter() {
        Map<NodePath, Digest> one = new LinkedHashMap<>();
        one.put(new NodePath("/a"), Digest.of("1"));
        one.put(new NodePath("/b"), Digest.of("2"));
        Map<NodePath, Digest> other = new LinkedHashMap<>();
        other.put(new NodePath("/b"), Digest.of("2"));
        other.put(new NodePath("/a"), Digest.of("1"));
        assertThat(ConfigDigest.of(one, LAUNCH)).isEqualTo(ConfigDigest.of(other, LAUNCH));
    }

    @Test
    void everyPartOfItMatters() {
        Digest some = ConfigDigest.of(Map.of(new NodePath("/a"), Digest.of("1")), LAUNCH);
        assertThat(
                        List.of(
                                ConfigDigest.of(Map.of(), LAUNCH),
                                ConfigDigest.of(Map.of(new NodePath("/b"), Digest.of("1")), LAUNCH),
                                ConfigDigest.of(Map.of(new NodePath("/a"), Digest.of("2")), LAUNCH),
                                ConfigDigest.of(
                                        Map.of(new NodePath("/a"), Digest.of("1")),
                                        Digest.of("other launch"))))
                .doesNotContain(some)
                .doesNotHaveDuplicates();
    }

    @Test
    void swappedContentsAreAnotherConfiguration() {
        Map<NodePath, Digest> one =
                Map.of(
                        new NodePath("/a"), Digest.of("1"),
                        new NodePath("/b"), Digest.of("2"));
        Map<NodePath, Digest> swapped =
                Map.of(
                        new NodePath("/a"), Digest.of("2"),
                        new NodePath("/b"), Digest.of("1"));
        assertThat(ConfigDigest.of(one, LAUNCH)).isNotEqualTo(ConfigDigest.of(swapped, LAUNCH));
    }

    @Test
    void theOrderOfTheEnvironmentDoesNotMatter() {
        Map<String, String> one = new LinkedHashMap<>();
        one.put("A", "1");
        one.put("B", "2");
        Map<String, String> other = new LinkedHashMap<>();
        other.put("B", "2");
        other.put("A", "1");
        assertThat(launch(List.of(), one).digest()).isEqualTo(launch(List.of(), other).digest());
    }

    @Test
    void theOrderOfArgumentsMatters() {
        assertThat(launch(List.of("a", "b"), Map.of()).digest())
                .isNotEqualTo(launch(List.of("b", "a"), Map.of()).digest());
    }

    /** Each of these would be the same bytes if the parts were simply written one after another. */
    @Test
    void nothingCollidesByBeingWrittenOneAfterAnother() {
        assertThat(
                        List.of(
                                launch(List.of("ab", "c"), Map.of()).digest(),
                                launch(List.of("a", "bc"), Map.of()).digest(),
                                launch(List.of("abc"), Map.of()).digest(),
                                launch(List.of("ab", "c", ""), Map.of()).digest(),
                                launch(List.of("", "ab", "c"), Map.of()).digest(),
                                launch(List.of(), Map.of("a", "bc")).digest(),
                                launch(List.of(), Map.of("ab", "c")).digest(),
                                launch(List.of("a"), Map.of("b", "c")).digest(),
                                launch(List.of("a", "b"), Map.of("c", "")).digest(),
                                launch(List.of("a", "0"), Map.of()).digest()))
                .doesNotHaveDuplicates();
    }

    @Test
    void everyFieldOfALaunchMatters() {
        LaunchSpec some = launch(List.of("x"), Map.of());
        List<LaunchSpec> others =
                List.of(
                        new LaunchSpec(
                                new NodePath("/bin/q"),
                                "s",
                                List.of("x"),
                                Map.of(),
                                "u",
                                ProgramDigestSource.EXE),
                        new LaunchSpec(
                                PROGRAM, "t", List.of("x"), Map.of(), "u", ProgramDigestSource.EXE),
                        new LaunchSpec(
                                PROGRAM, "s", List.of("x"), Map.of(), "v", ProgramDigestSource.EXE),
                        new LaunchSpec(
                                PROGRAM,
                                "s",
                                List.of("x"),
                                Map.of(),
                                "u",
                                ProgramDigestSource.FILE),
                        new LaunchSpec(
                                PROGRAM,
                                "su",
                                List.of("x"),
                                Map.of(),
                                "",
                                ProgramDigestSource.EXE));
        assertThat(others)
                .extracting(LaunchSpec::digest)
                .doesNotContain(some.digest())
                .doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("Nodes of earlier versions show no drift: without stop settings nothing changes")
    void theDigestWithoutStopSettingsIsThatOfEarlierVersions() {
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/usr/local/bin/app"),
                        "app.service",
                        List.of("{path}", "--port", "80"),
                        Map.of("LEVEL", "info"),
                        "app",
                        ProgramDigestSource.EXE);

        assertThat(launch.digest().value())
                .isEqualTo(
                        "sha256:e6501a0990897f03489a2a8123c9bd2e11e25fe477c4f00565e3734ab667eb90");
    }

    @Test
    void stopSettingsMatter() {
        Optional<StopSignal> term = Optional.of(StopSignal.TERM);
        Optional<StopSignal> interrupt = Optional.of(StopSignal.INT);
        Optional<Duration> twenty = Optional.of(Duration.ofSeconds(20));
        assertThat(
                        List.of(
                                launch(List.of("x"), Map.of()).digest(),
                                stopped(term, Optional.empty()),
                                stopped(interrupt, Optional.empty()),
                                stopped(Optional.empty(), twenty),
                                stopped(Optional.empty(), Optional.of(Duration.ofMinutes(20))),
                                stopped(term, twenty)))
                .doesNotHaveDuplicates();
    }

    private static Digest stopped(Optional<StopSignal> signal, Optional<Duration> timeout) {
        return new LaunchSpec(
                        PROGRAM,
                        "s",
                        List.of("x"),
                        Map.of(),
                        "u",
                        ProgramDigestSource.EXE,
                        new StopSettings(signal, timeout))
                .digest();
    }

    private static LaunchSpec launch(List<String> arguments, Map<String, String> environment) {
        return new LaunchSpec(PROGRAM, "s", arguments, environment, "u", ProgramDigestSource.EXE);
    }
}
