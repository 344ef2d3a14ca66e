package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandProcessorTest {
    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName("C2 C4: a duplicate is answered with the journal and does nothing")
    void answersADuplicateWithoutEffect() {
        agent.processor.process(SimulatedNode.upgrade(1));
        Map<String, Digest> before = node.disk.fileDigests();
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(node.disk.fileDigests()).isEqualTo(before);
        assertThat(agent.slot.takeResendRequest()).isTrue();
        assertThat(node.spawned).hasSize(2); // the old program once, the new one once
    }

    @Test
    @DisplayName("C4: an equal attempt with another body is refused and shown")
    void refusesAnotherBodyUnderTheSameNumber() {
        agent.processor.process(SimulatedNode.upgrade(1));
        CommandWithContents same = SimulatedNode.upgrade(1);
        ParsedCommand request = same.command();
        agent.processor.process(
                new CommandWithContents(
                        new ParsedCommand(
                                request.nodeId(),
                                request.rolloutId(),
                                1,
                                1,
                                Digest.of("another body").value(),
                                List.of(),
                                request.work()),
                        same.budget(),
                        same.contents()));
        assertThat(Objects.requireNonNull(agent.processor.latestCommandFinding()).code())
                .isEqualTo("BODY_DIFFERS");
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("B4 C4: a lower attempt or epoch has no effect, after a restart neither")
    void refusesWhatIsOld() {
        agent.processor.process(SimulatedNode.upgrade(5));
        SimulatedNode.Agent next = node.agent(2).boot();
        int started = node.spawned.size();
        next.processor.process(SimulatedNode.restore(4, 5));
        next.processor.process(withEpoch(SimulatedNode.restore(6, 5), 0));
        assertThat(node.spawned).hasSize(started);
        assertThat(next.journal(4)).isNull();
        assertThat(next.journal(6)).isNull();
        assertThat(next.processor.agentRecord().epoch()).isEqualTo(1);
    }

    @Test
    @DisplayName("D9: a node that is neither source nor target is refused as drifted, untouched")
    void refusesADriftedNode() {
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("etc/app.toml"),
                SimulatedNode.bytes("a = 3"),
                FileAttributes.CONFIG);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(reason(1)).isEqualTo(ReasonCode.DRIFTED);
        assertThat(node.spawned).hasSize(1);
    }

    @ParameterizedTest
    @DisplayName("D9: a file that is missing is drift, named by its path")
    @ValueSource(strings = {"/etc/peers.toml", "/bin/app"})
    void namesAFileThatIsMissing(String missing) {
        node.disk.delete(SimulatedNode.ROOT.resolve(missing.substring(1)));
        agent.processor.process(SimulatedNode.programOnly(1));
        assertThat(reason(1)).isEqualTo(ReasonCode.DRIFTED);
        assertThat(journal(1).ending().detail()).startsWith(missing + " is missing");
    }

    @Test
    void succeedsAtOnceWhenItIsThereAlready() {
        agent.processor.process(SimulatedNode.upgrade(1));
        int started = node.spawned.size();
        agent.processor.process(SimulatedNode.upgrade(2));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.spawned).hasSize(started);
        assertThat(journal(2).actions())
                .allMatch(entry -> entry.outcome().name().equals("ALREADY_DONE"));
    }

    @Test
    @DisplayName("D20 E1: bytes with another digest are refused, and the program never stopped")
    void neverStopsTheProgramForABadArtifact() {
        Artifact wrong =
                new Artifact(SimulatedNode.URL, Digest.of("else"), SimulatedNode.NEW.length);
        agent.processor.process(SimulatedNode.upgrade(1, wrong));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(reason(1)).isEqualTo(ReasonCode.CHECKSUM_MISMATCH);
        assertThat(node.spawned).hasSize(1);
        assertThat(journal(1).mayHaveMutated()).isFalse();
    }

    @Test
    @DisplayName("D16: without room the program is never stopped")
    void checksForSpaceBeforeItStopsTheProgram() {
        node.disk.limitCapacity(4L << 20);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(reason(1)).isEqualTo(ReasonCode.DISK_FULL);
        assertThat(node.spawned).hasSize(1);
        assertThat(journal(1).mayHaveMutated()).isFalse();
    }

    @Test
    @DisplayName("D16: a program that is installed needs no space for its artifact")
    void needsNoSpaceForAnInstalledArtifact() {
        node.configOnly = true;
        node.disk.limitCapacity(32L << 20);
        Artifact installed =
                new Artifact(SimulatedNode.URL, Digest.of(SimulatedNode.OLD), 1L << 30);
        agent.processor.process(SimulatedNode.upgrade(1, installed));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @ParameterizedTest
    @DisplayName(
            "D10 D14: one flipped bit in backup or manifest: nothing is written, and it sticks")
    @ValueSource(strings = {"file-0", "file-1", "manifest.json", "journal"})
    void restoresOnlyFromABackupThatThreeAgreeOn(String flipped) {
        agent.processor.process(SimulatedNode.upgrade(1));
        Path file =
                flipped.equals("journal")
                        ? SimulatedNode.STATE.resolve("attempts/1.json")
                        : SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/" + flipped);
        flip(file);
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isIn(AttemptOutcome.FAILED_ROLLBACK, AttemptOutcome.REFUSED);
        assertThat(reason(2)).isEqualTo(ReasonCode.BACKUP_MISMATCH);
        assertThat(
                        node.isAll(
                                SimulatedNode.NEW,
                                SimulatedNode.NEW_CONFIG,
                                SimulatedNode.NEW_PEERS,
                                "new"))
                .isTrue();
    }

    @Test
    @DisplayName(
            "D14: after a failure that could not be undone nothing is taken until it is cleared")
    void refusesWorkUntilItIsCleared() {
        agent.processor.process(SimulatedNode.upgrade(1));
        flip(SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/file-0"));
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        SimulatedNode.Agent next = node.agent(2).boot();
        next.processor.process(SimulatedNode.upgrade(3));
        assertThat(reason(3)).isEqualTo(ReasonCode.NEEDS_CLEAR);
        next.processor.process(
                SimulatedNode.delivery(4, new Work.ClearFailure("repaired by hand")));
        assertThat(outcome(4)).isEqualTo(AttemptOutcome.SUCCEEDED);
        next.processor.process(SimulatedNode.upgrade(5));
        assertThat(outcome(5)).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    void refusesARestoreWithoutABackup() {
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.restore(3, 2));
        assertThat(reason(3)).isEqualTo(ReasonCode.NO_BACKUP);
    }

    @Test
    void restoresAtOnceWhenNothingWasChanged() {
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.spawned).hasSize(1);
    }

    @Test
    @DisplayName("C3: A→B, B→A, A→B runs three times")
    void runsTheSameUpgradeAgainUnderANewNumber() {
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.restore(2, 1));
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(outcome(3)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.spawned)
                .containsExactly(
                        Digest.of(SimulatedNode.OLD).shortHex(),
                        Digest.of(SimulatedNode.NEW).shortHex(),
                        Digest.of(SimulatedNode.OLD).shortHex(),
                        Digest.of(SimulatedNode.NEW).shortHex());
    }

    @Test
    @DisplayName("D4: a program that does not end is never overwritten")
    void neverOverwritesAProgramThatDoesNotEnd() {
        SimulatedNode hanging =
                SimulatedNode.running(Map.of(Digest.of(SimulatedNode.OLD), ProgramBehavior.HANGS));
        SimulatedNode.Agent there = hanging.agent(1).boot();
        there.processor.process(SimulatedNode.upgrade(1));
        Journal journal = Objects.requireNonNull(there.journal(1));
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.STOP_FAILED);
        assertThat(hanging.disk.digest(SimulatedNode.ROOT.resolve("bin/app")))
                .isEqualTo(Digest.of(SimulatedNode.OLD));
    }

    @Test
    void killsAProgramThatIgnoresTermination() {
        SimulatedNode stubborn =
                SimulatedNode.running(
                        Map.of(Digest.of(SimulatedNode.OLD), ProgramBehavior.IGNORES_TERMINATION));
        SimulatedNode.Agent there = stubborn.agent(1).boot();
        there.processor.process(SimulatedNode.upgrade(1));
        Journal journal = Objects.requireNonNull(there.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("D15: whichever write fails, the node ends all old, or all new, or says it failed")
    void endsWholeWhicheverWriteFails() {
        int writes = 0;
        List<String> bad = new ArrayList<>();
        for (int failing = 0; failing < 400; failing++) {
            SimulatedNode tried = SimulatedNode.running(Map.of());
            SimulatedNode.Agent there = tried.agent(1).boot();
            int[] left = {failing};
            boolean[] failed = {false};
            tried.disk.setWriteHook(
                    () -> {
                        if (left[0]-- == 0) {
                            failed[0] = true;
                            throw new DiskFailure("no luck", false, new IllegalStateException());
                        }
                    });
            try {
                there.processor.process(SimulatedNode.upgrade(1));
            } catch (DiskFailure _) {
                // Before its journal is durable an attempt has not begun: the leader asks again.
                tried.disk.setWriteHook(() -> {});
                there.processor.process(SimulatedNode.upgrade(1));
            }
            if (!failed[0]) {
                break;
            }
            writes++;
            AttemptStatus status = Objects.requireNonNull(there.slot.currentStatus());
            if (!endsWhole(tried, status)) {
                bad.add(failing + " " + status.journal().ending());
            }
        }
        assertThat(bad).isEmpty();
        assertThat(writes).isBetween(60, 399);
    }

    @Test
    @DisplayName("R1, D15: whichever write fails, a withdrawal afterwards closes the attempt")
    void aWithdrawalClosesWhatAFailingDiskLeftOpen() {
        for (int failing = 0; failing < 60; failing++) {
            SimulatedNode tried = SimulatedNode.running(Map.of());
            SimulatedNode.Agent there = tried.agent(1).boot();
            int[] left = {failing};
            tried.disk.setWriteHook(
                    () -> {
                        if (left[0]-- == 0) {
                            throw new DiskFailure("no luck", false, new IllegalStateException());
                        }
                    });
            try {
                there.processor.process(SimulatedNode.upgrade(1));
            } catch (DiskFailure _) {
                // The leader asks for the attempt's end while the node says nothing of it.
            }
            tried.disk.setWriteHook(() -> {});

            there.processor.withdraw(new Withdrawal(1, 9));

            AttemptStatus status = Objects.requireNonNull(there.slot.currentStatus());
            assertThat(status.journal().attempt()).as("write %d", failing).isEqualTo(1);
            assertThat(status.isTerminal()).as("write %d", failing).isTrue();
            assertThat(there.slot.findUnacknowledgedOrRequested()).as("it is told").isNotNull();
        }
    }

    @Test
    @DisplayName("C2, D15: an end told while the disk took nothing stays the end once it does")
    void keepsItsReportAfterADiskFault() {
        int received = 0;
        for (int failing = 0; failing < 120; failing++) {
            SimulatedNode tried = SimulatedNode.running(Map.of());
            SimulatedNode.Agent there = tried.agent(1).boot();
            int[] left = {failing};
            tried.disk.setWriteHook(
                    () -> {
                        if (left[0]-- <= 0) {
                            throw new DiskFailure("no luck", false, new IllegalStateException());
                        }
                    });
            try {
                there.processor.process(SimulatedNode.upgrade(1));
            } catch (DiskFailure _) {
                // Before its journal is durable an attempt has not begun.
            }
            AttemptStatus before = there.slot.currentStatus();
            boolean owing = there.processor.hasUnpersistedResult();
            tried.disk.setWriteHook(() -> {});
            assertThat(before == null ? isAllOld(tried) : endsWhole(tried, before))
                    .as("write %d, while the disk fails", failing)
                    .isTrue();

            there.processor.process(SimulatedNode.upgrade(1));

            if (before != null && before.isTerminal()) {
                received++;
                assertThat(owing).as("write %d", failing).isTrue();
                assertThat(there.slot.currentStatus()).as("write %d", failing).isEqualTo(before);
                assertThat(there.journal(1)).as("write %d", failing).isEqualTo(before.journal());
            }
            assertThat(there.processor.hasUnpersistedResult()).isFalse();
        }
        assertThat(received).isPositive();
    }

    private static boolean isAllOld(SimulatedNode tried) {
        return tried.isAll(
                SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    private static boolean endsWhole(SimulatedNode tried, AttemptStatus status) {
        boolean old = isAllOld(tried);
        boolean fresh =
                tried.isAll(
                        SimulatedNode.NEW,
                        SimulatedNode.NEW_CONFIG,
                        SimulatedNode.NEW_PEERS,
                        "new");
        return switch (status.journal().ending().outcome()) {
            case SUCCEEDED -> fresh;
            case FAILED -> old;
            case FAILED_ROLLBACK -> tried.violations.isEmpty();
            case IN_PROGRESS, REFUSED, WITHDRAWN, RESTORED -> old;
        };
    }

    private static CommandWithContents withEpoch(CommandWithContents delivery, long epoch) {
        ParsedCommand request = delivery.command();
        return new CommandWithContents(
                new ParsedCommand(
                        request.nodeId(),
                        request.rolloutId(),
                        request.attempt(),
                        epoch,
                        request.bodyDigest(),
                        List.of(),
                        request.work()),
                delivery.budget(),
                delivery.contents());
    }

    private void flip(Path file) {
        byte[] content = node.disk.readAll(file);
        String text = SimulatedNode.text(content);
        String old = Digest.of(SimulatedNode.OLD).value();
        // In JSON a digit of a digest, so that it can still be read; elsewhere any bit.
        byte[] flipped =
                file.toString().endsWith(".json")
                        ? SimulatedNode.bytes(
                                text.replace(old, Digest.of("another digest").value()))
                        : SimulatedNode.bytes("x" + text.substring(1));
        assertThat(flipped).isNotEqualTo(content);
        node.disk.putDurableFile(file, flipped, FileAttributes.PRIVATE);
    }

    private Journal journal(long attempt) {
        return Objects.requireNonNull(node.agent(99).journal(attempt));
    }

    private AttemptOutcome outcome(long attempt) {
        return journal(attempt).ending().outcome();
    }

    private ReasonCode reason(long attempt) {
        return journal(attempt).ending().reason();
    }
}
