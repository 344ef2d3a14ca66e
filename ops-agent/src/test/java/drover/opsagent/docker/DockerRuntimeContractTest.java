package drover.opsagent.docker;

import drover.opsagent.docker.SimulatedEngine.Behaviour;
import drover.opsagent.runtime.OperationsContract;
import drover.opsagent.script.Artifact;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** The runtime of containers keeps the contract. */
class DockerRuntimeContractTest extends OperationsContract {
    private final DockerNode node = DockerNode.running(Behaviour.RUNS);

    @Override
    protected Node node() {
        DockerNode.Agent agent = node.agent(1).boot();
        return new Node(
                agent.runtime,
                agent.state,
                node.ticker,
                DockerNode.spec(DockerNode.launch(Map.of())),
                DockerNode.spec(node.launchAfter),
                new Artifact(DockerNode.NEW, DockerNode.NEW_DIGEST, 0),
                DockerNode.CONFIG,
                DockerNode.text(DockerNode.NEW_CONFIG));
    }

    /** Also the id of each container, and which are kept: the very same are to be there. */
    @Override
    protected SortedMap<String, String> observable() {
        SortedMap<String, String> all = new TreeMap<>();
        node.disk
                .digests()
                .forEach(
                        (path, digest) -> {
                            if (path.startsWith("/srv/")) {
                                all.put(path, digest + " " + node.disk.mode(Path.of(path)));
                            }
                        });
        for (Container container : node.engine.all()) {
            ObjectNode json = container.json().deepCopy();
            Json.within(json, "State").remove("StartedAt");
            json.remove("Ran");
            all.put(container.id(), json.toString());
        }
        return all;
    }
}
