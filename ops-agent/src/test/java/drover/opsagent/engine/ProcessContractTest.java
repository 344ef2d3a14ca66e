package drover.opsagent.engine;

import drover.model.Digest;
import java.nio.file.Path;
import java.util.Map;

/** Programs as processes of the agent's own. */
class ProcessContractTest extends ActionsContract {
    @Override
    Node node() {
        SimulatedNode simulated = SimulatedNode.running(Map.of());
        SimulatedNode.Agent agent = simulated.agent(1).boot();
        return new Node(
                agent.runtime,
                agent.state,
                simulated.ticker,
                SimulatedNode.APP,
                SimulatedNode::upgrade,
                () -> fingerprint(simulated));
    }

    private static String fingerprint(SimulatedNode simulated) {
        StringBuilder all = new StringBuilder();
        simulated
                .disk
                .digests()
                .forEach(
                        (path, digest) -> {
                            if (path.startsWith(SimulatedNode.ROOT.toString())) {
                                all.append(path).append(' ').append(digest).append(' ');
                                all.append(simulated.disk.mode(Path.of(path))).append('\n');
                            }
                        });
        simulated.processes.all().values().stream().map(Digest::brief).forEach(all::append);
        return all.toString();
    }
}
