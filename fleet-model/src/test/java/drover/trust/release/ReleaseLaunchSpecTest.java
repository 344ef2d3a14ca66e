package drover.trust.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.ApplicationHealth;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
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
import org.junit.jupiter.params.provider.ValueSource;

/** What a node launches and probes where releases must be signed. */
class ReleaseLaunchSpecTest {
    private static final NodePath PATH = new NodePath("/opt/app/app");
    private static final Probe.Check PAGE =
            new Probe.Check.Http("http://127.0.0.1:80/health", 200, "", "");
    private static final ProgramSpec PRESENT = spec(List.of("{path}"), Map.of(), PAGE);
    private static final ReleaseLaunchSpec SIGNED =
            new ReleaseLaunchSpec(
                    PATH,
                    "app.service",
                    List.of("{path}", "--port={{ .port }}", "{{ .name }}"),
                    Map.of("LEVEL", "{{ .level }}"),
                    "",
                    ProgramDigestSource.EXE,
                    List.of(
                            List.of("exec", "/opt/app/check", "{{ .port }}"),
                            List.of("http", "http://127.0.0.1:{{ .port }}/sync", "200", "/a", "b"),
                            List.of("tcp", "127.0.0.1", "{{ .port }}")));

    private static ProgramSpec spec(
            List<String> arguments, Map<String, String> environment, Probe.Check... checks) {
        return spec(
                new LaunchSpec(
                        PATH, "app.service", arguments, environment, "", ProgramDigestSource.EXE),
                checks);
    }

    private static ProgramSpec spec(LaunchSpec launch, Probe.Check... checks) {
        List<Probe> probes =
                Stream.of(checks)
                        .map(
                                check ->
                                        new Probe(
                                                "check",
                                                Duration.ofSeconds(5),
                                                Duration.ofSeconds(1),
                                                Duration.ZERO,
                                                check,
                                                new Probe.StatusWhileFailing.HealthWhileFailing(
                                                        ApplicationHealth.CRITICAL)))
                        .toList();
        return new ProgramSpec(new BinaryName("app"), "systemd", launch, probes);
    }

    private static ProgramSpec launched(String port, String name, Probe.Check... checks) {
        return spec(List.of("{path}", "--port=" + port, name), Map.of("LEVEL", "info"), checks);
    }

    @Test
    void allowsWhatTheNodeHasAndWhatIsSigned() {
        for (ProgramSpec allowed :
                List.of(
                        PRESENT,
                        spec(List.of("{path}"), Map.of(), new Probe.Check.ProcessAlive()),
                        launched("80", "", PAGE),
                        launched(
                                "80",
                                "node-1.example",
                                new Probe.Check.Exec(List.of("/opt/app/check", "80")),
                                new Probe.Check.Http("http://127.0.0.1:80/sync", 200, "/a", "b"),
                                new Probe.Check.Tcp("127.0.0.1", 80)))) {
            assertThatCode(
                            () ->
                                    ReleaseLaunchSpec.requireCoveredOrUnchanged(
                                            SIGNED, allowed, PRESENT))
                    .doesNotThrowAnyException();
        }
        assertThatCode(() -> ReleaseLaunchSpec.requireCoveredOrUnchanged(null, PRESENT, PRESENT))
                .doesNotThrowAnyException();
    }

    static Stream<ProgramSpec> attacks() {
        LaunchSpec launch = launched("80", "a").launch();
        return Stream.of(
                spec(List.of("/bin/sh", "-c", "id"), Map.of()),
                launched("80 --exec=/bin/sh", "a"),
                launched("80", "--exec"),
                launched("80", "/etc/shadow"),
                launched("80\n", "a"),
                spec(List.of("{path}", "--port=80"), launch.environment()),
                spec(launch.arguments(), Map.of("LEVEL", "info", "LD_PRELOAD", "x")),
                spec(launch.arguments(), Map.of("LD_PRELOAD", "info")),
                spec(
                        new LaunchSpec(
                                PATH,
                                "app.service",
                                launch.arguments(),
                                launch.environment(),
                                "root",
                                ProgramDigestSource.EXE)),
                spec(
                        new LaunchSpec(
                                PATH,
                                "app.service",
                                launch.arguments(),
                                launch.environment(),
                                "",
                                ProgramDigestSource.FILE)),
                spec(
                        new LaunchSpec(
                                new NodePath("/opt/app/other"),
                                "app.service",
                                launch.arguments(),
                                launch.environment(),
                                "",
                                ProgramDigestSource.EXE)),
                launched("80", "a", new Probe.Check.Exec(List.of("/bin/sh", "80"))),
                launched("80", "a", new Probe.Check.Exec(List.of("/opt/app/check"))),
                launched("80", "a", new Probe.Check.Exec(List.of("/opt/app/check", "-x"))),
                launched(
                        "80",
                        "a",
                        new Probe.Check.Http("http://127.0.0.1:80@evil/sync", 200, "/a", "b")),
                launched("80", "a", new Probe.Check.Tcp("192.0.2.1", 80)));
    }

    private static ProgramSpec withCluster(String driver, String endpoint, String userFile) {
        return new ProgramSpec(
                PRESENT.name(),
                PRESENT.runtime(),
                PRESENT.launch(),
                PRESENT.probes(),
                List.of(),
                Optional.of(
                        new ClusterProbe(
                                driver,
                                endpoint,
                                ClusterProbe.DEFAULT_INTERVAL,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                userFile.isEmpty()
                                        ? Optional.empty()
                                        : Optional.of(new NodePath(userFile)))));
    }

