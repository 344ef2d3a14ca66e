package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.opsagent.time.AutoAdvancingTicker;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** C8: a gateway that sends a command to the standby by mistake. */
class StandbyCommandsTest {
    private final SimulatedNode node = SimulatedNode.running(Map.of());

    /** A second agent on the same node, whose executor lock another agent holds. */
    private CommandProcessor standby() {
        SimulatedNode.Agent agent = node.agent(2);
        CommandProcessor processor =
                new CommandProcessor(
                        agent.state,
                        agent.runtime,
                        new AutoAdvancingTicker(),
                        new StatusSlot(new AutoAdvancingTicker(), () -> {}),
                        false);
        processor.startIncarnation();
        return processor;
    }

    @Test
    @DisplayName("C8: a standby that finds the executor's journal changes nothing on the node")
    void aStandbyWithAJournalChangesNothing() {
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1));
        CommandProcessor standby = standby();
        Map<String, Digest> before = node.disk.fileDigests();
        int started = node.spawned.size();

        standby.process(SimulatedNode.upgrade(1));
        standby.process(SimulatedNode.restore(2, 1));
        standby.withdraw(new Withdrawal(3, 9));

        assertThat(node.disk.fileDigests()).isEqualTo(before);
        assertThat(node.spawned).hasSize(started);
    }

    @Test
    @DisplayName("C8: a standby without a journal changes nothing on the node")
    void aStandbyWithoutAJournalChangesNothing() {
        CommandProcessor standby = standby();
        Map<String, Digest> before = node.disk.fileDigests();
        standby.process(SimulatedNode.upgrade(1));
        assertThat(node.disk.fileDigests()).isEqualTo(before);
        assertThat(node.spawned).hasSize(1);
    }
}
