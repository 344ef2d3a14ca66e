package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.ReasonCode;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Attempts that cannot succeed on a node as it is end before the program is stopped. */
class UnchangedNodeTest {
    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    private AttemptResult upgrade() {
        agent.processor.process(SimulatedNode.upgrade(1));
        return Objects.requireNonNull(agent.slot.currentStatus()).journal().ending();
    }

    private void assertUnchanged() {
        assertThat(
                        node.isAll(
                                SimulatedNode.OLD,
                                SimulatedNode.OLD_CONFIG,
                                SimulatedNode.OLD_PEERS,
                                "old"))
                .isTrue();
        assertThat(node.spawned).as("the program was not stopped").hasSize(1);
        assertThat(node.disk.list(SimulatedNode.STATE.resolve(".upgrade-backup"))).isEmpty();
    }

    @Test
    @DisplayName("B01: the program is not stopped if its file may not be executed again")
    void failsIfTheFileMayNotBeExecuted() {
        Path file = SimulatedNode.ROOT.resolve("bin/app");
        node.disk.putDurableFile(file, SimulatedNode.OLD, FileAttributes.of("rw-r--r--"));

        AttemptResult ending = upgrade();

        assertThat(ending.outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(ending.reason()).isEqualTo(ReasonCode.NOT_EXECUTABLE);
        assertThat(ending.detail()).contains("/bin/app (rw-r--r--").contains("nothing was changed");
        assertUnchanged();
    }

    @Test
    @DisplayName("B02: the program is not stopped if the agent may not inspect it")
    void refusesIfTheProcessMayNotBeInspected() {
        SimulatedNode.Agent later = node.agent(2).boot(); // it has not inspected this run yet
        node.processes.denyInspection();

        later.processor.process(SimulatedNode.upgrade(1));

        AttemptResult ending =
                Objects.requireNonNull(later.slot.currentStatus()).journal().ending();
        assertThat(ending.outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(ending.reason()).isEqualTo(ReasonCode.NOT_INSPECTABLE);
        assertUnchanged();
    }

    @Test
    @DisplayName(
            "B29: however few files can be created, an unchanged node is never failed_rollback")
    void endsAsFailedHoweverFewFilesCanBeCreated() {
        Set<AttemptOutcome> outcomes = EnumSet.noneOf(AttemptOutcome.class);
        for (int files = 0; files < 60; files++) {
            UnchangedNodeTest fresh = new UnchangedNodeTest();
            fresh.node.disk.limitNewFiles(files);
            outcomes.add(fresh.outcomeWithFewFiles());
        }
        assertThat(outcomes)
                .containsExactly(
                        AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED, AttemptOutcome.REFUSED);
    }

    private AttemptOutcome outcomeWithFewFiles() {
        try {
            agent.processor.process(SimulatedNode.upgrade(1));
        } catch (DiskFailure _) {
            // The attempt could not be accepted: the leader sends it again.
        }
        AttemptStatus status = agent.slot.currentStatus();
        AttemptOutcome outcome =
                status == null ? AttemptOutcome.REFUSED : status.journal().ending().outcome();
        if (outcome != AttemptOutcome.SUCCEEDED) {
            assertUnchanged();
        }
        return outcome;
    }
}
