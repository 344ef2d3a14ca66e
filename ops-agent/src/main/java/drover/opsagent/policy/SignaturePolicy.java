package drover.opsagent.policy;

import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Whether the owner of this node wants what is installed to be signed. */
public sealed interface SignaturePolicy {
    /** Whether work with this release is let through only if the release is verified. */
    boolean requiresVerification(byte[] release);

    /** Digests are enough. */
    record None() implements SignaturePolicy {
        @Override
        public boolean requiresVerification(byte[] release) {
            return false;
        }
    }

    /**
     * Releases are verified.
     *
     * @param trust file with the roots of trust
     * @param owner who must own that file
     * @param required whether work without a release is refused; otherwise a release is verified
     *     where one comes along
     * @param chain that this node belongs to, whatever a command says
     * @param nodeType that this node has, whatever a command says
     * @param signedCommandsFor this node, whatever a gateway calls it, where commands must be
     *     signed as well; null where they need not be
     */
    record VerifyReleases(
            Path trust,
            String owner,
            boolean required,
            ChainProfileId chain,
            NodeType nodeType,
            @Nullable NodeId signedCommandsFor)
            implements SignaturePolicy {
        /** Commands need not be signed. */
        public VerifyReleases(
                Path trust,
                String owner,
                boolean required,
                ChainProfileId chain,
                NodeType nodeType) {
            this(trust, owner, required, chain, nodeType, null);
        }

        @Override
        public boolean requiresVerification(byte[] release) {
            return required || release.length > 0;
        }

        /** The same, with commands to this node signed as well. */
        public VerifyReleases withSignedCommandsFor(NodeId node) {
            return new VerifyReleases(trust, owner, required, chain, nodeType, node);
        }
    }
}
