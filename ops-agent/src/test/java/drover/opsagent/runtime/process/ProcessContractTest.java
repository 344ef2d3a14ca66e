package drover.opsagent.runtime.process;

import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.ActionsContract;
import drover.opsagent.engine.IdempotencyCheck.Node;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.engine.SimulatedNode;
import java.nio.file.Path;
import java.util.Map;

/** Programs as processes of the agent's own, simulated. */
class ProcessContractTest extends ActionsContract {
    private static final Path ROOT = SimulatedNode.ROOT;

    @Override
    protected Node node() {
        SimulatedNode node = SimulatedNode.running(Map.of());
        node.disk.putDurableFile(
                ROOT.resolve("bin/app"),
                SimulatedNode.OLD,
                FileAttributes.of("rwxr-x---", "app", "app"));
        node.disk.putDurableFile(
                ROOT.resolve("etc/app.toml"),
                SimulatedNode.OLD_CONFIG,
                FileAttributes.of("rw-r-----", "app", ""));
        SimulatedNode.Agent agent = node.agent(1).boot();
        return new Node(
                agent.runtime,
                agent.state,
                node.ticker,
                SimulatedNode::upgrade,
                () ->
                        NodeSnapshot.blank()
                                .andFiles(node.disk, ROOT, SimulatedNode.STATE)
                                .andProcesses(node.processes, ROOT));
    }
}
