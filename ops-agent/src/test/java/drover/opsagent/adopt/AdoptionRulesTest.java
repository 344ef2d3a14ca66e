package drover.opsagent.adopt;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;

class AdoptionRulesTest {
    private static final Digest RUNNING = Digest.of("what runs");
    private static final KnownVersion V1 = new KnownVersion(RUNNING, "v1", "");
    private static final ProgramProfile NATS = program("nats", "nats.service");

    private static ProgramProfile program(String name, String unit) {
        return new ProgramProfile(
                new ProgramSpec(
                        new BinaryName(name),
                        "systemd",
                        new LaunchSpec(
                                new NodePath("/usr/bin/" + name),
                                unit,
                                List.of(),
                                Map.of(),
                                "",
                                ProgramDigestSource.EXE),
                        List.of()),
                List.of());
    }

    private static AdoptionRequest request(ProgramProfile program, String version) {
        return new AdoptionRequest(program, version, "", List.of());
    }

    private static AbstractStringAssert<?> assertRefused(
            AdoptionDecision adoption, ReasonCode reason) {
        assertThat(adoption).isInstanceOf(AdoptionDecision.Refused.class);
        AdoptionDecision.Refused refused = (AdoptionDecision.Refused) adoption;
        assertThat(refused.reason()).isEqualTo(reason);
        return assertThat(refused.sentence());
    }

    @Test
    void adoptsAProgramUnderTheVersionOfTheOperator() {
        assertThat(AdoptionRules.decide(NodeProfile.EMPTY, request(NATS, "v1"), RUNNING))
                .isEqualTo(
                        new AdoptionDecision.Adopted(
                                new NodeProfile(List.of(NATS), List.of(V1)), V1));
    }

    @Test
    void findsTheVersionAmongTheManifests() {
        KnownVersion other = new KnownVersion(Digest.of("other"), "v9", "");
        AdoptionRequest unresponsive = new AdoptionRequest(NATS, "", "", List.of(other, V1));
        assertThat(AdoptionRules.decide(NodeProfile.EMPTY, unresponsive, RUNNING))
                .isEqualTo(
                        new AdoptionDecision.Adopted(
                                new NodeProfile(List.of(NATS), List.of(V1)), V1));
    }

    @Test
    void refusesAnUnknownDigest() {
        assertRefused(
                        AdoptionRules.decide(NodeProfile.EMPTY, request(NATS, ""), RUNNING),
                        ReasonCode.DRIFTED)
                .contains("say with --version");
    }

    @Test
    void takesASecondProgramBesideTheFirst() {
        NodeProfile one = new NodeProfile(List.of(NATS), List.of(V1));
        ProgramProfile caddy = program("caddy", "caddy.service");
        Digest its = Digest.of("caddy");
        assertThat(AdoptionRules.decide(one, request(caddy, "v2"), its))
                .isInstanceOfSatisfying(
                        AdoptionDecision.Adopted.class,
                        taken -> {
                            assertThat(taken.profile().programs()).containsExactly(NATS, caddy);
                            assertThat(taken.profile().findVersionOrUnknown(RUNNING)).isEqualTo(V1);
                            assertThat(taken.profile().findVersionOrUnknown(its).version())
                                    .isEqualTo("v2");
                        });
    }

    @Test
    void changesNothingWhenTheSameIsAdoptedAgain() {
        NodeProfile before = new NodeProfile(List.of(NATS), List.of(V1));
        assertThat(AdoptionRules.decide(before, request(NATS, "v1"), RUNNING))
                .isEqualTo(new AdoptionDecision.AlreadyAdopted(V1));
        assertThat(AdoptionRules.decide(before, request(NATS, ""), RUNNING))
                .isEqualTo(new AdoptionDecision.AlreadyAdopted(V1));
    }

    @Test
    void refusesAProgramOfTheNodeThatIsSomethingElseNow() {
        NodeProfile before = new NodeProfile(List.of(NATS), List.of(V1));
        assertRefused(
                        AdoptionRules.decide(
                                before, request(program("nats", "other.service"), "v1"), RUNNING),
                        ReasonCode.ADOPTED_OTHERWISE)
                .contains("empty state directory");
        assertRefused(
                        AdoptionRules.decide(before, request(NATS, "v2"), RUNNING),
                        ReasonCode.ADOPTED_OTHERWISE)
                .contains("knows what runs as v1, not v2");
        assertRefused(
                        AdoptionRules.decide(before, request(NATS, "v2"), Digest.of("changed")),
                        ReasonCode.ADOPTED_OTHERWISE)
                .contains("find out who changed it");
    }

    @Test
    void refusesASecondProgramOfOneUnit() {
        NodeProfile before = new NodeProfile(List.of(NATS), List.of(V1));
        assertRefused(
                        AdoptionRules.decide(
                                before, request(program("other", "nats.service"), "v1"), RUNNING),
                        ReasonCode.ADOPTED_OTHERWISE)
                .contains("is nats of this node already");
    }
}
