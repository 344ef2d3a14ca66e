package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.attempt.AttemptPruner;
import drover.opsagent.fetch.ResumableDownload;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.JournalStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes after an attempt, and that no way back goes with it. */
class AttemptPrunerTest {
    private static final Path BACKUPS = SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1");
    private static final Path STAGING = SimulatedNode.STATE.resolve("staging");

    private final Map<Digest, ProgramBehavior> behaviours = new HashMap<>();
    private final SimulatedNode node = SimulatedNode.running(behaviours);
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName(
            "D8 A13: three upgrades are taken back one after the other, each by its own backup")
    void everyUpgradeOfAChainCanBeTakenBack() {
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(upgradeToOld(2));
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(backups(node)).containsExactly(1L, 2L, 3L);

        agent.processor.process(SimulatedNode.restore(4, 3));
        agent.processor.process(restoreOfNew(5, 2));
        agent.processor.process(SimulatedNode.restore(6, 1));

        assertThat(List.of(outcome(4), outcome(5), outcome(6)))
                .containsOnly(AttemptOutcome.RESTORED);
        assertThat(isAllOld(node)).isTrue();
    }

    @Test
    @DisplayName("I6: what was taken back, and what failed, goes with the next success")
    void unreachableBackupsAreDeletedWithTheNextSuccess() {
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.restore(2, 1));
        behaviours.put(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS);
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(outcome(3)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(backups(node)).as("nothing has succeeded since").containsExactly(1L, 3L);
        behaviours.clear();

        agent.processor.process(SimulatedNode.upgrade(4));

        assertThat(backups(node)).containsExactly(4L);
        assertThat(node.disk.list(SimulatedNode.STATE.resolve("attempts")))
                .filteredOn(file -> file.toString().endsWith(".json"))
                .as("journals stay")
                .hasSize(4);
        agent.processor.process(SimulatedNode.restore(5, 4));
        assertThat(isAllOld(node)).isTrue();
    }

