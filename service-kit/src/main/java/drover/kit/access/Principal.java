package drover.kit.access;

import java.util.EnumSet;
import java.util.Set;

/**
 * Whoever makes a call, proven.
 *
 * @param kind how it was proven
 * @param id its name; unique among those of its kind
 * @param scopes what it may do
 */
public record Principal(Kind kind, String id, Set<Scope> scopes) {
    /** How somebody was proven. */
    public enum Kind {
        /** By an API key; the id is the key's. */
        KEY,
        /** By a token of the identity provider; the id is its subject. */
        JWT,
        /** Not at all, on a method that asks for nothing. */
        ANONYMOUS,
        /** Not at all: whoever reaches a door of this machine that asks for nothing. */
        LOCAL
    }

    /** Whoever reaches a door that asks for nothing; may do everything. */
    public static final Principal LOCAL =
            new Principal(Kind.LOCAL, "local", EnumSet.allOf(Scope.class));

    /** Whoever calls what is open to everybody; may do nothing else. */
    public static final Principal ANONYMOUS = new Principal(Kind.ANONYMOUS, "nobody", Set.of());

    public Principal {
        scopes = Set.copyOf(scopes);
    }

    /**
     * What the history records: how it was proven, and who; {@code key:ci}, {@code jwt:ann}. No
     * prefix is one of Drover's own actors, so that nobody can pass for it.
     */
    public String actor() {
        return switch (kind) {
            case KEY -> "key:" + id;
            case JWT -> "jwt:" + id;
            case LOCAL, ANONYMOUS -> id;
        };
    }

    /** Whether it may do what needs this scope. */
    public boolean hasScope(Scope scope) {
        return scopes.contains(scope);
    }
}
