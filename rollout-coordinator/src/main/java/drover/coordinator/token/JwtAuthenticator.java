package drover.coordinator.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import drover.coordinator.access.JwtClaimRules;
import drover.coordinator.access.JwtClaimRules.Claims;
import drover.coordinator.access.JwtClaimRules.Result;
import drover.coordinator.engine.access.OperatorAuthenticator;
import drover.kit.access.Principal;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.net.MalformedURLException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves callers by tokens: signed with ES256 or RS256 by a key that the issuer publishes, and good
 * by {@link JwtClaimRules}. Whatever goes wrong, nobody is let in (invariant H7).
 */
public final class JwtAuthenticator implements OperatorAuthenticator.TokenAuthenticator {
    private static final Logger LOG = LoggerFactory.getLogger(JwtAuthenticator.class);

    /** Public keys only: with a secret one, an issuer's public key could be taken for it. */
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(JWSAlgorithm.ES256, JWSAlgorithm.RS256);

    private static final Duration KEYS_FRESH = Duration.ofMinutes(5); // a withdrawn one is out then
    private static final Duration MIN_INTERVAL = Duration.ofSeconds(30); // by unknown keys
    private static final Duration OUTAGE_BORNE = Duration.ofHours(1); // with the keys seen last
    private static final int ANSWER_WITHIN_MILLIS = 3_000; // a caller waits for it
    private static final int LARGEST_KEY_SET = 256 * 1024; // some hundred keys

    private final TrustedTokenIssuer issuer;
    private final Supplier<Instant> clock;
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    /**
     * Takes tokens of this issuer; its keys are read when the first one comes.
     *
     * @param clock what the ends of tokens are compared with
     */
    public JwtAuthenticator(TrustedTokenIssuer issuer, Supplier<Instant> clock) {
        this(issuer, clock, MIN_INTERVAL);
    }

    /** With another limit of how often unknown keys make it ask the issuer. */
    JwtAuthenticator(TrustedTokenIssuer issuer, Supplier<Instant> clock, Duration minInterval) {
        this.issuer = issuer;
        this.clock = clock;
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(
                        JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(
                new JWSVerificationKeySelector<>(ALGORITHMS, createKeySource(issuer, minInterval)));
        processor.setJWTClaimsSetVerifier((claims, context) -> {}); // JwtClaimRules does, below
    }

    private static JWKSource<SecurityContext> createKeySource(
            TrustedTokenIssuer issuer, Duration atMostEvery) {
        try {
            return JWKSourceBuilder.create(
                            issuer.keys().toURL(),
                            new DefaultResourceRetriever(
                                    ANSWER_WITHIN_MILLIS, ANSWER_WITHIN_MILLIS, LARGEST_KEY_SET))
                    .cache(KEYS_FRESH.toMillis(), ANSWER_WITHIN_MILLIS)
                    .refreshAheadCache(false) // no threads of its own
                    .rateLimited(atMostEvery.toMillis())
                    .outageTolerant(OUTAGE_BORNE.toMillis())
                    .build();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(
                    "The keys of tokens cannot be read from " + issuer.keys() + ".", e);
        }
    }

    @Override
    public Principal authenticate(String token) {
        return switch (JwtClaimRules.validate(
                readClaims(token), issuer.issuer(), issuer.audience(), clock.get())) {
            case Result.Valid(Principal principal) -> principal;
            case Result.Invalid(RefusalCode code, String sentence) ->
                    throw new Refused(code, sentence);
        };
    }

    /** What it claims, once its signature is the issuer's. */
    private Claims readClaims(String token) {
        try {
            return readClaims(processor.process(token, null));
        } catch (RateLimitReachedException e) {
            throw tokenRejected(e); // an unknown key, and the issuer was asked a moment ago
        } catch (KeySourceException e) {
            LOG.warn("The keys of tokens cannot be read address={}", issuer.keys(), e);
            throw new Refused(
                    RefusalCode.ISSUER_UNAVAILABLE,
                    "The keys that tokens are checked with cannot be read. Try again, or use an API"
                            + " key.");
        } catch (ParseException | BadJOSEException | JOSEException e) {
            throw tokenRejected(e);
        }
    }

    private static Refused tokenRejected(Exception cause) {
        LOG.debug("A token was refused", cause);
        return new Refused(
                RefusalCode.CREDENTIAL_UNKNOWN,
                "The token is not taken: it is no JWT that the issuer signed with ES256 or RS256.");
    }

    private static Claims readClaims(JWTClaimsSet received) {
        return new Claims(
                received.getSubject(),
                received.getIssuer(),
                received.getAudience(),
                toInstant(received.getIssueTime()),
                toInstant(received.getNotBeforeTime()),
                toInstant(received.getExpirationTime()),
                scopes(received));
    }

    /** {@code scope} with spaces between (RFC 9068), or a list of {@code scopes}. */
    private static List<String> scopes(JWTClaimsSet received) {
        List<String> words = new ArrayList<>();
        if (received.getClaim("scope") instanceof String line) {
            words.addAll(Arrays.asList(line.split(" ", -1)));
        }
        if (received.getClaim("scopes") instanceof List<?> list) {
            list.forEach(word -> words.add(String.valueOf(word)));
        }
        return words;
    }

    private static @Nullable Instant toInstant(@Nullable Date date) { // null: it does not say
        return date == null ? null : date.toInstant();
    }
}
