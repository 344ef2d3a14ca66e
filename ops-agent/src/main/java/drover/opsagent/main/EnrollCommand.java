package drover.opsagent.main;

import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.trust.identity.JoinToken;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * {@code agent enroll}: makes this machine a node by a join token, once, before the agent starts.
 */
final class EnrollCommand {
    /** The word that this is asked for with. */
    static final String VERB = "enroll";

    private EnrollCommand() {}

    /**
     * Does it and says in one sentence who the node is.
     *
     * @throws IllegalStateException with one sentence when no gateway enrols it
     * @throws ActionFailed when an agent runs
     */
    static String run(AgentFlags flags) {
        JoinToken token = JoinToken.parse(flags.readTokenFile());
        try (ExecutorLock lock = ExecutorLock.tryAcquire(flags.stateDirectory())) {
            if (!lock.isHeld()) {
                throw new ActionFailed(
                        ReasonCode.NOT_EXECUTOR,
                        "An agent runs on this node: stop it, enroll the node, start it again.");
            }
            IdentityFile file =
                    IdentityFile.in(flags.stateDirectory(), new LocalDisk(), new SecureRandom());
            requireNotEnrolled(file.read(), flags.isReenrollment());
            NodeKeyAndCertificate node =
                    new EnrolledIdentityCreator(file).enrollAtAny(flags.gateways(), token);
            return "This machine is node "
                    + node.node()
                    + "; its certificate ends "
                    + node.expiresAt();
        }
    }

    private static void requireNotEnrolled(Optional<NodeKeyAndCertificate> present, boolean again) {
        if (present.isPresent() && !again) {
            throw new IllegalStateException(
                    "This machine is node "
                            + present.get().node()
                            + " already; to enroll it anew, add "
                            + AgentFlags.REENROLL
                            + ".");
        }
    }
}
