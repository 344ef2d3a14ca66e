package drover.opsagent.engine;

/** Programs as units of systemd. */
class SystemdContractTest extends ActionsContract {
    @Override
    Node node() {
        UnitNode simulated = UnitNode.running();
        UnitNode.Agent agent = simulated.agent(1).boot();
        return new Node(
                agent.runtime,
                agent.state,
                simulated.ticker,
                UnitNode.APP,
                UnitNode::upgrade,
                simulated::fingerprint);
    }
}
