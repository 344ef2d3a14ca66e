package drover.opsagent.trust;

import static drover.opsagent.engine.SimulatedNode.CONFIG;
import static drover.opsagent.engine.SimulatedNode.NEW;
import static drover.opsagent.engine.SimulatedNode.OLD;
import static drover.opsagent.engine.SimulatedNode.PEERS;
import static drover.opsagent.trust.TrustedSigners.ANN;
import static drover.opsagent.trust.TrustedSigners.BEN;
import static drover.opsagent.trust.TrustedSigners.EVE;
import static drover.opsagent.trust.TrustedSigners.release;
import static drover.opsagent.trust.TrustedSigners.signed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.ProgramAttemptJournalCreator;
import drover.opsagent.engine.SelfUpgradeDependencies;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.time.Ticker;
import drover.trust.release.Release;
import drover.trust.release.TrustChain;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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

/** A node whose owner asks for signed releases. */
class SignedReleaseAuthorizerTest {
    private static final Release GOOD = release("v2", 5, Digest.of(NEW), NEW.length, CONFIG, PEERS);
    private static final Path MEMORY = SimulatedNode.STATE.resolve("trust.json");

    @TempDir Path directory;

    private final SimulatedNode node = SimulatedNode.running(new HashMap<>());
    private final Calendar calendar = new Calendar();
    private TrustedSigners people;
    private SimulatedNode.Agent agent;
    private CommandProcessor processor;

    /** The node's time, with a date that can be set. */
    private final class Calendar implements Ticker {
        private Instant today = TrustedSigners.NOW;

        @Override
        public long nanos() {
            return node.ticker.nanos();
        }

        @Override
        public Instant wallClock() {
            return today;
        }

        @Override
        public void pause(Duration duration) {
            node.ticker.pause(duration);
        }
    }

    @BeforeEach
    void aNodeThatPinnedItsRoot() throws IOException {
        people = new TrustedSigners(directory);
        boot(true);
        store().pinOrUpdateRoot();
    }

    private void boot(boolean required) throws IOException {
        agent = node.agent(1).boot();
        SignaturePolicy demand = people.demand(required);
        processor =
                new CommandProcessor(
                        agent.state,
                        agent.runtime,
                        calendar,
                        agent.slot,
                        true,
                        SelfUpgradeDependencies.ofEmbeddedAgent(),
                        SignedReleaseAuthorizer.of(demand, agent.state, "linux/amd64", calendar),
                        CommandAuthorizer.ALLOW_ALL);
        processor.startIncarnation();
    }

    private RootOfTrustStore store() throws IOException {
        return new RootOfTrustStore(agent.state, people.demand(true));
    }

    private Journal take(CommandWithContents delivery) {
        processor.process(delivery);
        return Objects.requireNonNull(agent.journal(delivery.command().attempt()));
    }

    private void assertUntouched(Journal journal, ReasonCode reason) {
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(journal.ending().reason()).isEqualTo(reason);
        assertThat(journal.ending().detail()).endsWith(".");
        assertThat(journal.actions()).isEmpty();
        assertThat(isOld()).isTrue();
        assertThat(node.spawned).hasSize(1);
        assertThat(node.disk.list(agent.state.staging())).isEmpty();
    }

