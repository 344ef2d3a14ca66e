package drover.opsagent.trust;

import static drover.opsagent.engine.SimulatedNode.CONFIG;
import static drover.opsagent.engine.SimulatedNode.NEW;
import static drover.opsagent.engine.SimulatedNode.OLD;
import static drover.opsagent.engine.SimulatedNode.PEERS;
import static drover.opsagent.trust.TrustedSigners.ANN;
import static drover.opsagent.trust.TrustedSigners.BEN;
import static drover.opsagent.trust.TrustedSigners.EVE;
import static drover.opsagent.trust.TrustedSigners.NOW;
import static drover.opsagent.trust.TrustedSigners.ONLINE;
import static drover.opsagent.trust.TrustedSigners.authorized;
import static drover.opsagent.trust.TrustedSigners.release;
import static drover.opsagent.trust.TrustedSigners.signed;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.engine.AgentFinding;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.engine.SelfUpgradeDependencies;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.preflight.PreflightReport;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import drover.trust.release.CommandVerifier;
import drover.trust.release.SigningKey;
import drover.trust.release.TrustChain;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A node whose owner asks for signed releases and signed commands, behind any gateway. */
class OwnerRootsUpdatingAuthorizerTest {
    private static final byte[] RELEASE =
            signed(release("v2", 5, Digest.of(NEW), NEW.length, CONFIG, PEERS));

    @TempDir Path directory;

    private final SimulatedNode node = SimulatedNode.running(new HashMap<>());
    private TrustedSigners people;
    private SimulatedNode.Agent agent;
    private CommandProcessor processor;

    @BeforeEach
    void aNodeThatPinnedItsRoot() throws IOException {
        people = new TrustedSigners(directory);
        people.write(TrustedSigners.commanded());
        boot(1);
        new RootOfTrustStore(agent.state, demand()).pinOrUpdateRoot();
    }

    private SignaturePolicy.VerifyReleases demand() throws IOException {
        return people.demand(true).withSignedCommandsFor(TrustedSigners.NODE);
    }

    private void boot(int incarnation) throws IOException {
        agent = node.agent(incarnation).boot();
        processor =
                new CommandProcessor(
                        agent.state,
                        agent.runtime,
                        node.ticker,
                        agent.slot,
                        true,
                        SelfUpgradeDependencies.ofEmbeddedAgent(),
                        SignedReleaseAuthorizer.of(
                                demand(), agent.state, "linux/amd64", node.ticker),
                        OwnerRootsUpdatingAuthorizer.of(demand(), agent.state, node.ticker));
        processor.startIncarnation();
    }

    private static CommandWithContents upgrade(long attempt) {
        return SimulatedNode.upgrade(attempt).withRelease(RELEASE);
    }

    /** As the leader of its epoch would have sent it now. */
    private static CommandWithContents signedBy(SigningKey key, CommandWithContents plain) {
        ParsedCommand request = plain.command();
        Digest body = new Digest(request.bodyDigest());
        return plain.withAuthorization(
                authorized(SignedMessageKind.COMMAND, body, request.epoch(), NOW, key));
    }

    private static CommandWithContents with(
            CommandWithContents plain, String nodeId, long attempt, long epoch, String body) {
        ParsedCommand request = plain.command();
        return new CommandWithContents(
                new ParsedCommand(
                        nodeId,
                        request.rolloutId(),
                        attempt,
                        epoch,
                        Digest.of(body).value(),
                        request.requiredFeatures(),
                        request.work()),
                plain.budget(),
                plain.traceId(),
                plain.contents(),
                plain.release(),
                plain.authorization());
    }

    private Journal done(CommandWithContents delivery) {
        processor.process(delivery);
        return Objects.requireNonNull(agent.journal(delivery.command().attempt()));
    }

