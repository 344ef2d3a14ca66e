package drover.coordinator.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ApiKeyCreationRulesTest {
    private static final Principal ALMIGHTY =
            new Principal(Principal.Kind.KEY, "all", EnumSet.allOf(Scope.class));

    @ParameterizedTest
    @DisplayName("H6: no caller grants what changes the fleet, approves, or makes keys")
    @EnumSource(
            value = Scope.class,
            names = {"ROLLOUTS_ADMIN", "ROLLOUTS_APPROVE", "TOKENS_WRITE"})
    void notEvenWhoHasItGrantsIt(Scope scope) {
        assertThat(refused("ci", List.of("rollouts:read", scope.wireName()), 1, ALMIGHTY))
                .isEqualTo(RefusalCode.SCOPE_NOT_GRANTABLE);
    }

    @ParameterizedTest
    @DisplayName("H6: nobody gives what it lacks")
    @EnumSource(
            value = Scope.class,
            names = {"ROLLOUTS_READ", "AUDIT_READ"})
    void grantsOnlyItsOwnScopes(Scope scope) {
        Principal maker = new Principal(Principal.Kind.KEY, "m", Set.of(Scope.TOKENS_WRITE));
        assertThat(refused("ci", List.of(scope.wireName()), 1, maker))
                .isEqualTo(RefusalCode.SCOPE_NOT_GRANTABLE);
        assertThat(
                        ApiKeyCreationRules.findRefusal(
                                wish("ci", List.of(scope.wireName()), 1), ALMIGHTY))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'',    rollouts:read, 1,   INVALID_FIELD",
        "Ci,    rollouts:read, 1,   INVALID_FIELD",
        "-ci,   rollouts:read, 1,   INVALID_FIELD",
        "ci-,   rollouts:read, 1,   INVALID_FIELD",
        "c.i,   rollouts:read, 1,   INVALID_FIELD",
        "ci,    rollouts:look, 1,   UNKNOWN_VALUE",
        "ci,    ROLLOUTS_READ, 1,   UNKNOWN_VALUE",
        "ci,    rollouts:read, 0,   INVALID_FIELD",
        "ci,    rollouts:read, -1,  INVALID_FIELD",
        "ci,    rollouts:read, 367, INVALID_FIELD"
    })
    void aWishMustMakeSense(String id, String scope, int days, RefusalCode code) {
        assertThat(refused(id, List.of(scope), days, ALMIGHTY)).isEqualTo(code);
    }

    @Test
    void aKeyWithoutScopesIsRefused() {
        assertThat(refused("ci", List.of(), 1, ALMIGHTY)).isEqualTo(RefusalCode.MISSING_FIELD);
    }

    @Test
    void aKeyHasALongestId() {
        String forty = "a".repeat(40);
        assertThat(
                        ApiKeyCreationRules.findRefusal(
                                wish(forty, List.of("audit:read"), 366), ALMIGHTY))
                .isEmpty();
        assertThat(refused(forty + "a", List.of("audit:read"), 1, ALMIGHTY))
                .isEqualTo(RefusalCode.INVALID_FIELD);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "ci", "=rollouts:read", "ci=", "ci=rollouts:look", "admin=audit:read"})
    void aGrantThatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> ConfiguredApiKeyGrant.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(".");
    }

    @Test
    void aGrantNamesItsScopes() {
        assertThat(
                        ConfiguredApiKeyGrant.parseAll(
                                "ci=rollouts:read,rollouts:admin watcher=rollouts:read"))
                .containsExactly(
                        new ConfiguredApiKeyGrant(
                                "ci", Set.of(Scope.ROLLOUTS_READ, Scope.ROLLOUTS_ADMIN)),
                        new ConfiguredApiKeyGrant("watcher", Set.of(Scope.ROLLOUTS_READ)));
    }

    @Test
    @DisplayName("H6: the administrator's key approves nothing, the approver's changes nothing")
    void theUsualKeysAreTwoPeople() {
        assertThat(ConfiguredApiKeyGrant.ADMIN.scopes()).doesNotContain(Scope.ROLLOUTS_APPROVE);
        assertThat(ConfiguredApiKeyGrant.APPROVER.scopes())
                .containsExactlyInAnyOrder(Scope.ROLLOUTS_READ, Scope.ROLLOUTS_APPROVE);
    }

    private static RefusalCode refused(String id, List<String> scopes, int days, Principal who) {
        return ApiKeyCreationRules.findRefusal(wish(id, scopes, days), who).orElseThrow().code();
    }

    private static ApiKeyCreationRules.KeyRequest wish(String id, List<String> scopes, int days) {
        return new ApiKeyCreationRules.KeyRequest(id, scopes, Duration.ofDays(days));
    }
}
