package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.RolloutSpec;
import drover.model.Digest;
import drover.model.NodeId;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Chooses the seed of a rollout's canary from what is rolled out and to whom, so that a plan shows
 * the very canary that creation takes, and another artifact takes another one.
 */
public final class CanarySeedCalculator {
    private static final int HEX_OF_A_LONG = 16;

    private CanarySeedCalculator() {}

    /**
     * The seed.
     *
     * @param nodes the targets that are not left alone from the start, in any order
     */
    public static long of(RolloutSpec spec, Collection<NodeId> nodes) {
        String what =
                String.join(
                        "\n",
                        spec.chain().value(),
                        spec.binary().value(),
                        spec.targetVersion().value(),
                        spec.targetDigest().value());
        String node = nodes.stream().map(NodeId::value).sorted().collect(Collectors.joining("\n"));
        String hex = Digest.of(what + "\n\n" + node).value().substring("sha256:".length());
        return Long.parseUnsignedLong(hex.substring(0, HEX_OF_A_LONG), 16);
    }
}