    /** Nothing of it is left: no attempt, no floor, no epoch; only a word of it. */
    private void assertLeavesNoTrace(CommandWithContents delivery, ReasonCode reason) {
        Digest before = node.fingerprint();
        var record = processor.agentRecord();
        processor.process(delivery);
        assertThat(node.fingerprint()).isEqualTo(before);
        assertThat(processor.agentRecord()).isEqualTo(record);
        assertFinding(reason);
    }

    private void assertFinding(ReasonCode reason) {
        AgentFinding finding = Objects.requireNonNull(processor.latestCommandFinding());
        assertThat(finding.code()).isEqualTo(reason.name());
        assertThat(finding.detail()).endsWith(".");
    }

    @Test
    @DisplayName("E7: what people released and a coordinator commands is installed")
    void installsWhatBothWant() {
        Journal journal = done(signedBy(ONLINE, upgrade(1)));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(processor.latestCommandFinding()).isNull();
    }

    /** Each is what a captured gateway could make of the good command. */
    static Stream<Arguments> attacks() {
        CommandWithContents plain = upgrade(1);
        CommandWithContents good = signedBy(ONLINE, plain);
        String text = new String(good.authorization(), StandardCharsets.UTF_8);
        return Stream.of(
                attack("the signature stripped", ReasonCode.COMMAND_UNSIGNED, plain),
                attack(
                        "signed by nobody",
                        ReasonCode.COMMAND_UNSIGNED,
                        plain.withAuthorization(
                                new CommandAuthorization(
                                                SignedMessageKind.COMMAND,
                                                new Digest(plain.command().bodyDigest()),
                                                1,
                                                NOW.plus(Duration.ofMinutes(1)))
                                        .toUnsignedEnvelope()
                                        .bytes())),
                attack(
                        "signed by somebody else",
                        ReasonCode.COMMAND_SIGNER_UNKNOWN,
                        signedBy(EVE, plain)),
                attack(
                        "signed by people who sign releases",
                        ReasonCode.COMMAND_SIGNER_UNKNOWN,
                        signedBy(ANN, plain)),
                attack(
                        "another body under it",
                        ReasonCode.COMMAND_ALTERED,
                        with(good, "node-1", 1, 1, "another body")),
                attack(
                        "a later epoch",
                        ReasonCode.COMMAND_ALTERED,
                        with(good, "node-1", 1, 99, "body 1")),
                attack(
                        "the signature of somebody under a trusted name",
                        ReasonCode.COMMAND_ALTERED,
                        plain.withAuthorization(
                                new String(
                                                signedBy(EVE, plain).authorization(),
                                                StandardCharsets.UTF_8)
                                        .replace(EVE.id().value(), ONLINE.id().value())
                                        .getBytes(StandardCharsets.UTF_8))),
                attack(
                        "half of the signature",
                        ReasonCode.COMMAND_ALTERED,
                        plain.withAuthorization(
                                text.substring(0, 100).getBytes(StandardCharsets.UTF_8))),
                attack(
                        "a withdrawal's signature",
                        ReasonCode.COMMAND_ALTERED,
                        plain.withAuthorization(
                                authorized(
                                        SignedMessageKind.WITHDRAWAL,
                                        new Digest(plain.command().bodyDigest()),
                                        1,
                                        NOW,
                                        ONLINE))),
                attack(
                        "another node's command",
                        ReasonCode.COMMAND_REPLAYED,
                        signedBy(ONLINE, with(plain, "node-2", 1, 1, "body of node-2"))),
                attack(
                        "kept back until it was over",
                        ReasonCode.COMMAND_EXPIRED,
                        plain.withAuthorization(
                                authorized(
                                        SignedMessageKind.COMMAND,
                                        new Digest(plain.command().bodyDigest()),
                                        1,
                                        NOW.minus(CommandVerifier.VALIDITY),
                                        ONLINE))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    @DisplayName("H8: whatever a gateway makes of a command, nothing happens, and it is said why")
    void nothingComesOfAnAttack(String name, ReasonCode reason, CommandWithContents delivery) {
        assertLeavesNoTrace(delivery, reason);
        assertThat(done(signedBy(ONLINE, upgrade(1))).ending().outcome())
                .as("the good one is taken all the same")
                .isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    @DisplayName("H8: a preflight is believed no more than work")
    void aPreflightIsRefusedForTheSame(
            String name, ReasonCode reason, CommandWithContents delivery) {
        Digest before = node.fingerprint();
        PreflightReport report = processor.preflight(new PreflightRequest("asked", delivery));
        assertThat(report.reason()).isEqualTo(reason);
        assertThat(node.fingerprint()).isEqualTo(before);
    }

    @Test
    @DisplayName("H8: a forged number of an attempt uses up none")
    void aForgedNumberUsesUpNone() {
        processor.process(with(upgrade(1), "node-1", Long.MAX_VALUE, Long.MAX_VALUE, "forged"));
        assertThat(processor.agentRecord().floor()).isZero();
        assertThat(done(signedBy(ONLINE, upgrade(1))).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("H8: what was replayed is stale, although it is signed and in time")
    void aReplayIsStale() {
        CommandWithContents first = signedBy(ONLINE, upgrade(1));
        done(first);
        CommandWithContents back = signedBy(ONLINE, SimulatedNode.restore(2, 1));
        assertThat(done(back).ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        Digest before = node.fingerprint();
        processor.process(first);
        assertThat(node.fingerprint()).isEqualTo(before);
        CommandWithContents ofTheNextLeader =
                signedBy(ONLINE, with(SimulatedNode.restore(3, 1), "node-1", 3, 2, "body 3"));
        done(ofTheNextLeader);
        processor.process(signedBy(ONLINE, upgrade(4))); // of epoch 1
        assertThat(agent.journal(4)).isNull();
    }

    @Test
    @DisplayName("E7: a release without a command, and a command without a release")
    void eitherAloneInstallsNothing() {
        assertLeavesNoTrace(upgrade(1), ReasonCode.COMMAND_UNSIGNED);
        Journal unreleased = done(signedBy(ONLINE, SimulatedNode.upgrade(1)));
        assertThat(unreleased.ending().reason()).isEqualTo(ReasonCode.SIGNATURE_MISSING);
        byte[] ofAnother = signed(release("v2", 6, Digest.of(OLD), OLD.length, CONFIG, PEERS));
        Journal other = done(signedBy(ONLINE, SimulatedNode.upgrade(2).withRelease(ofAnother)));
        assertThat(other.ending().reason()).isEqualTo(ReasonCode.RELEASE_DIFFERS);
        assertThat(node.spawned).hasSize(1);
    }

    @Test
    @DisplayName("H8: restores and clears are asked for it as well")
    void everyKindOfWorkIsChecked() {
        done(signedBy(ONLINE, upgrade(1)));
        assertLeavesNoTrace(SimulatedNode.restore(2, 1), ReasonCode.COMMAND_UNSIGNED);
        CommandWithContents clear = SimulatedNode.delivery(2, new Work.ClearFailure("repaired"));
        assertLeavesNoTrace(clear, ReasonCode.COMMAND_UNSIGNED);
        assertThat(done(signedBy(ONLINE, clear)).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("H8: an unsigned withdrawal takes no number away; a signed one is confirmed")
    void aForgedWithdrawalRemovesNoNumber() {
        processor.withdraw(new Withdrawal(Long.MAX_VALUE, Long.MAX_VALUE));
        assertThat(processor.agentRecord().floor()).isZero();
        assertThat(processor.agentRecord().epoch()).isZero();
        assertFinding(ReasonCode.COMMAND_UNSIGNED);
        byte[] through3 = withdrawal(3, 2);
        processor.withdraw(new Withdrawal(4, 2, through3));
        assertFinding(ReasonCode.COMMAND_ALTERED);
        processor.withdraw(new Withdrawal(3, 9, through3));
        assertFinding(ReasonCode.COMMAND_ALTERED);
        assertThat(processor.agentRecord().floor()).isZero();
        processor.withdraw(new Withdrawal(3, 2, through3));
        assertThat(processor.agentRecord().floor()).isEqualTo(3);
        assertThat(processor.agentRecord().epoch()).isEqualTo(2);
    }

    private static byte[] withdrawal(long through, long epoch) {
        return authorized(
                SignedMessageKind.WITHDRAWAL,
                CommandAuthorization.withdrawalDigest(TrustedSigners.NODE, through),
                epoch,
                NOW,
                ONLINE);
    }

    @Test
    @DisplayName("C2: asked again after a restart of the agent, by another leader, or unsigned")
    void anAcceptedAttemptIsAnsweredAgain() throws IOException {
        Journal first = done(signedBy(ONLINE, upgrade(1)));
        boot(2);
        CommandWithContents byTheNext =
                signedBy(ONLINE, with(upgrade(1), "node-1", 1, 7, "body 1"));
        processor.process(byTheNext);
        assertThat(agent.journal(1)).isEqualTo(first);
        assertThat(processor.agentRecord().epoch()).isEqualTo(7);
        assertThat(agent.slot.takeResendRequest()).isTrue();
        processor.process(upgrade(1));
        assertThat(agent.slot.takeResendRequest()).as("the answer harms nobody").isTrue();
        assertThat(node.spawned).hasSize(2);
    }

    @Test
    @DisplayName("A rotation: the old key stops to count once the file is on the node")
    void followsARotationOfTheOnlineKey() throws IOException {
        SigningKey next = SigningKey.create();
        people.write(
                TrustedSigners.commanded()
                        .withNextRoot(
                                TrustedSigners.commanded(2, next)
                                        .withSignature(ANN)
                                        .withSignature(BEN)));
        assertThat(done(signedBy(next, upgrade(1))).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
        assertLeavesNoTrace(
                signedBy(ONLINE, SimulatedNode.restore(2, 1)), ReasonCode.COMMAND_SIGNER_UNKNOWN);
        people.write(TrustedSigners.commanded());
        assertLeavesNoTrace(
                signedBy(ONLINE, SimulatedNode.restore(2, 1)), ReasonCode.TRUST_UNUSABLE);
    }

    @Test
    @DisplayName("A root that names no key for commands lets nobody command")
    void rootWithoutTheRolePermitsNoCommand() throws IOException {
        TrustChain without =
                TrustedSigners.commanded()
                        .withNextRoot(
                                TrustedSigners.root(2, ANN, BEN)
                                        .withSignature(ANN)
                                        .withSignature(BEN));
        people.write(without);
        processor.process(signedBy(ONLINE, upgrade(1)));
        assertThat(agent.journal(1)).isNull();
        assertFinding(ReasonCode.COMMAND_SIGNER_UNKNOWN);
        assertThat(Objects.requireNonNull(processor.latestCommandFinding()).detail())
                .contains("--command-keys");
    }

    @Test
    @DisplayName("D17: a rollback by hand on the node asks for nobody's signature")
    void manualRollbackNeedsNoReason() throws IOException {
        done(signedBy(ONLINE, upgrade(1)));
        people.write(TrustChain.of(TrustedSigners.root(1, EVE).withSignature(EVE)));
        assertThat(processor.rollBackLastAttempt().ending().outcome())
                .isEqualTo(AttemptOutcome.FAILED);
        assertThat(node.isAll(OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old"))
                .isTrue();
    }

    @Test
    @DisplayName("A policy that asks for releases alone asks for no signature of a command")
    void requiresNothingWithoutAPolicy() throws IOException {
        assertThat(OwnerRootsUpdatingAuthorizer.of(people.demand(true), agent.state, node.ticker))
                .isSameAs(drover.opsagent.trust.CommandAuthorizer.ALLOW_ALL);
    }

    private static Arguments attack(String name, ReasonCode reason, CommandWithContents delivery) {
        return Arguments.of(name, reason, delivery);
    }
}
