package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Clears of a node whose restore failed and whose program is down. */
class NodeClearTest {
    private static final Path BACKUP =
            SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/file-0");

    private static final byte[] OTHER_CONTENT = SimulatedNode.bytes("other program");
    private static final Digest OTHER = Digest.of(OTHER_CONTENT);

    private static final Duration STABLE = Duration.ofSeconds(3);

    private final Map<Digest, ProgramBehavior> behaviors =
            new HashMap<>(Map.of(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS));
    private final SimulatedNode node = SimulatedNode.running(behaviors);
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName("D14: a clear starts a program that is down, and then takes the mark off")
    void startsTheRepairedProgram() {
        failRestoreOfAttemptOne();
        repairProgram();

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(result(2).seen().runningDigest())
                .isEqualTo(Digest.of(SimulatedNode.NEW).value());
        assertThat(node.processes.allProcesses()).hasSize(1);
    }

    @Test
    @DisplayName("D14: if the program does not stay up, a clear leaves the mark and says why")
    void leavesTheMarkIfTheProgramDoesNotStayUp() {
        failRestoreOfAttemptOne();

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(result(2).reason()).isEqualTo(ReasonCode.START_FAILED);
        assertThat(result(2).detail())
                .isEqualTo(
                        "app ended within 1.0 s of its start with an unknown exit code (it printed"
                                + " nothing): correct the cause.");
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(result(3).reason()).isEqualTo(ReasonCode.NEEDS_CLEAR);
    }

