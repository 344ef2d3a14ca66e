package drover.opsagent.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.policy.LaunchAndProbePolicy;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines, probes and agents that a policy refuses. */
class PolicyThenSignatureAuthorizerTest {
    private static final Digest SOME = Digest.of("some");
    private static final LaunchAndProbePolicy LIMITS =
            new LaunchAndProbePolicy(
                    Set.of(new NodePath("/opt/app/bin/check")),
                    LaunchAndProbePolicy.DEFAULT_USER,
                    List.of(),
                    Set.of(new NodePath("/usr/bin/java")),
                    Set.of(),
                    false);

    @Test
    void allowsTheProgramItselfAndWhatIsListed() {
        for (List<String> line :
                List.of(
                        List.<String>of(),
                        List.of("{path}", "--port", "80"),
                        List.of("/usr/bin/java", "-jar", "{path}"))) {
            assertThat(admit(LIMITS, upgrade(line, Map.of("HOME", "/srv"), "/opt/app/bin/check")))
                    .isZero();
        }
    }

    @ParameterizedTest
    @DisplayName("H11, H15: a command line that runs something else is refused")
    @ValueSource(
            strings = {
                "/bin/sh -c {path}",
                "/usr/bin/java -jar /tmp/other.jar",
                "java -jar {path}",
                "{path}/../sh",
                "{root}/bin/sh {path}"
            })
    void refusesOtherCommandLines(String line) {
        assertRefused(
                upgrade(List.of(line.split(" ")), Map.of(), "/opt/app/bin/check"),
                "The command line starts with");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LD_PRELOAD", "JAVA_TOOL_OPTIONS", "PATH", "PYTHONPATH", "BASH_ENV"})
    void refusesVariablesThatMakeOtherCodeRun(String variable) {
        assertRefused(upgrade(List.of(), Map.of(variable, "x"), "/opt/app/bin/check"), variable);
    }

    @Test
    void refusesProbesThatRunSomethingElse() {
        assertRefused(
                upgrade(List.of(), Map.of(), "/bin/sh"),
                "Probe check: This node's policy does not allow probes to run '/bin/sh'");
    }

    @Test
    @DisplayName("An unsigned agent is taken only if the owner of the node says so")
    void refusesAnUnsignedAgent() {
        Work.AgentUpgrade agent =
                new Work.AgentUpgrade("1.0.0", new Artifact("http://a/x", SOME, 1), "", 0);
        assertThatThrownBy(() -> admit(LIMITS, agent))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        e -> assertThat(e.reason()).isEqualTo(ReasonCode.SIGNATURE_MISSING))
                .hasMessageContaining("unsigned_agent");
        assertThat(
                        admit(
                                new LaunchAndProbePolicy(
                                        Set.of(),
                                        LaunchAndProbePolicy.DEFAULT_USER,
                                        List.of(),
                                        Set.of(),
                                        Set.of(),
                                        true),
                                agent))
                .isZero();
    }

    @Test
    @DisplayName("Without a policy the node's own root directory is the bound")
    void boundsNothingWithoutAPolicy() {
        ReleaseAuthorizerAndRecorder gate =
                new PolicyThenSignatureAuthorizer(
                        LocalPolicy.WHOLE_ROOT, ReleaseAuthorizerAndRecorder.ALLOW_ALL);
        Work.Upgrade any = upgrade(List.of("/bin/sh"), Map.of("PATH", "/x"), "/bin/sh");
        assertThat(gate.authorizeAndGetSize(any, new byte[0])).isZero();
    }

    private static void assertRefused(Work.Upgrade work, String sentence) {
        assertThatThrownBy(() -> admit(LIMITS, work))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        e -> assertThat(e.reason()).isEqualTo(ReasonCode.PROGRAM_REFUSED))
                .hasMessageContaining(sentence);
    }

    private static long admit(LaunchAndProbePolicy limits, Work.Install work) {
        LocalPolicy policy =
                new LocalPolicy(
                        true,
                        List.of(),
                        Set.of(),
                        Set.of(),
                        Set.of(),
                        new SignaturePolicy.None(),
                        limits);
        ReleaseAuthorizerAndRecorder gate =
                new PolicyThenSignatureAuthorizer(policy, ReleaseAuthorizerAndRecorder.ALLOW_ALL);
        return gate.dryRunAndGetSize(work, new byte[0])
                + gate.authorizeAndGetSize(work, new byte[0]);
    }

    private static Work.Upgrade upgrade(
            List<String> line, Map<String, String> environment, String probe) {
        ProgramSpec spec =
                new ProgramSpec(
                        new BinaryName("app"),
                        "process",
                        new LaunchSpec(
                                new NodePath("/bin/app"),
                                "",
                                line,
                                environment,
                                "",
                                ProgramDigestSource.EXE),
                        List.of(
                                new Probe(
                                        "check",
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(1),
                                        Duration.ZERO,
                                        new Probe.Check.Exec(List.of(probe, "--well")),
                                        new Probe.StatusWhileFailing.HealthWhileFailing(
                                                ApplicationHealth.CRITICAL))));
        return new Work.Upgrade(
                spec, "v2", new Artifact("http://a/x", SOME, 1), List.of(), SOME, "", SOME);
    }
}
