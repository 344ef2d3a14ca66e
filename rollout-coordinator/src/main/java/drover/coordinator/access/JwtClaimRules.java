package drover.coordinator.access;

import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.model.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a token must say, once its signature is known to be the issuer's (invariant H7). Nothing is
 * taken for granted: what is missing is refused.
 */
public final class JwtClaimRules {
    /** The longest life of a token: nobody can revoke one. */
    public static final Duration MAX_LIFETIME = Duration.ofHours(1);

    /** How far the issuer's clock may be ahead. Nothing is granted beyond a token's end. */
    public static final Duration MAX_CLOCK_SKEW = Duration.ofSeconds(60);

    private static final String SUBJECT = "[\\x21-\\x7e]{1,200}"; // it becomes an actor

    private JwtClaimRules() {}

    /**
     * What a token claims.
     *
     * @param issuer null when it does not say, as with every other claim
     * @param scopes as words; those that are not Drover's count for nothing
     */
    public record Claims(
            @Nullable String subject,
            @Nullable String issuer,
            List<String> audience,
            @Nullable Instant issuedAt,
            @Nullable Instant notBefore,
            @Nullable Instant expiresAt,
            List<String> scopes) {
        public Claims {
            audience = List.copyOf(audience);
            scopes = List.copyOf(scopes);
        }
    }

    /** What a token is worth. */
    public sealed interface Result {
        /** It proves somebody. */
        record Valid(Principal principal) implements Result {}

        /** It proves nobody. */
        record Invalid(RefusalCode code, String sentence) implements Result {}
    }

    /**
     * Judges claims.
     *
     * @param issuer whose tokens are taken
     * @param audience whom they must be meant for
     */
    public static Result validate(Claims claims, String issuer, String audience, Instant now) {
        String subject = claims.subject();
        Instant issued = claims.issuedAt();
        Instant end = claims.expiresAt();
        if (!issuer.equals(claims.issuer())) {
            return invalidToken("it was not issued by " + issuer);
        }
        if (!claims.audience().contains(audience)) {
            return invalidToken("it is not meant for " + audience);
        }
        if (subject == null || !subject.matches(SUBJECT)) {
            return invalidToken("it has no 'sub' of 1 to 200 printable characters without spaces");
        }
        if (issued == null || end == null) {
            return invalidToken("it does not say since when and until when it is good");
        }
        if (Duration.between(issued, end).compareTo(MAX_LIFETIME) > 0) {
            return invalidToken("it is good for more than an hour");
        }
        Instant start = claims.notBefore();
        if (isInFutureBeyondSkew(issued, now)
                || (start != null && isInFutureBeyondSkew(start, now))) {
            return invalidToken("it is not good yet; compare the clocks");
        }
        if (!now.isBefore(end)) {
            return new Result.Invalid(
                    RefusalCode.CREDENTIAL_EXPIRED,
                    "The token expired at " + end + "; get a new one.");
        }
        return new Result.Valid(new Principal(Principal.Kind.JWT, subject, parseScopes(claims)));
    }

    private static boolean isInFutureBeyondSkew(Instant moment, Instant now) {
        return moment.isAfter(now.plus(MAX_CLOCK_SKEW));
    }

    private static Set<Scope> parseScopes(Claims claims) {
        return claims.scopes().stream()
                .flatMap(word -> Scope.of(word).stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Result invalidToken(String why) {
        return new Result.Invalid(
                RefusalCode.CREDENTIAL_UNKNOWN, "The token is not taken: " + why + ".");
    }
}