    @Test
    @DisplayName("D14: after a refused clear the program stays down until the next clear")
    void startsNothingAfterARefusedClear() {
        failRestoreOfAttemptOne();
        agent.processor.process(clear(2));
        repairProgram();

        supervise();

        assertThat(node.processes.allProcesses()).isEmpty();
        agent.processor.process(clear(3));
        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.processes.allProcesses()).hasSize(1);
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("D3: a clear does not start files of two versions, and names two of them")
    void refusesAMixture() {
        failRestoreOfAttemptOne();
        repairProgram();
        put("bin/app", SimulatedNode.OLD);

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(result(2).reason()).isEqualTo(ReasonCode.PROOF_FAILED);
        assertThat(result(2).detail())
                .isEqualTo(
                        "app is not started: /bin/app is of the version before attempt 1,"
                                + " /etc/app.toml of the version that it installed. Copy the files"
                                + " of one version to the node, then clear it again.");
        supervise();
        assertThat(node.processes.allProcesses()).isEmpty();
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("D3: a mixture that was supervised is not started after a refused clear")
    void endsTheSupervisionOfAMixture() {
        failRestoreOfAttemptOne();
        agent.runtime.setDesiredRunning(
                SimulatedNode.spec("new"),
                Digest.of(SimulatedNode.NEW),
                SimulatedNode.newConfigDigest());
        put("etc/peers.toml", SimulatedNode.OLD_PEERS);

        agent.processor.process(clear(2));

        assertThat(result(2).reason()).isEqualTo(ReasonCode.PROOF_FAILED);
        supervise();
        assertThat(node.processes.allProcesses()).isEmpty();
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("D3: with the files of before, a clear restores the launch specification, too")
    void startsTheEarlierVersionAsItWasLaunched() {
        failRestoreOfAttemptOne();
        putEarlierFiles();

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(
                        node.isAll(
                                SimulatedNode.OLD,
                                SimulatedNode.OLD_CONFIG,
                                SimulatedNode.OLD_PEERS,
                                "old"))
                .isTrue();
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("D3: the earlier version is not started with another launch specification")
    void refusesTheEarlierVersionWithoutItsLaunchSpecification() {
        failRestoreOfAttemptOne();
        putEarlierFiles();
        put("etc/peers.toml", SimulatedNode.bytes("p = by hand"));

        agent.processor.process(clear(2));

        assertThat(result(2).reason()).isEqualTo(ReasonCode.PROOF_FAILED);
        assertThat(result(2).detail())
                .contains("its launch specification", "Copy /etc/peers.toml from the backup");
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    @Test
    @DisplayName("D3: a clear names the way out if the backup is damaged")
    void refusesTheEarlierVersionIfItsBackupCannotBeRead() {
        failRestoreOfAttemptOne();
        putEarlierFiles();
        node.disk.putDurableFile(
                BACKUP.resolveSibling("manifest.json"),
                SimulatedNode.bytes("damaged"),
                FileAttributes.PRIVATE);

        agent.processor.process(clear(2));

        assertThat(result(2).reason()).isEqualTo(ReasonCode.BACKUP_MISMATCH);
        assertThat(result(2).detail())
                .contains("cannot be read from the backup of attempt 1. Copy the files of the");
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    @Test
    @DisplayName("D3: with the files of the upgrade, a clear launches them as the upgrade does")
    void startsTheUpgradedVersionAsItIsLaunched() {
        NodeProfile earlier = agent.state.loadProfile();
        failRestoreOfAttemptOne();
        repairProgram();
        agent.state.saveRecord(earlier); // the attempt failed before it saved the new one

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(
                        node.isAll(
                                SimulatedNode.NEW,
                                SimulatedNode.NEW_CONFIG,
                                SimulatedNode.NEW_PEERS,
                                "new"))
                .isTrue();
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("A program that an operator replaced by a third one is started")
    void startsAProgramThatAnOperatorReplaced() {
        failRestoreOfAttemptOne();
        byte[] third = SimulatedNode.bytes("third program");
        put("bin/app", third);

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(result(2).seen().runningDigest()).isEqualTo(Digest.of(third).value());
    }

    @Test
    @DisplayName("A clear leaves a program running whose restore was refused for its backup")
    void leavesTheUpgradedProgramRunning() {
        repairProgram();
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(BACKUP, SimulatedNode.bytes("damaged"), FileAttributes.PRIVATE);
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        int started = node.spawned.size();

        agent.processor.process(clear(3));

        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.spawned).hasSize(started);
        assertThat(node.processes.allProcesses()).hasSize(1);
    }

    @Test
    @DisplayName("A program that runs after a failed stop is supervised again after a clear")
    void supervisesAProgramWhoseStopFailed() {
        repairProgram();
        agent.processor.process(SimulatedNode.upgrade(1));
        behaviors.put(Digest.of(SimulatedNode.NEW), ProgramBehavior.HANGS);
        SimulatedNode.Agent next = node.agent(2);
        node.processes.denyInspection();
        next.boot().processor.process(SimulatedNode.restore(2, 1));
        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(node.processes.allProcesses()).hasSize(1);
        repairProgram();

        next.processor.process(clear(3));

        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        next.runtime.supervise(List.of(SimulatedNode.spec("new")));
        assertThat(node.processes.allProcesses()).hasSize(1);
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("A start that is slow keeps the mark, but the program runs and is supervised")
    void leavesAProgramRunningThatStartsSlowly() {
        failRestoreOfAttemptOne();
        repairProgram();
        CommandWithContents clear = clear(2);

        agent.processor.process(
                new CommandWithContents(clear.command(), Duration.ofMillis(500), Map.of()));

        assertThat(result(2).reason()).isEqualTo(ReasonCode.ACTION_TIMED_OUT);
        assertThat(node.processes.allProcesses()).hasSize(1);
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        supervise();
        assertThat(node.processes.allProcesses()).hasSize(1);
        agent.processor.process(clear(3));
        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("D14: a command that was refused meanwhile does not hide the failed restore")
    void startsTheProgramAlthoughACommandWasRefusedMeanwhile() {
        failRestoreOfAttemptOne();
        agent.processor.process(SimulatedNode.upgrade(2));
        assertThat(result(2).reason()).isEqualTo(ReasonCode.NEEDS_CLEAR);
        repairProgram();

        agent.processor.process(clear(3));

        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.processes.allProcesses()).hasSize(1);
    }

    @Test
    @DisplayName("D14: a program that no failed attempt changed does not keep the mark")
    void clearsANodeWithAnotherProgramThatCrashes() {
        addCrashingProgram();
        failRestoreOfAttemptOne();
        repairProgram();

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(result(2).detail()).startsWith("other ended within 1.0 s of its start");
        assertThat(node.processes.allProcesses()).hasSize(1);
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("Supervision of a program continues after a clear that could not stop its rest")
    void continuesSupervisionOfAnotherProgramWhoseStopFails() {
        failRestoreOfAttemptOne();
        repairProgram();
        ProgramProfile other = addCrashingProgram();
        behaviors.put(OTHER, ProgramBehavior.HANGS);
        agent.runtime.supervise(List.of(other.spec()));
        node.processes.allProcesses().keySet().forEach(node.processes::crashLeavingChild);
        Set<Processes.Pid> rest = node.processes.allProcesses().keySet();

        agent.processor.process(clear(2));

        assertThat(result(2).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(result(2).detail()).contains("processes of other do not end");
        node.agent(2).boot();
        assertThat(node.processes.allProcesses()).as("no second copy").hasSize(2);
        behaviors.remove(OTHER);
        node.agent(3).boot();
        assertThat(node.processes.allProcesses())
                .hasSize(2)
                .containsValue(OTHER)
                .doesNotContainKeys(rest.toArray(Processes.Pid[]::new));
    }

    @Test
    @DisplayName("A failure that was cleared does not start a program stopped on purpose since")
    void leavesAProgramDownThatWasStoppedAfterAClear() {
        failRestoreOfAttemptOne();
        repairProgram();
        agent.processor.process(clear(2));
        stopProgram();

        agent.processor.process(clear(3));

        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    @Test
    void waitsForAProgramThatHasJustStarted() {
        agent.processor.process(clear(1));

        assertThat(result(1).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(Duration.ofNanos(node.ticker.nanos())).isGreaterThanOrEqualTo(STABLE);
        assertThat(node.spawned).hasSize(1);
    }

    @Test
    void leavesAProgramDownThatWasStoppedOnPurpose() {
        stopProgram();

        agent.processor.process(clear(1));

        assertThat(result(1).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    /** The new program crashes at its start, and the backup is damaged by then. */
    private void failRestoreOfAttemptOne() {
        node.processes.addStartObserver(
                _ ->
                        node.disk.putDurableFile(
                                BACKUP, SimulatedNode.bytes("damaged"), FileAttributes.PRIVATE));
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(result(1).outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    private void repairProgram() {
        behaviors.remove(Digest.of(SimulatedNode.NEW));
    }

    private void supervise() {
        agent.runtime.supervise(List.of(SimulatedNode.spec("new")));
    }

    /** With attributes and times, as {@code cp -p}. */
    private void putEarlierFiles() {
        put("bin/app", SimulatedNode.OLD, SimulatedNode.PROGRAM_ATTRIBUTES);
        put("etc/app.toml", SimulatedNode.OLD_CONFIG, SimulatedNode.CONFIG_ATTRIBUTES);
        put("etc/peers.toml", SimulatedNode.OLD_PEERS, SimulatedNode.PEERS_ATTRIBUTES);
    }

    /** What an operator copies to the node. */
    private void put(String file, byte[] content) {
        put(file, content, node.disk.attributes(SimulatedNode.ROOT.resolve(file)));
    }

    private void put(String file, byte[] content, FileAttributes attributes) {
        node.disk.putDurableFile(SimulatedNode.ROOT.resolve(file), content, attributes);
    }

    private void stopProgram() {
        agent.runtime.stop(
                SimulatedNode.APP,
                StopSettings.RUNTIME_DEFAULT,
                node.ticker.deadlineIn(Duration.ofMinutes(1)));
    }

    /** A second program of the node, which crashed before the attempt. */
    private ProgramProfile addCrashingProgram() {
        behaviors.put(OTHER, ProgramBehavior.FALLS);
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("bin/other"), OTHER_CONTENT, FileAttributes.PROGRAM);
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/bin/other"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE);
        ProgramSpec other =
                new ProgramSpec(new BinaryName("other"), "simulated", launch, List.of());
        ProgramProfile profile = new ProgramProfile(other, List.of());
        agent.state.saveRecord(agent.state.loadProfile().with(profile));
        agent.runtime.setDesiredRunning(
                other, OTHER, new ProgramInspector(agent.runtime).readConfigDigest(profile));
        return profile;
    }

    private static CommandWithContents clear(long attempt) {
        return SimulatedNode.delivery(attempt, new Work.ClearFailure("repaired by hand"));
    }

    private AttemptResult result(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt)).ending();
    }
}
