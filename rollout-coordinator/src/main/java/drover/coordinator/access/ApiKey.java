package drover.coordinator.access;

import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A key as it is kept: never the secret, only its digest.
 *
 * @param id its name, which is never used again
 * @param secret SHA-256 of the whole text of the key; 32 random bytes need no salt
 * @param createdBy a principal, or {@link #BACKEND}
 * @param expiresAt null when it does not end by itself
 * @param lastUsedAt to about a minute; null when it never was
 * @param revokedAt null when it was not revoked
 * @param revokedBy empty when it was not revoked
 */
public record ApiKey(
        String id,
        Digest secret,
        Set<Scope> scopes,
        String createdBy,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt,
        String revokedBy) {
    /** Who made a key that the operator of the machine granted, rather than a caller. */
    public static final String BACKEND = "drover";

    public ApiKey {
        scopes = Set.copyOf(scopes);
    }

    /** What a key is worth, once its secret is known to be right. */
    public sealed interface Validity {
        /** It is good. */
        record Valid(Principal principal) implements Validity {}

        /** Its time is over. */
        record Expired(Instant since) implements Validity {}

        /** Somebody ended it. */
        record Revoked(Instant since) implements Validity {}
    }

    /** Whether the machine has granted just this, and it is good. */
    public boolean matchesGrant(Digest same, Set<Scope> those) {
        return createdBy.equals(BACKEND)
                && revokedAt == null
                && secret.equals(same)
                && scopes.equals(those);
    }

    /** What it is worth now. */
    public Validity validityAt(Instant now) {
        Instant revoked = revokedAt;
        if (revoked != null) {
            return new Validity.Revoked(revoked);
        }
        Instant end = expiresAt;
        if (end != null && !now.isBefore(end)) {
            return new Validity.Expired(end);
        }
        return new Validity.Valid(new Principal(Principal.Kind.KEY, id, scopes));
    }
}
