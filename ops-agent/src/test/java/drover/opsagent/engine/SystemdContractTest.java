package drover.opsagent.engine;

import drover.model.BinaryName;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;

/** Programs as units of systemd. */
class SystemdContractTest extends ActionsContract {
    @Override
    Node node() {
        UnitNode simulated = UnitNode.running();
        UnitNode.Agent agent = simulated.agent(1).boot();
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
                return UnitNode.APP;
            }

            @Override
            public Delivery upgrade(long attempt) {
                return UnitNode.upgrade(attempt);
            }

            @Override
            public String fingerprint() {
                return simulated.fingerprint();
            }
        };
    }
}
