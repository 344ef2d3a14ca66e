package drover.opsagent.systemd;

import drover.opsagent.engine.ActionsContract;
import drover.opsagent.engine.IdempotencyCheck.Node;
import drover.opsagent.engine.NodeSnapshot;
import java.nio.file.Path;

/** Programs as units of systemd, simulated. */
class SystemdContractTest extends ActionsContract {
    private static final Path WHOLE_MACHINE = Path.of("/");

    @Override
    protected Node node() {
        UnitNode node = UnitNode.running();
        UnitNode.Agent agent = node.agent(1).boot();
        return new Node(
                agent.runtime,
                agent.state,
                node.ticker,
                UnitNode::upgrade,
                () ->
                        NodeSnapshot.blank()
                                .andFiles(node.disk, WHOLE_MACHINE, UnitNode.STATE)
                                .andProcesses(node.processes, WHOLE_MACHINE)
                                .and(UnitSnapshot.of(node.units, UnitNode.UNIT)));
    }
}
