package drover.opsagent.systemd;

import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.DiskFaultsContract;
import drover.opsagent.journal.AttemptStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The systemd runtime on a failing disk, on which its gate lies as well. */
class SystemdDiskFaultsTest extends DiskFaultsContract {
    @Override
    protected Node node() {
        UnitNode node = UnitNode.running();
        UnitNode.Agent agent = node.agent(1).boot();
        return new Node() {
            @Override
            public SimulatedDisk disk() {
                return node.disk;
            }

            @Override
            public void take() {
                agent.processor.process(UnitNode.upgrade(1));
            }

            @Override
            public @Nullable AttemptStatus reported() {
                return agent.slot.currentStatus();
            }

            @Override
            public boolean isOld() {
                return node.isOld();
            }

            @Override
            public boolean isNew() {
                return node.isNew();
            }

            @Override
            public List<String> violations() {
                return node.violations;
            }
        };
    }
}
