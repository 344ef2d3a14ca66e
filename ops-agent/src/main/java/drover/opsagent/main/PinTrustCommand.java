package drover.opsagent.main;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.RootOfTrustStore;

/**
 * Takes the root of trust that the node's owner put on its disk: once, when the node is set up, and
 * again after the agent's memory of it was lost (E6).
 */
final class PinTrustCommand {
    private PinTrustCommand() {}

    /**
     * Does it and says in one sentence what is believed from now on.
     *
     * @throws ActionFailed when the file is not to be believed, or an agent runs
     */
    static String run(AgentFlags flags) {
        if (!(flags.readPolicy().signatures() instanceof SignaturePolicy.VerifyReleases demand)) {
            throw new IllegalArgumentException(
                    "The policy asks for no signatures: add 'signatures' to it first.");
        }
        try (ExecutorLock lock = ExecutorLock.tryAcquire(flags.stateDirectory())) {
            if (!lock.isHeld()) {
                throw new ActionFailed(
                        ReasonCode.NOT_EXECUTOR,
                        "An agent runs on this node: stop it, pin the root, start it again.");
            }
            OpsAgent.Dependencies parts = flags.createDependencies(new AgentMetrics());
            StateDirectory state =
                    new StateDirectory(
                            flags.stateDirectory(), new DurableFiles(parts.disk(), parts.random()));
            long version = new RootOfTrustStore(state, demand).pinOrUpdateRoot();
            return "This node believes root of trust " + version + " of " + demand.trust() + ".";
        }
    }
}
