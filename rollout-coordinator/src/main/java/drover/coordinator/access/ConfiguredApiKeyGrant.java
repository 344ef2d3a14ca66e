package drover.coordinator.access;

import drover.kit.access.Scope;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the operator of the machine grants a key, which no caller can (invariant H6).
 *
 * @param id the key's
 */
public record ConfiguredApiKeyGrant(String id, Set<Scope> scopes) {
    /** Runs the fleet, makes keys, and checks the history; approves nothing. */
    public static final ConfiguredApiKeyGrant ADMIN =
            new ConfiguredApiKeyGrant(
                    "admin",
                    EnumSet.of(
                            Scope.ROLLOUTS_READ,
                            Scope.ROLLOUTS_ADMIN,
                            Scope.TOKENS_WRITE,
                            Scope.AUDIT_READ));

    /** Looks, and approves. */
    public static final ConfiguredApiKeyGrant APPROVER =
            new ConfiguredApiKeyGrant(
                    "approver", EnumSet.of(Scope.ROLLOUTS_READ, Scope.ROLLOUTS_APPROVE));

    /** What every start sees to. */
    public static final List<ConfiguredApiKeyGrant> DEFAULTS = List.of(ADMIN, APPROVER);

    public ConfiguredApiKeyGrant {
        scopes = Set.copyOf(scopes);
    }

    /**
     * Reads {@code ci=rollouts:read,rollouts:admin}.
     *
     * @throws IllegalArgumentException with one sentence for anything else
     */
    public static ConfiguredApiKeyGrant parse(String text) {
        int equals = text.indexOf('=');
        String id = equals < 0 ? "" : text.substring(0, equals);
        if (!PlaintextApiKey.isValidId(id)) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is no grant: write ID=SCOPE,SCOPE, for example"
                            + " ci=rollouts:read,rollouts:admin.");
        }
        if (DEFAULTS.stream().anyMatch(usual -> usual.id().equals(id))) {
            throw new IllegalArgumentException("The key " + id + " is granted by itself.");
        }
        EnumSet<Scope> scopes = EnumSet.noneOf(Scope.class);
        Arrays.stream(text.substring(equals + 1).split(",", -1))
                .forEach(word -> scopes.add(parseScope(word)));
        return new ConfiguredApiKeyGrant(id, scopes);
    }

    /** Reads several, with spaces between them. */
    public static List<ConfiguredApiKeyGrant> parseAll(String text) {
        return Arrays.stream(text.split(" ", -1))
                .filter(one -> !one.isEmpty())
                .map(ConfiguredApiKeyGrant::parse)
                .toList();
    }

    private static Scope parseScope(String word) {
        return Scope.of(word)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "There is no scope '"
                                                + word
                                                + "'; there are "
                                                + String.join(", ", Scope.wireNames())
                                                + "."));
    }
}
