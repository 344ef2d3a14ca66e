package drover.opsagent;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.policy.SignatureDemand;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.TrustStore;

/**
 * Takes the root of trust that the node's owner put on its disk: once, when the node is set up, and
 * again after the agent's memory of it was lost (E6).
 */
final class TrustPinning {
    private TrustPinning() {}

    /**
     * Does it and says in one sentence what is believed from now on.
     *
     * @throws ActionFailed when the file is not to be believed, or an agent runs
     */
    static String run(AgentFlags flags) {
        if (!(flags.policy().signatures() instanceof SignatureDemand.Releases demand)) {
            throw new IllegalArgumentException(
                    "The policy asks for no signatures: add 'signatures' to it first.");
        }
        try (ExecutorLock lock = ExecutorLock.tryTake(flags.state())) {
            if (!lock.isHeld()) {
                throw new ActionFailed(
                        ReasonCode.NOT_EXECUTOR,
                        "An agent runs on this node: stop it, pin the root, start it again.");
            }
            OpsAgent.Parts parts = flags.parts(new AgentMetrics());
            StateDirectory state =
                    new StateDirectory(
                            flags.state(), new DurableFiles(parts.disk(), parts.random()));
            long version = new TrustStore(state, demand).pin();
            return "This node believes root of trust " + version + " of " + demand.trust() + ".";
        }
    }
}
