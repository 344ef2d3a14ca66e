package drover.opsagent.docker;

import drover.opsagent.disk.FileAttributes;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.engine.ActionsContract;
import drover.opsagent.engine.IdempotencyCheck.Node;
import drover.opsagent.engine.NodeSnapshot;
import java.nio.file.Path;

/** Programs as containers, simulated. */
class DockerContractTest extends ActionsContract {
    @Override
    protected Node node() {
        DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
        node.disk.putDurableFile(
                Path.of("/srv/app/app.toml"),
                DockerNode.OLD_CONFIG,
                FileAttributes.of("rw-r-----", "app", "app"));
        DockerNode.Agent agent = node.agent(1).boot();
        return new Node(
                agent.runtime,
                agent.state,
                node.ticker,
                node::upgrade,
                () ->
                        NodeSnapshot.blank()
                                .andFiles(node.disk, Path.of("/"), DockerNode.STATE)
                                .and(ContainerSnapshot.of(node.engine)));
    }
}
