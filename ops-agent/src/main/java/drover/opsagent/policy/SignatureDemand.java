package drover.opsagent.policy;

import drover.model.ChainProfileId;
import drover.model.NodeType;
import java.nio.file.Path;

/** Whether the owner of this node wants what is installed to be signed. */
public sealed interface SignatureDemand {
    /** Digests are enough. */
    record None() implements SignatureDemand {}

    /**
     * Releases are verified.
     *
     * @param trust file with the roots of trust
     * @param owner who must own that file
     * @param required whether work without a release is refused; otherwise a release is verified
     *     where one comes along
     * @param chain that this node belongs to, whatever a command says
     * @param nodeType that this node has, whatever a command says
     */
    record Releases(
            Path trust, String owner, boolean required, ChainProfileId chain, NodeType nodeType)
            implements SignatureDemand {}
}
