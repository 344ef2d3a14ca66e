package drover.gateway.engine;

import drover.gateway.identity.JoinGrant;
import drover.gateway.identity.JoinRules;
import drover.gateway.store.IdentityStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.model.identity.JoinToken;
import drover.model.identity.SpkiPin;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes join tokens, shows which there are, and ends them. */
public final class TokenDesk {
    private static final Logger LOG = LoggerFactory.getLogger(TokenDesk.class);

    private final IdentityStore store;
    private final Optional<Supplier<SpkiPin>> pin;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param pin by which machines know the gateways, as it is now; empty where nobody is enrolled
     */
    public TokenDesk(IdentityStore store, Optional<Supplier<SpkiPin>> pin, InstantSource clock) {
        this.store = store;
        this.pin = pin;
        this.clock = clock;
    }

    /** A new token: what is kept of it, and the whole, which is shown once. */
    public record Made(JoinGrant grant, JoinToken token) {}

    /**
     * Makes a token.
     *
     * @throws Refused when the rules say no, when nobody is enrolled here, and when the database is
     *     away
     */
    public Made make(JoinRules.Wish wish) {
        JoinRules.refusal(wish)
                .ifPresent(
                        no -> {
                            throw new Refused(RefusalCode.INVALID_FIELD, no.sentence(), no.field());
                        });
        SpkiPin known = pin.orElseThrow(TokenDesk::closed).get();
        JoinToken token = JoinToken.create(random, known);
        JoinGrant grant = wish.granted(token.id(), clock.instant());
        JoinGrant kept =
                asking(
                        () -> {
                            store.grant(grant, token.secretDigest());
                            return grant;
                        });
        LOG.info("A join token was made tokenId={} actor={}", kept.id(), kept.createdBy());
        return new Made(kept, token);
    }

    private static Refused closed() {
        return new Refused(
                RefusalCode.ENROLMENT_CLOSED,
                "Machines are not enrolled here: start the gateways with an authority.");
    }

    /**
     * Tokens that were made lately, newest first.
     *
     * @throws Refused when the database is away
     */
    public List<JoinGrant> grants() {
        return asking(store::grants);
    }

    /**
     * Ends a token.
     *
     * @throws Refused when there is none, and when the database is away
     */
    public JoinGrant revoke(String tokenId, String by) {
        JoinGrant revoked =
                asking(() -> store.revoke(tokenId, by))
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

    static <T> T asking(Supplier<T> question) {
        try {
            return question.get();
        } catch (StoreUnavailable e) {
            throw new Refused(
                    RefusalCode.STORE_UNAVAILABLE, e.getMessage() + "; try again in a moment.");
        }
    }
}
