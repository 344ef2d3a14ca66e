package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.AgentPair.Killed;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.AttemptDiagram;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.OwnerRootsUpdatingAuthorizer;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import drover.opsagent.trust.RootOfTrustStore;
import drover.opsagent.trust.SignedReleaseAuthorizer;
import drover.opsagent.trust.TrustedSigners;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import drover.trust.release.Release;
import drover.trust.release.ReleaseArtifact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seed 001 in one thread: every failure mode, and an end at every write. */
class AgentUpgradeTest {
    @TempDir Path directory;
    private AgentPair node;

    @BeforeEach
    void anAgentOfVersionOne() throws IOException {
        node = new AgentPair(directory.resolve("node"));
    }

    @Test
    @DisplayName("E7: where the owner asks for signatures, an agent is not replaced without")
    void takesSignedVersionsOfItselfAlone() throws IOException {
        TrustedSigners people = new TrustedSigners(directory);
        AgentPair.Agent requested = node.agent(AgentPair.ONE);
        RootOfTrustStore trust = new RootOfTrustStore(requested.state, people.demand(true));
        trust.pinOrUpdateRoot();
        node.releases =
                SignedReleaseAuthorizer.of(
                        people.demand(true), requested.state, "linux/amd64", node.ticker);

        Journal unsigned = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        assertThat(unsigned.ending().reason()).isEqualTo(ReasonCode.SIGNATURE_MISSING);
        assertThat(node.versions().list()).as("nothing was fetched").containsExactly(AgentPair.ONE);

        CommandWithContents other =
                AgentPair.upgrade(2).withRelease(TrustedSigners.signed(release("chain", "app")));
        assertThat(node.toTheEnd(AgentPair.ONE, other, false).ending().reason())
                .isEqualTo(ReasonCode.RELEASE_DIFFERS);

        String agents = Work.AgentUpgrade.PROGRAM;
        CommandWithContents signed =
                AgentPair.upgrade(3).withRelease(TrustedSigners.signed(release(agents, agents)));
        assertThat(node.toTheEnd(AgentPair.ONE, signed, false).ending().outcome())
                .isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.toTheEnd(AgentPair.TWO, AgentPair.restore(4, 3), false).ending().outcome())
                .as("the way back is on the disk, and needs nobody's word")
                .isEqualTo(AttemptOutcome.RESTORED);
    }

    private static Release release(String chain, String program) {
        return new Release(
                new ChainProfileId(chain),
                List.of(new NodeType("full")),
                new BinaryName(program),
                new Version("2.0.0"),
                1,
                0,
                true,
                TrustedSigners.NOW.plus(Duration.ofDays(30_000)),
                List.of(
                        new ReleaseArtifact(
                                ReleaseArtifact.ANY,
                                Digest.of(AgentPair.NEW),
                                AgentPair.NEW.length)),
                List.of(),
                "");
    }

    @Test
    @DisplayName("The successor takes over, and it alone says that the attempt has succeeded")
    void handsOver() {
        AgentPair.Agent old = node.agent(AgentPair.ONE).boot();
        assertThatThrownBy(() -> old.processor.process(AgentPair.upgrade(1)))
                .hasMessageContaining("successor takes over");
        assertThat(old.left).isTrue();
        AttemptStatus last = Objects.requireNonNull(old.slot.currentStatus());
        assertThat(last.isHandingOver()).isTrue();
        assertThat(last.isTerminal()).isFalse();
        AgentPair.Agent heir = node.agent(AgentPair.TWO).boot();
        Journal journal = heir.journal(1);
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(journal.ending().seen().runningDigest())
                .isEqualTo(Digest.of(AgentPair.NEW).value());
        assertThat(journal.before().requireRecorded().digest())
                .isEqualTo(Digest.of(AgentPair.OLD).value());
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.TWO);
        assertThat(node.versions().list()).containsExactly(AgentPair.ONE, AgentPair.TWO);
    }

    @Test
    @DisplayName("Staging fails: nothing else is touched, and the same version again tries again")
    void staysWhenStagingFails() {
        node.served = AgentPair.OLD;
        Journal failed = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        assertThat(failed.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.CHECKSUM_MISMATCH);
        assertThat(node.successors.recordedCalls()).isEmpty();
        assertThat(node.versions().list()).containsExactly(AgentPair.ONE);
        node.served = AgentPair.NEW;
        Journal again = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(2), false);
        assertThat(again.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("The self-test fails: the old agent stays, the new version stays to be looked at")
    void staysWhenTheSelfTestFails() {
        node.selfTest =
                (jar, version, deadline) -> {
                    throw new ActionFailed(ReasonCode.SELF_TEST_FAILED, "exit code 3");
                };
        Journal failed = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        assertThat(failed.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.SELF_TEST_FAILED);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.ONE);
        assertThat(node.versions().list()).contains(AgentPair.TWO);
        assertThat(node.successors.recordedCalls()).isEmpty();

        node.selfTest = (jar, version, deadline) -> {};
        Journal again = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(2), false);
        assertThat(again.ending().outcome())
                .as("the same version is asked for again, and tried again")
                .isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("An older version is removed between its self-test and the swap: the link stays")
    void staysWhenTheVersionIsRemovedMeanwhile() {
        node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        int before = node.successors.recordedCalls().size();
        node.selfTest = (jar, version, deadline) -> node.versions().prune(1, Set.of(AgentPair.TWO));
        Journal failed = node.toTheEnd(AgentPair.TWO, older(2), false);
        assertThat(failed.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.ARTIFACT_NOT_FOUND);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.TWO);
        assertThat(
                        node.successors
                                .recordedCalls()
                                .subList(before, node.successors.recordedCalls().size()))
                .as("nothing was let start")
                .doesNotContain("start 1.0.0");
    }

    @Test
    @DisplayName("Not heard within a minute: link back, successor stopped, the old one stays")
    void restoresWhenTheSuccessorDoesNotReport() {
        node.receives = false;
        Journal failed = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        assertThat(failed.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.SUCCESSOR_UNSEEN);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.ONE);
        assertThat(node.successors.recordedCalls()).containsExactly("start 2.0.0", "stop 2.0.0");
        assertThat(Duration.ofNanos(node.ticker.nanos()))
                .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(75));
    }

    @Test
    @DisplayName("Silence of the control plane, for hours: both stay; its voice ends it")
    void staysWhileTheControlPlaneIsUnresponsive() {
        node.acknowledges = false;
        long hours = Duration.ofHours(5).toNanos();
        AgentPair.Agent old = node.agent(AgentPair.ONE).boot();
        Runnable controlPlane = node.ticker.during;
        node.ticker.during =
                () -> {
                    assertThat(node.successors.recordedCalls()).doesNotContain("stop 2.0.0");
                    node.acknowledges = node.ticker.nanos() > hours;
                    controlPlane.run();
                };
        assertThatThrownBy(() -> old.processor.process(AgentPair.upgrade(1)))
                .hasMessageContaining("successor takes over");
        assertThat(node.ticker.nanos()).isGreaterThan(hours);
    }

    @Test
    @DisplayName("Heard, and never let go: the old agent waits without limit")
    void waitsOnceTheSuccessorWasSeen() {
        node.receives = false;
        node.reportsSeen = true;
        long hours = Duration.ofHours(5).toNanos();
        AgentPair.Agent old = node.agent(AgentPair.ONE).boot();
        Runnable controlPlane = node.ticker.during;
        node.ticker.during =
                () -> {
                    node.receives = node.ticker.nanos() > hours;
                    controlPlane.run();
                };
        assertThatThrownBy(() -> old.processor.process(AgentPair.upgrade(1)))
                .hasMessageContaining("successor takes over");
        assertThat(node.ticker.nanos()).isGreaterThan(hours);
    }

    @Test
    @DisplayName("A successor that falls is let start again, and nobody leaves the node to it")
    void startsAFallenSuccessorAgain() {
        node.receives = false;
        AgentPair.Agent old = node.agent(AgentPair.ONE).boot();
        Runnable controlPlane = node.ticker.during;
        node.ticker.during =
                () -> {
                    if (node.ticker.nanos() > Duration.ofSeconds(10).toNanos()
                            && node.successors.recordedCalls().size() == 1) {
                        node.successors.crash(AgentPair.TWO);
                        old.notices.setStopRequest(1, ""); // too late: it has just ended
                    }
                    controlPlane.run();
                };
        assertThatThrownBy(() -> old.processor.process(AgentPair.upgrade(1)))
                .hasMessageContaining("successor takes over");
        assertThat(node.successors.recordedCalls()).containsExactly("start 2.0.0", "start 2.0.0");
    }

    @Test
    @DisplayName("A successor that cannot be started: back at once")
    void turnsBackWhenTheSuccessorCannotBeStarted() {
        node.successors.refuseStarts();
        Journal failed = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        assertThat(failed.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.SUCCESSOR_FAILED);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.ONE);
    }

    @Test
    @DisplayName("An older version is the same way: the jar is there still, found by its bytes")
    void goesBackToTheVersionBefore() {
        node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        node.served = new byte[0]; // nothing is fetched
        Journal back = node.toTheEnd(AgentPair.TWO, AgentPair.restore(2, 1), false);
        assertThat(back.ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(back.ending().seen().runningDigest())
                .isEqualTo(Digest.of(AgentPair.OLD).value());
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.ONE);
        assertThat(node.versions().list()).containsExactly(AgentPair.ONE, AgentPair.TWO);
    }

    @Test
    @DisplayName("An older version is wanted: the same script, and nothing to fetch")
    void goesToAnOlderVersionThatIsWanted() {
        node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        node.served = new byte[0];
        Journal down = node.toTheEnd(AgentPair.TWO, older(2), false);
        assertThat(down.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.ONE);
        assertThat(node.versions().list()).containsExactly(AgentPair.ONE, AgentPair.TWO);
    }

    private static CommandWithContents older(long attempt) {
        Artifact artifact =
                new Artifact(AgentPair.URL, Digest.of(AgentPair.OLD), AgentPair.OLD.length);
        return AgentPair.delivery(
                attempt,
                new Work.AgentUpgrade("1.0.0", artifact, Digest.of(AgentPair.NEW).value(), 0));
    }

    @Test
    @DisplayName("What runs already succeeds without a hand-over")
    void succeedsWhenItIsThere() {
        node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        int before = node.successors.recordedCalls().size();
        Journal again = node.toTheEnd(AgentPair.TWO, AgentPair.upgrade(2), false);
        assertThat(again.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.successors.recordedCalls()).hasSize(before);
    }

    @Test
    @DisplayName("A stop for another attempt or another agent is not followed")
    void ignoresAStopThatIsNotMeant() {
        node.receives = false;
        AgentPair.Agent old = node.agent(AgentPair.ONE).boot();
        old.notices.setStopRequest(7, "");
        old.processor.process(AgentPair.upgrade(1));
        assertThat(old.left).isFalse();
        old.notices.setStopRequest(2, Digest.of("another").value());
        old.processor.process(AgentPair.upgrade(2));
        assertThat(old.left).isFalse();
    }

    @Test
    @DisplayName("H8: where commands must be signed, no gateway makes an agent leave its node")
    void stopsOnlyForACoordinator() throws IOException {
        TrustedSigners people = new TrustedSigners(directory);
        people.write(TrustedSigners.commanded());
        SignaturePolicy.VerifyReleases demand =
                people.demand(false).withSignedCommandsFor(TrustedSigners.NODE);
        AgentPair.Agent requested = node.agent(AgentPair.ONE);
        new RootOfTrustStore(requested.state, demand).pinOrUpdateRoot();
        node.commands = OwnerRootsUpdatingAuthorizer.of(demand, requested.state, node.ticker);

        Journal forged = node.toTheEnd(AgentPair.ONE, commanded(1), false);
        assertThat(forged.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(forged.ending().reason()).isEqualTo(ReasonCode.SUCCESSOR_UNSEEN);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.ONE);
        assertThat(node.finding)
                .as("for an incident")
                .map(AgentFinding::code)
                .contains("COMMAND_UNSIGNED");

        Digest stop =
                CommandAuthorization.handoverStopDigest(
                        TrustedSigners.NODE, 2, Digest.of(AgentPair.NEW).value());
        node.stopSigned =
                TrustedSigners.authorized(
                        SignedMessageKind.STOP, stop, 1, TrustedSigners.NOW, TrustedSigners.ONLINE);
        Journal done = node.toTheEnd(AgentPair.ONE, commanded(2), false);
        assertThat(done.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.versions().readCurrentVersion()).isEqualTo(AgentPair.TWO);
    }

    private static CommandWithContents commanded(long attempt) {
        CommandWithContents plain = AgentPair.upgrade(attempt);
        return plain.withAuthorization(
                TrustedSigners.authorized(
                        new Digest(plain.command().bodyDigest()),
                        TrustedSigners.NOW,
                        TrustedSigners.ONLINE));
    }

    @Test
    @DisplayName("Versions are never replaced, and other bytes of the same version are refused")
    void refusesOtherBytesOfAVersion() throws IOException {
        node.install(AgentPair.TWO, SimulatedNode.bytes("something else"));
        Journal failed = node.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), false);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.VERSION_TAKEN);
        assertThat(Files.readString(node.versions().jar(AgentPair.TWO)))
                .isEqualTo("something else");
    }

    @ParameterizedTest
    @DisplayName("D9: another agent than the source, or no version, is refused before it begins")
    @CsvSource({"2.0.0, something, DRIFTED", "2.0, '', MALFORMED_BODY"})
    void refuses(String version, String source, ReasonCode reason) {
        Work.AgentUpgrade work =
                new Work.AgentUpgrade(
                        version,
                        new Artifact(AgentPair.URL, Digest.of(AgentPair.NEW), 0),
                        source.isEmpty() ? "" : Digest.of(source).value(),
                        0);
        Journal refused = node.toTheEnd(AgentPair.ONE, AgentPair.delivery(1, work), false);
        assertThat(refused.ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(refused.ending().reason()).isEqualTo(reason);
    }

    @Test
    @DisplayName("An agent that is part of something else says so")
    void refusesWithoutAJarOfItsOwn() {
        Journal refused =
                new AgentUpgradeJournalCreator(
                                new AgentPackaging.Embedded(),
                                ReleaseAuthorizerAndRecorder.ALLOW_ALL)
                        .prepareUpgrade(
                                (Work.AgentUpgrade)
                                        ProgramAttemptJournalCreator.workOrNoWork(
                                                AgentPair.upgrade(1)),
                                new byte[0],
                                work -> new Assignment(1, "", "", work, Duration.ZERO, "none"));
        assertThat(refused.ending().reason()).isEqualTo(ReasonCode.NO_OWN_JAR);
    }

    @Test
    @DisplayName(
            "C8 D1: an agent ends before any write, and before any of the next one's: one result")
    void endsAnywhere() throws IOException {
        Set<AttemptDiagram.Move> made = new HashSet<>();
        for (boolean receives : new boolean[] {true, false}) {
            for (boolean heirFirst : new boolean[] {true, false}) {
                int writes = 1;
                while (endsAt(writes, receives, heirFirst, false, made)) {
                    writes++;
                }
                assertThat(writes).isGreaterThan(40);
            }
        }
        assertThat(AttemptDiagram.agentMoves().keySet()).containsAll(made);
        assertThat(made)
                .contains(
                        new AttemptDiagram.Move("handover", "verify_target"),
                        new AttemptDiagram.Move("handover", "restore_current"),
                        new AttemptDiagram.Move("restore_successor", "verify_restored"));
    }

    @Test
    @DisplayName("C8 D12: the machine loses its power before any write: `current` ends it alone")
    void endsWhereverThePowerIsCut() throws IOException {
        for (boolean receives : new boolean[] {true, false}) {
            int writes = 1;
            while (endsAt(writes, receives, false, true, new HashSet<>())) {
                writes++;
            }
            assertThat(writes).isGreaterThan(40);
        }
    }

    /** Whether there was such a write. The second agent is ended at its third one, too. */
    private boolean endsAt(
            int write,
            boolean receives,
            boolean heirFirst,
            boolean losesPower,
            Set<AttemptDiagram.Move> made)
            throws IOException {
        AgentPair pair = new AgentPair(directory.resolve(receives + "-" + heirFirst + "-" + write));
        pair.receives = receives;
        pair.losesPower = losesPower;
        int[] left = {write, 3};
        int[] round = {0};
        @Nullable String[] last = {null};
        DurableFiles files = new DurableFiles(new LocalDisk(), new Random(1));
        JournalStore journals =
                new JournalStore(new StateDirectory(pair.directory.resolve("state"), files));
        pair.beforeEachWrite =
                () -> {
                    note(journals, last, made);
                    if (round[0] < 2 && --left[round[0]] == 0) {
                        round[0]++;
                        throw new Killed();
                    }
                };
        Journal journal = pair.toTheEnd(AgentPair.ONE, AgentPair.upgrade(1), heirFirst);
        String at =
                "hears=%s heirFirst=%s losesPower=%s write=%d"
                        .formatted(receives, heirFirst, losesPower, write);
        AttemptOutcome outcome = journal.ending().outcome();
        assertThat(outcome).as(at).isIn(AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED);
        boolean there = outcome == AttemptOutcome.SUCCEEDED;
        assertThat(there || !receives || !losesPower)
                .as("a cut alone turns nothing back: " + at)
                .isTrue();
        assertThat(pair.versions().readCurrentVersion())
                .as(at)
                .isEqualTo(there ? AgentPair.TWO : AgentPair.ONE);
        assertThat(journal.ending().seen().runningDigest())
                .as(at)
                .isEqualTo(Digest.of(there ? AgentPair.NEW : AgentPair.OLD).value());
        assertThat(pair.successors.isAlive(AgentPair.TWO) && !there).as(at).isFalse();
        return round[0] > 0;
    }

    private static void note(
            JournalStore journals, @Nullable String[] last, Set<AttemptDiagram.Move> made) {
        Journal journal = journals.loadLatest();
        if (journal == null) {
            return;
        }
        String now = AttemptDiagram.state(journal);
        if (last[0] != null && !last[0].equals(now)) {
            made.add(new AttemptDiagram.Move(last[0], now));
        }
        last[0] = now;
    }
}
