package drover.opsagent.peers;

import drover.agent.v1.Welcome;
import java.util.List;
import java.util.Set;

/** What a gateway asks of every agent behind it. */
final class GatewayRequiredFeatureCheck {
    private GatewayRequiredFeatureCheck() {}

    /** Why this agent must not work there, in one sentence; empty when it may. */
    static String describeMissing(Welcome welcome, Set<String> own) {
        List<String> lacking =
                welcome.getRequiredFeaturesList().stream()
                        .filter(feature -> !own.contains(feature))
                        .toList();
        return lacking.isEmpty()
                ? ""
                : "The gateway asks for "
                        + String.join(", ", lacking)
                        + ", which this agent lacks: upgrade the agent.";
    }
}
