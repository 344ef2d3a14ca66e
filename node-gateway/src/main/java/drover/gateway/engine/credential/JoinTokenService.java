package drover.gateway.engine.credential;

import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.identity.JoinTokenRules;
import drover.gateway.store.EnrollmentStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.trust.identity.JoinToken;
import drover.trust.identity.SpkiPin;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes join tokens, shows which there are, and ends them. */
public final class JoinTokenService {
    private static final Logger LOG = LoggerFactory.getLogger(JoinTokenService.class);

    private final EnrollmentStore store;
    private final Optional<Supplier<SpkiPin>> pin;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param pin by which machines know the gateways, as it is now; empty where nobody is enrolled
     */
    public JoinTokenService(
            EnrollmentStore store, Optional<Supplier<SpkiPin>> pin, InstantSource clock) {
        this.store = store;
        this.pin = pin;
        this.clock = clock;
    }

    /** A new token: what is kept of it, and the whole, which is shown once. */
    public record CreatedToken(JoinTokenMetadata grant, JoinToken token) {}

    /**
     * Makes a token.
     *
     * @throws Refused when the rules say no, when nobody is enrolled here, and when the database is
     *     away
     */
    public CreatedToken create(JoinTokenRules.Request wish) {
        JoinTokenRules.findRefusal(wish)
                .ifPresent(
                        no -> {
                            throw new Refused(RefusalCode.INVALID_FIELD, no.sentence(), no.field());
                        });
        SpkiPin known = pin.orElseThrow(JoinTokenService::enrollmentClosed).get();
        JoinToken token = JoinToken.create(random, known);
        JoinTokenMetadata grant = wish.toIssuedJoinToken(token.id(), clock.instant());
        JoinTokenMetadata kept =
                refuseIfUnavailable(
                        () -> {
                            store.addJoinToken(grant, token.secretDigest());
                            return grant;
                        });
        LOG.info("A join token was made tokenId={} actor={}", kept.id(), kept.createdBy());
        return new CreatedToken(kept, token);
    }

    private static Refused enrollmentClosed() {
        return new Refused(
                RefusalCode.ENROLLMENT_CLOSED,
                "Machines are not enrolled here: start the gateways with an authority.");
    }

    /**
     * Tokens that were made lately, newest first.
     *
     * @throws Refused when the database is away
     */
    public List<JoinTokenMetadata> listJoinTokens() {
        return refuseIfUnavailable(store::listJoinTokens);
    }

    /**
     * Ends a token.
     *
     * @throws Refused when there is none, and when the database is away
     */
    public JoinTokenMetadata revoke(String tokenId, String by) {
        JoinTokenMetadata revoked =
                refuseIfUnavailable(() -> store.revoke(tokenId, by))
                        .orElseThrow(
                                () ->
                                        new Refused(
                                                RefusalCode.JOIN_TOKEN_NOT_FOUND,
                                                "There is no join token with this id; look at"
                                                        + " 'drover token list'.",
                                                "token_id"));
        LOG.info("A join token was revoked tokenId={} actor={}", tokenId, revoked.revokedBy());
        return revoked;
    }

    static <T> T refuseIfUnavailable(Supplier<T> question) {
        try {
            return question.get();
        } catch (StoreUnavailable e) {
            throw new Refused(
                    RefusalCode.STORE_UNAVAILABLE, e.getMessage() + "; try again in a moment.");
        }
    }
}
