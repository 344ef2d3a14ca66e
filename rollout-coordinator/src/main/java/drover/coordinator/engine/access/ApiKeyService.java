package drover.coordinator.engine.access;

import drover.coordinator.access.ApiKey;
import drover.coordinator.access.ApiKeyCreationRules;
import drover.coordinator.access.PlaintextApiKey;
import drover.coordinator.store.access.ApiKeyStore;
import drover.kit.access.Principal;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.security.SecureRandom;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes, lists and revokes keys for callers. */
public final class ApiKeyService {
    private static final Logger LOG = LoggerFactory.getLogger(ApiKeyService.class);

    private final ApiKeyStore store;
    private final ApiKeyAuthenticator book;
    private final SecureRandom random = new SecureRandom();

    /** A desk over these. */
    public ApiKeyService(ApiKeyStore store, ApiKeyAuthenticator book) {
        this.store = store;
        this.book = book;
    }

    /** A key, with the one showing of its secret. */
    public record IssuedKey(ApiKey key, PlaintextApiKey text) {}

    /**
     * Makes a key.
     *
     * @throws Refused when the caller may not, or the id is or was in use
     */
    public IssuedKey create(ApiKeyCreationRules.KeyRequest wish, Principal caller) {
        ApiKeyCreationRules.findRefusal(wish, caller)
                .ifPresent(
                        no -> {
                            throw new Refused(no.code(), no.sentence(), no.field());
                        });
        PlaintextApiKey text = generateKey(wish.id(), random);
        ApiKey key =
                store.addIfAbsent(
                                wish.id(),
                                text.digest(),
                                ApiKeyCreationRules.parseScopes(wish),
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
        return new IssuedKey(key, text);
    }

    /** A key of this id that nobody can guess. */
    static PlaintextApiKey generateKey(String id, SecureRandom random) {
        byte[] secret = new byte[PlaintextApiKey.SECRET_BYTES];
        random.nextBytes(secret);
        return PlaintextApiKey.of(id, secret);
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
        book.markStale(id);
        LOG.info("A key was revoked keyId={} actor={}", id, caller.actor());
        return key;
    }
}
