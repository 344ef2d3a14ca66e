package drover.gateway.identity;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JoinTokenRulesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static JoinTokenRules.Request wish(String node, int maxUses, Duration lifetime) {
        return new JoinTokenRules.Request(
                Optional.of(node).filter(id -> !id.isEmpty()).map(NodeId::new),
                new ChainProfileId("testchain"),
                new NodeType("full"),
                Map.of("zone", "a"),
                maxUses,
                lifetime,
                "key:ops");
    }

    @ParameterizedTest
    @CsvSource({
        "'', 0, PT30M, ''",
        "'', 1000, PT24H, ''",
        "n1, 1, PT1M, ''",
        "n1, 2, PT30M, max_uses",
        "'', 1001, PT30M, max_uses",
        "'', -1, PT30M, max_uses",
        "'', 1, PT59S, lifetime",
        "'', 1, PT24H1S, lifetime"
    })
    void aTokenIsBounded(String node, int maxUses, Duration lifetime, String field) {
        assertThat(
                        JoinTokenRules.findRefusal(wish(node, maxUses, lifetime))
                                .map(JoinTokenRules.CreationRefusal::field)
                                .orElse(""))
                .isEqualTo(field);
    }

    /** Whoever makes tokens could otherwise change the configuration of nodes. */
    @Test
    void rejectsLabelsThatAreTemplateVariables() {
        JoinTokenRules.Request usual = wish("", 1, Duration.ofMinutes(30));
        JoinTokenRules.Request wish =
                new JoinTokenRules.Request(
                        usual.node(),
                        usual.chain(),
                        usual.type(),
                        Map.of("zone", "a", "var.port", "22"),
                        usual.maxUses(),
                        usual.lifetime(),
                        usual.createdBy());
        assertThat(JoinTokenRules.findRefusal(wish).map(JoinTokenRules.CreationRefusal::field))
                .contains("labels");
    }

    @Test
    void aTokenIsGoodUntilItIsUsedUpOrOverOrRevoked() {
        JoinTokenMetadata fresh = wish("", 0, Duration.ofMinutes(30)).toIssuedJoinToken("t", NOW);
        assertThat(fresh.maxUses()).isEqualTo(1);
        assertThat(fresh.validityAt(NOW)).isEqualTo(new JoinTokenMetadata.Validity.Valid());
        assertThat(fresh.validityAt(fresh.expiresAt().minusNanos(1)))
                .isEqualTo(new JoinTokenMetadata.Validity.Valid());
        assertThat(fresh.validityAt(fresh.expiresAt()).toString()).contains("has expired");
        assertThat(changed(fresh, 1, Optional.empty()).validityAt(NOW).toString())
                .contains("is used up");
        assertThat(changed(fresh, 0, Optional.of(NOW)).validityAt(NOW).toString())
                .contains("was revoked");
    }

    private static JoinTokenMetadata changed(
            JoinTokenMetadata token, int uses, Optional<Instant> revoked) {
        return new JoinTokenMetadata(
                token.id(),
                token.node(),
                token.chain(),
                token.type(),
                token.labels(),
                token.maxUses(),
                uses,
                token.createdBy(),
                token.createdAt(),
                token.expiresAt(),
                revoked,
                "key:ops");
    }
}
