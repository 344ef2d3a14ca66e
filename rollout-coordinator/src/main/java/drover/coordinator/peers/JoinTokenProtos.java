package drover.coordinator.peers;

import drover.access.v1.JoinToken;
import drover.coordinator.store.access.GatewayJoinTokenReport;
import java.time.Instant;

/** Join tokens of gateways, as the audited history records them. */
public final class JoinTokenProtos {
    private JoinTokenProtos() {}

    /** What the history records of a token. */
    public static GatewayJoinTokenReport toReportedJoinToken(JoinToken token) {
        String nodes = token.getNodeId().isEmpty() ? "any node" : "node " + token.getNodeId();
        return new GatewayJoinTokenReport(
                token.getId(),
                "%s of %s/%s".formatted(nodes, token.getChainProfileId(), token.getNodeType()),
                token.getUses(),
                token.getMaxUses(),
                token.getCreatedBy(),
                Instant.ofEpochSecond(
                        token.getExpiresAt().getSeconds(), token.getExpiresAt().getNanos()),
                token.hasRevokedAt() ? token.getRevokedBy() : "");
    }
}
