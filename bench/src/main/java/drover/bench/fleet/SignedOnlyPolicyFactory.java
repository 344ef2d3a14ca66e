package drover.bench.fleet;

import drover.model.ChainProfileId;
import drover.model.NodeType;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.RootOfTrustStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The owner of nodes on which nothing is installed but what people released and a coordinator
 * commands, both signed (E7).
 *
 * @param trust file with the root of trust
 */
record SignedOnlyPolicyFactory(Path trust) {
    /**
     * The node's policy. The root of trust is pinned, as when a node is set up.
     *
     * @param state directory of the node's agent
     */
    LocalPolicy createPolicy(BenchNode node, StateDirectory state) {
        SignaturePolicy.VerifyReleases demand =
                new SignaturePolicy.VerifyReleases(
                                trust,
                                trustFileOwner(),
                                true,
                                new ChainProfileId(BenchNode.CHAIN),
                                new NodeType(BenchNode.TYPE))
                        .withSignedCommandsFor(node.id());
        new RootOfTrustStore(state, demand).pinOrUpdateRoot();
        return new LocalPolicy(false, List.of(), Set.of(), Set.of(), Set.of(), demand);
    }

    private String trustFileOwner() {
        try {
            return Files.getOwner(trust).getName();
        } catch (IOException e) {
            throw new IllegalStateException(trust + " has no owner: " + e.getMessage(), e);
        }
    }
}
