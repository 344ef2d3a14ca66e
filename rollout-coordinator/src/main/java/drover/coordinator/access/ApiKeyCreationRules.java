package drover.coordinator.access;

import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a caller may give a new key (invariant H6). Nobody gives what it lacks. What changes the
 * fleet, approves, or makes keys is granted by the backend alone, never by a call: else whoever
 * makes keys could make itself an administrator, or a second person to approve its own work.
 */
public final class ApiKeyCreationRules {
    /** The longest life of a key that a caller makes: somebody should look once a year. */
    public static final Duration MAX_LIFETIME = Duration.ofDays(366);

    /** The life of a key when none is named. */
    public static final Duration DEFAULT_LIFETIME = Duration.ofDays(90);

    /** What a caller may give at all. */
    public static final Set<Scope> GRANTABLE = Set.of(Scope.ROLLOUTS_READ, Scope.AUDIT_READ);

    private ApiKeyCreationRules() {}

    /**
     * What is wrong with a wish.
     *
     * @param field the field concerned
     */
    public record Refusal(RefusalCode code, String sentence, String field) {}

    /**
     * A wish for a key, as it was written.
     *
     * @param scopes as words
     */
    public record KeyRequest(String id, List<String> scopes, Duration lifetime) {
        public KeyRequest {
            scopes = List.copyOf(scopes);
        }
    }

    /** What keeps this caller from making this key; nothing when it may. */
    public static Optional<Refusal> findRefusal(KeyRequest wish, Principal caller) {
        if (!PlaintextApiKey.isValidId(wish.id())) {
            return newRefusal(
                    RefusalCode.INVALID_FIELD,
                    "A key_id has 1 to 40 small letters, digits and hyphens, and begins and ends"
                            + " with none of the hyphens.",
                    "key_id");
        }
        if (wish.scopes().isEmpty()) {
            return newRefusal(
                    RefusalCode.MISSING_FIELD,
                    "A key without scopes can do nothing; name some of " + scopeNames() + ".",
                    "scopes");
        }
        if (wish.lifetime().isNegative()
                || wish.lifetime().isZero()
                || wish.lifetime().compareTo(MAX_LIFETIME) > 0) {
            return newRefusal(
                    RefusalCode.INVALID_FIELD,
                    "A key lives longer than nothing, and 366 days at the most.",
                    "lifetime");
        }
        return wish.scopes().stream()
                .flatMap(word -> findScopeRefusal(word, caller).stream())
                .findFirst();
    }

    private static Optional<Refusal> findScopeRefusal(String word, Principal caller) {
        Optional<Scope> scope = Scope.of(word);
        if (scope.isEmpty()) {
            return newRefusal(
                    RefusalCode.UNKNOWN_VALUE,
                    "There is no such scope; there are " + scopeNames() + ".",
                    "scopes");
        }
        if (!GRANTABLE.contains(scope.get())) {
            return newRefusal(
                    RefusalCode.SCOPE_NOT_GRANTABLE,
                    "No caller can grant "
                            + word
                            + "; the operator of the machine does, with --grant.",
                    "scopes");
        }
        if (!caller.hasScope(scope.get())) {
            return newRefusal(
                    RefusalCode.SCOPE_NOT_GRANTABLE,
                    "You lack " + word + " yourself, so that you cannot give it to a key.",
                    "scopes");
        }
        return Optional.empty();
    }

    /** The scopes of a wish that was not refused. */
    public static Set<Scope> parseScopes(KeyRequest wish) {
        EnumSet<Scope> scopes = EnumSet.noneOf(Scope.class);
        wish.scopes().forEach(word -> scopes.add(Scope.of(word).orElseThrow()));
        return scopes;
    }

    private static Optional<Refusal> newRefusal(RefusalCode code, String sentence, String field) {
        return Optional.of(new Refusal(code, sentence, field));
    }

    private static String scopeNames() {
        return String.join(", ", Scope.wireNames());
    }
}
