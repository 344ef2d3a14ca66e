package drover.coordinator.engine;

import drover.coordinator.access.ApiKey;
import drover.coordinator.access.KeyRules;
import drover.coordinator.access.KeyText;
import drover.coordinator.store.KeyStore;
import drover.kit.access.Principal;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.security.SecureRandom;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes, lists and revokes keys for callers. */
public final class KeyDesk {
    private static final Logger LOG = LoggerFactory.getLogger(KeyDesk.class);

    private final KeyStore store;
    private final KeyBook book;
    private final SecureRandom random = new SecureRandom();

    /** A desk over these. */
    public KeyDesk(KeyStore store, KeyBook book) {
        this.store = store;
        this.book = book;
    }

    /** A key, with the one showing of its secret. */
    public record Made(ApiKey key, KeyText text) {}

    /**
     * Makes a key.
     *
     * @throws Refused when the caller may not, or the id is or was in use
     */
    public Made make(KeyRules.Wish wish, Principal caller) {
        KeyRules.refusal(wish, caller)
                .ifPresent(
                        no -> {
                            throw new Refused(no.code(), no.sentence(), no.field());
                        });
        KeyText text = fresh(wish.id(), random);
        ApiKey key =
                store.add(
                                wish.id(),
                                text.digest(),
                                KeyRules.scopes(wish),
                                caller.actor(),
                                wish.lifetime())
                        .orElseThrow(
                                () ->
                                        new Refused(
                                                RefusalCode.KEY_EXISTS,
                                                "A key has or had the id "
                                                        + wish.id()
                                                        + "; choose another.",
                                                "key_id"));
        LOG.info("A key was made keyId={} actor={}", key.id(), caller.actor());
        return new Made(key, text);
    }

    /** A key of this id that nobody can guess. */
    static KeyText fresh(String id, SecureRandom random) {
        byte[] secret = new byte[KeyText.SECRET_BYTES];
        random.nextBytes(secret);
        return KeyText.of(id, secret);
    }

    /** All keys, by id. */
    public List<ApiKey> list() {
        return store.list();
    }

    /**
     * Revokes a key.
     *
     * @throws Refused when there is none
     */
    public ApiKey revoke(String id, Principal caller) {
        ApiKey key =
                store.revoke(id, caller.actor())
                        .orElseThrow(
                                () ->
                                        new Refused(
                                                RefusalCode.KEY_NOT_FOUND,
                                                "There is no key of this id; look at 'drover key"
                                                        + " list'.",
                                                "key_id"));
        book.forget(id);
        LOG.info("A key was revoked keyId={} actor={}", id, caller.actor());
        return key;
    }
}
