package drover.opsagent.trust;

import static drover.opsagent.engine.SimulatedNode.CONFIG;
import static drover.opsagent.engine.SimulatedNode.NEW;
import static drover.opsagent.engine.SimulatedNode.PEERS;
import static drover.opsagent.preflight.PreflightReportAssert.assertThatReport;
import static drover.opsagent.trust.TrustedSigners.ANN;
import static drover.opsagent.trust.TrustedSigners.BEN;
import static drover.opsagent.trust.TrustedSigners.EVE;
import static drover.opsagent.trust.TrustedSigners.release;
import static drover.opsagent.trust.TrustedSigners.signed;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.engine.SelfUpgradeDependencies;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.preflight.PreflightReport;
import drover.trust.release.Release;
import drover.trust.release.TrustChain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A preflight on a node whose owner asks for signed releases. */
class SignedPreflightTest {
    private static final Release GOOD = counted(5);

    @TempDir Path directory;

    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();
    private TrustedSigners people;
    private CommandProcessor processor;

    @BeforeEach
    void aNodeThatPinnedItsRoot() throws IOException {
        people = new TrustedSigners(directory);
        new RootOfTrustStore(agent.state, people.demand(true)).pinOrUpdateRoot();
        processor =
                new CommandProcessor(
                        agent.state,
                        agent.runtime,
                        node.ticker,
                        agent.slot,
                        true,
                        SelfUpgradeDependencies.ofEmbeddedAgent(),
                        SignedReleaseAuthorizer.of(
                                people.demand(true), agent.state, "linux/amd64", node.ticker),
                        CommandAuthorizer.ALLOW_ALL);
        processor.startIncarnation();
    }

    private static Release counted(long counter) {
        return release("v2", counter, Digest.of(NEW), NEW.length, CONFIG, PEERS);
    }

    private PreflightReport preflight(CommandWithContents delivery) {
        Digest before = node.fingerprint();
        PreflightReport report = processor.preflight(new PreflightRequest("asked", delivery));
        assertThat(node.fingerprint()).as("the agent's memory as well").isEqualTo(before);
        return report;
    }

    private PreflightReport preflight(byte[] release) {
        return preflight(SimulatedNode.upgrade(0).withRelease(release));
    }

    private AttemptOutcome take(long attempt, Release release) {
        processor.process(SimulatedNode.upgrade(attempt).withRelease(signed(release)));
        return Objects.requireNonNull(agent.journal(attempt)).ending().outcome();
    }

    @Test
    @DisplayName("E6: a look at a good release finds nothing wrong, and raises no counter")
    void raisesNoCounter() {
        assertThatReport(preflight(signed(counted(9)))).findsNothingWrong();
        assertThat(take(1, GOOD)).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("drover.opsagent.trust.SignedReleaseAuthorizerTest#attacks")
    @DisplayName("E1 E7: what an upgrade would be refused for is said at once")
    void preflightReportsTheRefusalOfAnUpgradeAtOnce(
            String name, ReasonCode reason, byte[] release) {
        assertThatReport(preflight(release))
                .findsJust(List.of(UpgradeAction.VERIFY_ARTIFACT))
                .finds(UpgradeAction.VERIFY_ARTIFACT, reason);
    }

    @Test
    @DisplayName("E6: a release below the highest counter")
    void findsAReleaseThatIsTooOld() {
        assertThat(take(1, GOOD)).isEqualTo(AttemptOutcome.SUCCEEDED);
        processor.process(SimulatedNode.restore(2, 1));
        assertThatReport(preflight(signed(counted(4))))
                .findsJust(UpgradeAction.VERIFY_ARTIFACT, ReasonCode.RELEASE_TOO_OLD);
    }

    @Test
    @DisplayName("E6: a release that is over")
    void findsAReleaseThatIsOver() {
        Release over =
                new Release(
                        GOOD.chain(),
                        GOOD.nodeTypes(),
                        GOOD.program(),
                        GOOD.version(),
                        GOOD.releaseNumber(),
                        GOOD.minimumReleaseNumber(),
                        GOOD.rollbackAllowed(),
                        TrustedSigners.NOW,
                        GOOD.artifacts(),
                        GOOD.configPaths(),
                        "",
                        GOOD.launch());
        assertThatReport(preflight(signed(over)))
                .findsJust(UpgradeAction.VERIFY_ARTIFACT, ReasonCode.RELEASE_EXPIRED);
    }

    @Test
    @DisplayName("E3: of what is not believed not even the first bytes are got")
    void requestsNothingThatIsNotTrusted() {
        CommandWithContents removed =
                SimulatedNode.upgrade(
                        0, new Artifact("http://artifacts.example/gone", Digest.of(NEW), 0));
        assertThatReport(preflight(removed.withRelease(signed(GOOD))))
                .findsJust(UpgradeAction.ACQUIRE_ARTIFACT, ReasonCode.ARTIFACT_NOT_FOUND);
        assertThatReport(preflight(removed))
                .findsJust(UpgradeAction.VERIFY_ARTIFACT, ReasonCode.SIGNATURE_MISSING);
    }

    @Test
    @DisplayName("E6: a rotation is followed for the look alone")
    void followsARotationForTheCheckAlone() throws IOException {
        people.write(
                TrustChain.of(
                                TrustedSigners.root(1, ANN, BEN)
                                        .withSignature(ANN)
                                        .withSignature(BEN))
                        .withNextRoot(
                                TrustedSigners.root(2, EVE)
                                        .withSignature(ANN)
                                        .withSignature(BEN)
                                        .withSignature(EVE)));
        assertThatReport(preflight(GOOD.toUnsignedEnvelope().withSignature(EVE).bytes()))
                .findsNothingWrong();
        assertThatReport(preflight(signed(GOOD)))
                .findsJust(UpgradeAction.VERIFY_ARTIFACT, ReasonCode.SIGNATURE_INVALID);
    }
}
