package drover.kit.access;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a principal may do. None contains another: whoever may change rollouts and look at them has
 * both.
 */
public enum Scope {
    /** Looking at rollouts, groups, nodes, manifests, incidents and events. */
    ROLLOUTS_READ("rollouts:read"),
    /** Making and steering rollouts and groups, and caring for nodes and incidents. */
    ROLLOUTS_ADMIN("rollouts:admin"),
    /** Letting a proven canary go on, and forcing a rollout. */
    ROLLOUTS_APPROVE("rollouts:approve"),
    /** Making, listing and revoking keys. */
    TOKENS_WRITE("tokens:write"),
    /** Checking the history. */
    AUDIT_READ("audit:read");

    private final String word;

    Scope(String word) {
        this.word = word;
    }

    /** As keys and tokens have it, such as {@code rollouts:read}. */
    public String wireName() {
        return word;
    }

    /** The scope of this word, if there is one. */
    public static Optional<Scope> of(String word) {
        return Arrays.stream(values()).filter(scope -> scope.word.equals(word)).findFirst();
    }

    /** All words, for sentences. */
    public static List<String> wireNames() {
        return Arrays.stream(values()).map(Scope::wireName).toList();
    }
}