    @Test
    @DisplayName(
            "E7: no cluster driver runs, and no file of credentials is read, without a signature")
    void aClusterProbeIsSigned() {
        ReleaseLaunchSpec signed =
                new ReleaseLaunchSpec(
                        PATH,
                        "app.service",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE,
                        List.of(
                                ReleaseLaunchSpec.clusterWords(
                                        "etcd",
                                        "http://127.0.0.1:{{ .port }}",
                                        List.of(
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.of(new NodePath("/etc/etcd/user"))))));
        ProgramSpec covered = withCluster("etcd", "http://127.0.0.1:2379", "/etc/etcd/user");
        assertThatCode(
                        () -> {
                            ReleaseLaunchSpec.requireCoveredOrUnchanged(signed, covered, PRESENT);
                            ReleaseLaunchSpec.requireCoveredOrUnchanged(null, covered, covered);
                            ReleaseLaunchSpec.requireCoveredOrUnchanged(null, PRESENT, covered);
                        })
                .doesNotThrowAnyException();
        for (ProgramSpec attack :
                List.of(
                        withCluster("/bin/sh", "http://127.0.0.1:2379", ""),
                        withCluster("etcd", "http://192.0.2.1:2379", "/etc/etcd/user"),
                        withCluster("etcd", "http://127.0.0.1:2379", "/etc/other"))) {
            assertThatThrownBy(
                            () ->
                                    ReleaseLaunchSpec.requireCoveredOrUnchanged(
                                            signed, attack, PRESENT))
                    .isInstanceOf(NotTrusted.class)
                    .hasMessageContaining("cluster probe");
        }
        assertThatThrownBy(
                        () -> ReleaseLaunchSpec.requireCoveredOrUnchanged(null, covered, PRESENT))
                .isInstanceOf(NotTrusted.class);
    }

    @ParameterizedTest
    @MethodSource("attacks")
    @DisplayName("E7: nothing that nobody signed is launched or probed")
    void refusesWhatIsNotSigned(ProgramSpec requested) {
        for (ReleaseLaunchSpec signed : new ReleaseLaunchSpec[] {SIGNED, null}) {
            assertThatThrownBy(
                            () ->
                                    ReleaseLaunchSpec.requireCoveredOrUnchanged(
                                            signed, requested, PRESENT))
                    .isInstanceOfSatisfying(
                            NotTrusted.class,
                            e -> assertThat(e.reason()).isEqualTo(RejectionReason.MIX_AND_MATCH));
        }
    }

    @Test
    void staysTheSameOverItsEnvelope() {
        Release release = SigningFixture.release(7, 3, false).withLaunch(SIGNED);
        assertThat(Release.parse(release.toUnsignedEnvelope().payload())).isEqualTo(release);
    }

    @Test
    @DisplayName("How a program is stopped is signed; releases without it read as before")
    void coversStopSettings() {
        StopSettings stop =
                new StopSettings(Optional.of(StopSignal.INT), Optional.of(Duration.ofMinutes(30)));
        LaunchSpec plain = launched("80", "a").launch();
        ProgramSpec requested =
                spec(
                        new LaunchSpec(
                                plain.path(),
                                plain.service(),
                                plain.arguments(),
                                plain.environment(),
                                plain.user(),
                                plain.identity(),
                                stop));
        ReleaseLaunchSpec signed =
                new ReleaseLaunchSpec(
                        SIGNED.path(),
                        SIGNED.service(),
                        SIGNED.arguments(),
                        SIGNED.environment(),
                        SIGNED.user(),
                        SIGNED.identity(),
                        SIGNED.probes(),
                        stop);

        Release release = SigningFixture.release(7, 3, false).withLaunch(signed);
        assertThat(Release.parse(release.toUnsignedEnvelope().payload())).isEqualTo(release);
        assertThat(payload(release))
                .contains("\"stop\":{\"signal\":\"INT\",\"timeout_ms\":1800000}");
        assertThat(payload(SigningFixture.release(7, 3, false).withLaunch(SIGNED)))
                .doesNotContain("\"stop\"");
        assertThatCode(
                        () ->
                                ReleaseLaunchSpec.requireCoveredOrUnchanged(
                                        signed, requested, PRESENT))
                .doesNotThrowAnyException();
        assertThatThrownBy(
                        () ->
                                ReleaseLaunchSpec.requireCoveredOrUnchanged(
                                        SIGNED, requested, PRESENT))
                .isInstanceOf(NotTrusted.class)
                .hasMessageContaining("command line or the stop settings");
    }

    private static String payload(Release release) {
        return new String(release.toUnsignedEnvelope().payload(), StandardCharsets.UTF_8)
                .replaceAll("\\s", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{{ range .all }}x{{ end }}", "{{", "{{ .a | upper }}"})
    void signsPlainVariablesAlone(String template) {
        assertThatThrownBy(
                        () ->
                                new ReleaseLaunchSpec(
                                        PATH,
                                        "",
                                        List.of(template),
                                        Map.of(),
                                        "",
                                        ProgramDigestSource.EXE,
                                        List.of()))
                .isInstanceOf(NotTrusted.class)
                .hasMessageContaining("cannot be signed");
    }
}
