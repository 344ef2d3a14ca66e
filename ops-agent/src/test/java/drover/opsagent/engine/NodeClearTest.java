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
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Clears of a node whose restore failed and whose program is down. */
class NodeClearTest {
    private static final Path BACKUP =
            SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/file-0");

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
                                + " nothing): correct the cause, then retry.");
        agent.processor.process(SimulatedNode.upgrade(3));
        assertThat(result(3).reason()).isEqualTo(ReasonCode.NEEDS_CLEAR);
    }

    @Test
    @DisplayName("A refused clear does not block the repair: supervision starts the program")
    void supervisesTheProgramAfterARefusedClear() {
        failRestoreOfAttemptOne();
        agent.processor.process(clear(2));
        repairProgram();

        agent.runtime.supervise(List.of(SimulatedNode.spec("new")));

        assertThat(node.processes.allProcesses()).hasSize(1);
        agent.processor.process(clear(3));
        assertThat(result(3).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.processes.allProcesses()).hasSize(1);
        assertThat(node.violations).isEmpty();
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

    private void stopProgram() {
        agent.runtime.stop(
                SimulatedNode.APP,
                StopSettings.RUNTIME_DEFAULT,
                node.ticker.deadlineIn(Duration.ofMinutes(1)));
    }

    /** A second program of the node, which crashed before the attempt. */
    private void addCrashingProgram() {
        byte[] content = SimulatedNode.bytes("other program");
        behaviors.put(Digest.of(content), ProgramBehavior.FALLS);
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("bin/other"), content, FileAttributes.PROGRAM);
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
                other, Digest.of(content), new ProgramInspector(agent.runtime).readConfigDigest(profile));
    }

    private static ReceivedCommand clear(long attempt) {
        return SimulatedNode.delivery(attempt, new Work.ClearFailure("repaired by hand"));
    }

    private AttemptResult result(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt)).ending();
    }
}
