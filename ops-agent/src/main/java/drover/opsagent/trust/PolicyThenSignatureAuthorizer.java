package drover.opsagent.trust;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.ActionFailed;

/**
 * Gate of a node with a policy: command lines, probes and agents stay within it, whoever sent them
 * and whatever is signed.
 */
public final class PolicyThenSignatureAuthorizer implements ReleaseAuthorizerAndRecorder {
    private final LocalPolicy policy;
    private final ReleaseAuthorizerAndRecorder signed;

    /**
     * Checks the policy first.
     *
     * @param signed gate for what the policy allows
     */
    public PolicyThenSignatureAuthorizer(LocalPolicy policy, ReleaseAuthorizerAndRecorder signed) {
        this.policy = policy;
        this.signed = signed;
    }

    @Override
    public long authorizeAndGetSize(Work.Install work, byte[] release) {
        requireAllowedByPolicy(work, release);
        return signed.authorizeAndGetSize(work, release);
    }

    @Override
    public long dryRunAndGetSize(Work.Install work, byte[] release) {
        requireAllowedByPolicy(work, release);
        return signed.dryRunAndGetSize(work, release);
    }

    private void requireAllowedByPolicy(Work.Install work, byte[] release) {
        switch (work) {
            case Work.Upgrade back when back.undoes() != 0 -> {} // launched as the node has it
            case Work.Upgrade upgrade ->
                    policy.findRefusal(upgrade.spec())
                            .ifPresent(
                                    why -> {
                                        throw new ActionFailed(ReasonCode.PROGRAM_REFUSED, why);
                                    });
            case Work.AgentUpgrade _ -> {
                boolean verified = policy.signatures().requiresVerification(release);
                if (!verified && !policy.allowsUnsignedAgent()) {
                    throw new ActionFailed(
                            ReasonCode.SIGNATURE_MISSING,
                            "This node's policy takes no unsigned agent, which could do anything:"
                                    + " sign the release, or let the owner set unsigned_agent.");
                }
            }
        }
    }
}