    @Test
    @DisplayName("D8: stopped anywhere, a backup is whole or none, and the way back stays")
    void aHalfRemovedBackupIsNoBackup() {
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.restore(2, 1));
        List<SimulatedNode> stopped = new ArrayList<>();
        node.disk.setWriteHook(
                () -> {
                    if (isOver(3)) {
                        stopped.add(node.snapshot());
                    }
                });
        agent.processor.process(SimulatedNode.upgrade(3));
        stopped.add(node.snapshot());
        assertThat(stopped).as("writes after the end").hasSizeGreaterThan(5);
        for (SimulatedNode at : stopped) {
            assertGoesBack(at.snapshot());
            for (long kept = 0; kept < 1L << Math.min(6, at.disk.pendingWriteCount()); kept++) {
                assertGoesBack(at.afterPowerFailure(kept));
            }
        }
    }

    @Test
    @DisplayName("An unfinished download survives failed attempts, not a successful one")
    void anUnfinishedDownloadIsLeftToTheRetry() {
        leaveUnfinishedDownload(Digest.of(SimulatedNode.NEW));
        node.disk.limitCapacity(1 << 20); // less than the margin of an upgrade
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(node.disk.list(STAGING)).hasSize(2);

        node.disk.limitCapacity(Long.MAX_VALUE);
        agent.processor.process(SimulatedNode.upgrade(2));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.disk.list(STAGING)).isEmpty();
    }

    @Test
    @DisplayName("It survives a restore and a rejected attempt, too")
    void anUnfinishedDownloadSurvivesWhatDownloadsNothing() {
        agent.processor.process(SimulatedNode.upgrade(1));
        leaveUnfinishedDownload(Digest.of("another"));
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.disk.list(STAGING)).hasSize(2);

        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("etc/app.toml"),
                SimulatedNode.bytes("a = 3"),
                FileAttributes.CONFIG);
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(outcome(3)).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(node.disk.list(STAGING)).hasSize(2);
    }

    @Test
    @DisplayName("It survives a successful upgrade of the agent")
    void keepsAnUnfinishedDownloadAfterAnUpgradeOfTheAgent() {
        leaveUnfinishedDownload(Digest.of("another"));
        JournalStore journals = new JournalStore(agent.state);
        CommandWithContents upgrade = AgentPair.upgrade(1);
        journals.save(
                Journal.accepted(
                                new ProgramAttemptJournalCreator(
                                                agent.state, journals, agent.runtime)
                                        .newAssignment(
                                                upgrade.command(),
                                                upgrade.budget(),
                                                ProgramAttemptJournalCreator.workOrNoWork(upgrade)),
                                new PreUpgradeState.NotNeeded())
                        .withResult(
                                AttemptOutcome.SUCCEEDED,
                                ReasonCode.NONE,
                                "",
                                ObservedProgram.NOTHING));

        new AttemptPruner(agent.state, journals, agent.runtime).pruneAfterAttempt(0);

        assertThat(node.disk.list(STAGING)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("D16: bytes that an upgrade does not continue are deleted before its first copy")
    void deletesOtherDownloadsBeforeItChecksTheSpace(boolean configOnly) {
        node.configOnly = configOnly;
        leaveUnfinishedDownload(configOnly ? Digest.of(SimulatedNode.OLD) : Digest.of("another"));
        List<Path> stagedAtFirstCopy = new ArrayList<>();
        node.disk.setWriteHook(
                () -> {
                    if (node.disk.list(BACKUPS.resolve("1")).size() == 1) {
                        stagedAtFirstCopy.addAll(node.disk.list(STAGING));
                    }
                });

        agent.processor.process(
                configOnly ? SimulatedNode.configOnly(1) : SimulatedNode.upgrade(1));

        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(stagedAtFirstCopy).isEmpty();
    }

    private void leaveUnfinishedDownload(Digest digest) {
        DurableFiles files = new DurableFiles(node.disk, new Random(8));
        files.createDirectories(STAGING);
        try (ResumableDownload left =
                ResumableDownload.openAndCleanDirectory(files, STAGING.resolve("left"), digest)) {
            left.restart("\"one\"");
            left.write(new byte[] {1, 2, 3}, 0, 3);
        }
    }

    @Test
    @DisplayName("Space for the journal is freed from an unfinished download, too")
    void freesTheSpaceOfAnUnfinishedDownload() {
        agent.processor.process(SimulatedNode.upgrade(1));
        leaveUnfinishedDownload(Digest.of("another"));
        Journal journal = Objects.requireNonNull(agent.journal(1));
        String untagged = journal.assignment().stagingName() + ".part";
        node.disk.putDurableFile(
                STAGING.resolve(untagged), SimulatedNode.NEW, FileAttributes.PRIVATE);

        new ProgramAttemptOperations(agent.state, new JournalStore(agent.state), agent.runtime)
                .deleteStaged(journal);

        assertThat(node.disk.list(STAGING)).isEmpty();
    }

    private static void assertGoesBack(SimulatedNode after) {
        SimulatedNode.Agent again = after.agent(7).boot();
        Path first = BACKUPS.resolve("1");
        if (again.runtime.isBackedUp(first)) {
            PreUpgradeState.Recorded before =
                    Objects.requireNonNull(again.journal(1)).before().requireRecorded();
            again.runtime.requireRestorable(first, before);
        }
        again.processor.process(SimulatedNode.restore(4, 3));
        assertThat(isAllOld(after)).isTrue();
        again.processor.process(SimulatedNode.upgrade(5));
        assertThat(backups(after)).as("what was left of the others goes too").containsExactly(5L);
    }

    @Test
    @DisplayName("I6: a disk that refuses to remove anything changes no answer")
    void whatCannotBeRemovedStays() {
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.restore(2, 1));
        node.disk.setWriteHook(
                () -> {
                    if (isOver(3) && isReported(3)) {
                        throw new DiskFailure("the disk is gone", false, new IOException());
                    }
                });

        agent.processor.process(SimulatedNode.upgrade(3));

        assertThat(outcome(3)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(backups(node)).contains(1L);
        node.disk.setWriteHook(() -> {});
        agent.processor.process(SimulatedNode.restore(4, 3));
        assertThat(isAllOld(node)).isTrue();
    }

    @Test
    @DisplayName(
            "I6: what an agent left that was killed at the end of an attempt goes with the next")
    void removesWhatAKilledAgentLeft() {
        agent.processor.process(SimulatedNode.upgrade(1));
        Path content = agent.state.contents(1).resolve("left");
        Path staged = agent.state.staging().resolve("left");
        Path orphan = BACKUPS.resolve("0/file-0");
        agent.state.files().createDirectories(BACKUPS.resolve("0"));
        agent.state.files().createDirectories(agent.state.contents(1));
        for (Path file : List.of(content, staged, orphan)) {
            node.disk.putDurableFile(file, SimulatedNode.bytes("x"), FileAttributes.PRIVATE);
        }

        agent.processor.process(SimulatedNode.restore(2, 1));

        assertThat(List.of(content, staged, orphan)).noneMatch(agent.state::exists);
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
    }

    /** From the new version on to the old one, as an upgrade like any other. */
    private static CommandWithContents upgradeToOld(long attempt) {
        CommandWithContents plain =
                SimulatedNode.delivery(
                        attempt,
                        new Work.Upgrade(
                                SimulatedNode.spec("old"),
                                "v3",
                                new Artifact(
                                        SimulatedNode.OLD_URL,
                                        Digest.of(SimulatedNode.OLD),
                                        SimulatedNode.OLD.length),
                                List.of(
                                        new ConfigFile(
                                                SimulatedNode.CONFIG,
                                                Digest.of(SimulatedNode.OLD_CONFIG)),
                                        new ConfigFile(
                                                SimulatedNode.PEERS,
                                                Digest.of(SimulatedNode.OLD_PEERS))),
                                Digest.of(SimulatedNode.NEW),
                                SimulatedNode.newConfigDigest().value(),
                                SimulatedNode.oldConfigDigest()));
        return new CommandWithContents(
                plain.command(),
                Duration.ofSeconds(550),
                Map.of(
                        Digest.of(SimulatedNode.OLD_CONFIG), SimulatedNode.OLD_CONFIG,
                        Digest.of(SimulatedNode.OLD_PEERS), SimulatedNode.OLD_PEERS));
    }

    private static CommandWithContents restoreOfNew(long attempt, long ofAttempt) {
        return SimulatedNode.delivery(
                attempt,
                new Work.Restore(
                        "app",
                        ofAttempt,
                        Digest.of(SimulatedNode.NEW),
                        SimulatedNode.newConfigDigest()));
    }

    private static List<Long> backups(SimulatedNode node) {
        return node.disk.list(BACKUPS).stream()
                .map(backup -> Long.valueOf(String.valueOf(backup.getFileName())))
                .sorted()
                .toList();
    }

    private boolean isOver(long attempt) {
        Journal journal = agent.journal(attempt);
        return journal != null && journal.hasEnded();
    }

    private boolean isReported(long attempt) {
        return agent.slot.currentStatus() != null
                && Objects.requireNonNull(agent.slot.currentStatus()).journal().attempt() == attempt
                && Objects.requireNonNull(agent.slot.currentStatus()).isTerminal();
    }

    private static boolean isAllOld(SimulatedNode node) {
        return node.isAll(
                SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    private AttemptOutcome outcome(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt)).ending().outcome();
    }
}
