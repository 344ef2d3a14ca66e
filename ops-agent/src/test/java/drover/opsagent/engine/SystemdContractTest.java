package drover.opsagent.engine;

import drover.opsagent.engine.Rehearsal.Node;
import drover.opsagent.systemd.UnitPicture;
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
                        NodePicture.blank()
                                .andFiles(node.disk, WHOLE_MACHINE, UnitNode.STATE)
                                .andProcesses(node.processes, WHOLE_MACHINE)
                                .and(UnitPicture.of(node.units, UnitNode.UNIT)));
    }
}