    private boolean isOld() {
        return node.isAll(OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    private boolean isNew() {
        return node.isAll(NEW, SimulatedNode.NEW_CONFIG, SimulatedNode.NEW_PEERS, "new");
    }

    @Test
    @DisplayName("E1: what enough trusted people signed is installed")
    void installsASignedRelease() {
        Journal journal = take(SimulatedNode.upgrade(1).withRelease(signed(GOOD)));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(isNew()).isTrue();
    }

    @Test
    @DisplayName("E4: the signed length bounds the download where the command states none")
    void takesTheSignedLength() {
        CommandWithContents unsized =
                SimulatedNode.upgrade(1, new Artifact(SimulatedNode.URL, Digest.of(NEW), 0));
        Journal journal = take(unsized.withRelease(signed(GOOD)));
        Work.Upgrade work = (Work.Upgrade) journal.assignment().work();
        assertThat(work.artifact().size()).isEqualTo(NEW.length);
    }

    static Stream<Arguments> attacks() {
        String good = new String(signed(GOOD), StandardCharsets.UTF_8);
        return Stream.of(
                attack("no release", ReasonCode.SIGNATURE_MISSING, new byte[0]),
                attack("rubbish", ReasonCode.SIGNATURE_INVALID, new byte[] {1, 2, 3}),
                attack("too large", ReasonCode.SIGNATURE_INVALID, new byte[Release.MAX_BYTES + 1]),
                attack(
                        "nobody signed",
                        ReasonCode.SIGNATURE_INVALID,
                        GOOD.toUnsignedEnvelope().bytes()),
                attack(
                        "one of two",
                        ReasonCode.SIGNATURE_INVALID,
                        GOOD.toUnsignedEnvelope().withSignature(ANN).bytes()),
                attack(
                        "a stranger",
                        ReasonCode.SIGNATURE_INVALID,
                        GOOD.toUnsignedEnvelope().withSignature(EVE).withSignature(ANN).bytes()),
                attack(
                        "a changed payload",
                        ReasonCode.SIGNATURE_INVALID,
                        good.replaceFirst("\"payload\": \"ewo", "\"payload\": \"ewp")
                                .getBytes(StandardCharsets.UTF_8)),
                attack(
                        "another chain",
                        ReasonCode.RELEASE_DIFFERS,
                        signed(
                                release(
                                        "osmosis",
                                        "v2",
                                        5,
                                        0,
                                        false,
                                        Digest.of(NEW),
                                        NEW.length,
                                        CONFIG,
                                        PEERS))),
                attack(
                        "another version",
                        ReasonCode.RELEASE_DIFFERS,
                        signed(release("v3", 5, Digest.of(NEW), NEW.length, CONFIG, PEERS))),
                attack(
                        "another artifact",
                        ReasonCode.RELEASE_DIFFERS,
                        signed(release("v2", 5, Digest.of("x"), NEW.length, CONFIG, PEERS))),
                attack(
                        "another length",
                        ReasonCode.RELEASE_DIFFERS,
                        signed(release("v2", 5, Digest.of(NEW), NEW.length + 1, CONFIG, PEERS))),
                attack(
                        "another command line",
                        ReasonCode.RELEASE_DIFFERS,
                        signed(GOOD.withLaunch(null))),
                attack(
                        "a file that is not signed for",
                        ReasonCode.RELEASE_DIFFERS,
                        signed(release("v2", 5, Digest.of(NEW), NEW.length, CONFIG))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    @DisplayName("E1 E3 E7: what is not believed leaves the node untouched, and nothing is fetched")
    void leavesTheNodeUntouched(String name, ReasonCode reason, byte[] release) {
        assertUntouched(take(SimulatedNode.upgrade(1).withRelease(release)), reason);
    }

    @Test
    @DisplayName("E6: neither an expired release nor an expired root")
    void refusesWhatIsOver() throws IOException {
        calendar.today = GOOD.expires();
        assertUntouched(
                take(SimulatedNode.upgrade(1).withRelease(signed(GOOD))),
                ReasonCode.RELEASE_EXPIRED);
        Instant soon = TrustedSigners.NOW.plus(Duration.ofDays(1));
        people.write(
                TrustChain.of(
                                TrustedSigners.root(1, ANN, BEN)
                                        .withSignature(ANN)
                                        .withSignature(BEN))
                        .withNextRoot(
                                TrustedSigners.root(2, soon, ANN, BEN)
                                        .withSignature(ANN)
                                        .withSignature(BEN)));
        calendar.today = soon;
        assertUntouched(
                take(SimulatedNode.upgrade(2).withRelease(signed(GOOD))),
                ReasonCode.TRUST_UNUSABLE);
    }

    @Test
    @DisplayName("E6: the highest counter outlives the agent")
    void neverGoesBelowWhatItHasSeen() throws IOException {
        take(SimulatedNode.upgrade(1).withRelease(signed(GOOD)));
        processor.process(SimulatedNode.restore(2, 1));
        boot(true);
        Release older = release("v2", 4, Digest.of(NEW), NEW.length, CONFIG, PEERS);
        Journal journal = take(SimulatedNode.upgrade(3).withRelease(signed(older)));
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.RELEASE_TOO_OLD);
        assertThat(isOld()).isTrue();
        Journal again = take(SimulatedNode.upgrade(4).withRelease(signed(GOOD)));
        assertThat(again.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("E8: back to a lower counter only where it is signed for that, above the floor")
    void goesBackToWhatIsSignedForIt() {
        Release later =
                release("chain", "v9", 9, 4, false, Digest.of(NEW), NEW.length, CONFIG, PEERS);
        take(withVersion(1, "v9").withRelease(signed(later)));
        processor.process(SimulatedNode.restore(2, 1));
        Release back =
                release("chain", "v2", 5, 0, true, Digest.of(NEW), NEW.length, CONFIG, PEERS);
        assertThat(take(SimulatedNode.upgrade(3).withRelease(signed(back))).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
        processor.process(SimulatedNode.restore(4, 3));
        Release below =
                release("chain", "v2", 3, 0, true, Digest.of(NEW), NEW.length, CONFIG, PEERS);
        assertThat(take(SimulatedNode.upgrade(5).withRelease(signed(below))).ending().reason())
                .isEqualTo(ReasonCode.RELEASE_TOO_OLD);
    }

    private static CommandWithContents withVersion(long attempt, String version) {
        CommandWithContents plain = SimulatedNode.upgrade(attempt);
        Work.Upgrade work = (Work.Upgrade) ProgramAttemptJournalCreator.workOrNoWork(plain);
        return SimulatedNode.delivery(
                attempt,
                new Work.Upgrade(
                        work.spec(),
                        version,
                        work.artifact(),
                        work.files(),
                        work.sourceDigest(),
                        work.sourceConfigDigest(),
                        work.targetConfigDigest()));
    }

    @Test
    @DisplayName("E6: a memory that is lost or damaged is no reason to believe; pinning anew is")
    void refusesWithoutItsMemory() throws IOException {
        node.disk.delete(MEMORY);
        assertUntouched(
                take(SimulatedNode.upgrade(1).withRelease(signed(GOOD))),
                ReasonCode.TRUST_UNUSABLE);
        store().pinOrUpdateRoot();
        assertThat(take(SimulatedNode.upgrade(2).withRelease(signed(GOOD))).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
        processor.process(SimulatedNode.restore(3, 2));
        agent.state
                .files()
                .replace(MEMORY, new byte[] {'{'}, drover.opsagent.disk.FileAttributes.PRIVATE);
        assertThat(take(SimulatedNode.upgrade(4).withRelease(signed(GOOD))).ending().reason())
                .isEqualTo(ReasonCode.TRUST_UNUSABLE);
    }

    @Test
    @DisplayName(
            "A rotation is followed, and then the old keys sign nothing and the old file is refused")
    void followsARotation() throws IOException {
        TrustChain first =
                TrustChain.of(
                        TrustedSigners.root(1, ANN, BEN).withSignature(ANN).withSignature(BEN));
        people.write(
                first.withNextRoot(
                        TrustedSigners.root(2, EVE)
                                .withSignature(ANN)
                                .withSignature(BEN)
                                .withSignature(EVE)));
        assertUntouched(
                take(SimulatedNode.upgrade(1).withRelease(signed(GOOD))),
                ReasonCode.SIGNATURE_INVALID);
        people.write(first);
        assertUntouched(
                take(SimulatedNode.upgrade(2).withRelease(signed(GOOD))),
                ReasonCode.TRUST_UNUSABLE);
        assertThatThrownBy(() -> store().pinOrUpdateRoot())
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("rollback");
        people.write(
                first.withNextRoot(
                        TrustedSigners.root(2, EVE)
                                .withSignature(ANN)
                                .withSignature(BEN)
                                .withSignature(EVE)));
        byte[] byEve = GOOD.toUnsignedEnvelope().withSignature(EVE).bytes();
        assertThat(take(SimulatedNode.upgrade(3).withRelease(byEve)).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("E6: a root that others could have written, or that is gone, is not believed")
    void refusesARootOfOthers() throws IOException {
        Files.setPosixFilePermissions(
                people.file(),
                java.nio.file.attribute.PosixFilePermissions.fromString("rw-rw-rw-"));
        assertUntouched(
                take(SimulatedNode.upgrade(1).withRelease(signed(GOOD))),
                ReasonCode.TRUST_UNUSABLE);
        Files.delete(people.file());
        assertUntouched(
                take(SimulatedNode.upgrade(2).withRelease(signed(GOOD))),
                ReasonCode.TRUST_UNUSABLE);
    }

    @Test
    @DisplayName("The way back from the node's own backup needs nobody's signature, nor a root")
    void canAlwaysGoBackFromItsBackup() throws IOException {
        take(SimulatedNode.upgrade(1).withRelease(signed(GOOD)));
        calendar.today = GOOD.expires();
        Files.delete(people.file());
        Journal back = take(SimulatedNode.restore(2, 1));
        assertThat(back.ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(isOld()).isTrue();
    }

    @Test
    @DisplayName(
            "E8: without a backup only what this node once believed, and that may be gone back to")
    void fetchesAgainOnlyWhatItTrustedBefore() {
        Release old = release("chain", "v1", 4, 0, true, Digest.of(OLD), OLD.length);
        take(
                SimulatedNode.programOnly(1)
                        .withRelease(signed(release("v2", 5, Digest.of(NEW), NEW.length))));
        node.disk.delete(SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/manifest.json"));
        Journal unknown = take(SimulatedNode.restoreByAddress(2, 1));
        assertThat(unknown.ending().reason()).isEqualTo(ReasonCode.SIGNATURE_MISSING);
        CommandWithContents oldAgain = programOnlyOld(3);
        assertThat(take(oldAgain.withRelease(signed(old))).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
        take(
                SimulatedNode.programOnly(4)
                        .withRelease(signed(release("v2", 5, Digest.of(NEW), NEW.length))));
        node.disk.delete(SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/4/manifest.json"));
        Journal back = take(SimulatedNode.restoreByAddress(5, 4));
        assertThat(back.ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
    }

    private static CommandWithContents programOnlyOld(long attempt) {
        return SimulatedNode.delivery(
                attempt,
                new Work.Upgrade(
                        SimulatedNode.spec("old"),
                        "v1",
                        new Artifact(SimulatedNode.OLD_URL, Digest.of(OLD), OLD.length),
                        java.util.List.of(),
                        Digest.of(NEW),
                        SimulatedNode.oldConfigDigest().value(),
                        SimulatedNode.oldConfigDigest()));
    }

    @Test
    void whereItIsNotRequiredOnlyABadReleaseIsRefused() throws IOException {
        boot(false);
        assertUntouched(
                take(SimulatedNode.upgrade(1).withRelease(GOOD.toUnsignedEnvelope().bytes())),
                ReasonCode.SIGNATURE_INVALID);
        assertThat(take(SimulatedNode.upgrade(2)).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    private static Arguments attack(String name, ReasonCode reason, byte[] release) {
        return Arguments.of(name, reason, release);
    }

    @Test
    void pinningTwiceIsPinningOnce() throws IOException {
        assertThat(store().pinOrUpdateRoot()).isEqualTo(1);
        assertThat(store().pinOrUpdateRoot()).isEqualTo(1);
    }
}
