package drover.opsagent.engine;

import drover.model.BinaryName;
import drover.model.Digest;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.util.Map;

/** Programs as processes of the agent's own. */
class ProcessContractTest extends ActionsContract {
    @Override
    Node node() {
        SimulatedNode simulated = SimulatedNode.running(Map.of());
        SimulatedNode.Agent agent = simulated.agent(1).boot();
        return new Node() {
            @Override
            public NodeRuntime runtime() {
                return agent.runtime;
            }

            @Override
            public StateDirectory state() {
                return agent.state;
            }

            @Override
            public Ticker ticker() {
                return simulated.ticker;
            }

            @Override
            public BinaryName program() {
                return SimulatedNode.APP;
            }

            @Override
            public Delivery upgrade(long attempt) {
                return SimulatedNode.upgrade(attempt);
            }

            @Override
            public String fingerprint() {
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
        };
    }
}
