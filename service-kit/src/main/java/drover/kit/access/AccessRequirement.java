package drover.kit.access;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** What a method asks of its caller. */
public sealed interface AccessRequirement {
    /** Nothing: health and the contracts, which hold no data. */
    record Public() implements AccessRequirement {}

    /** A principal with this scope, or with one of these. */
    record RequiresScope(Set<Scope> oneOf) implements AccessRequirement {
        public RequiresScope {
            oneOf = Collections.unmodifiableSet(EnumSet.copyOf(oneOf)); // told in one order
        }

        /** The one scope that lets in. */
        public RequiresScope(Scope scope) {
            this(Set.of(scope));
        }

        /** For example {@code rollouts:admin or rollouts:approve}. */
        public String displayName() {
            return oneOf.stream().map(Scope::wireName).collect(Collectors.joining(" or "));
        }
    }
}
