package drover.opsagent.runtime.process;

import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.DiskFaultsContract;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.AttemptStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The agent's own processes on a failing disk. */
class ProcessDiskFaultsTest extends DiskFaultsContract {
    @Override
    protected Node node() {
        SimulatedNode node = SimulatedNode.running(Map.of());
        SimulatedNode.Agent agent = node.agent(1).boot();
        return new Node() {
            @Override
            public SimulatedDisk disk() {
                return node.disk;
            }

            @Override
            public void take() {
                agent.processor.process(SimulatedNode.upgrade(1));
            }

            @Override
            public @Nullable AttemptStatus reported() {
                return agent.slot.currentStatus();
            }

            @Override
            public boolean isOld() {
                return node.isAll(
                        SimulatedNode.OLD,
                        SimulatedNode.OLD_CONFIG,
                        SimulatedNode.OLD_PEERS,
                        "old");
            }

            @Override
            public boolean isNew() {
                return node.isAll(
                        SimulatedNode.NEW,
                        SimulatedNode.NEW_CONFIG,
                        SimulatedNode.NEW_PEERS,
                        "new");
            }

            @Override
            public List<String> violations() {
                return node.violations;
            }
        };
    }
}
