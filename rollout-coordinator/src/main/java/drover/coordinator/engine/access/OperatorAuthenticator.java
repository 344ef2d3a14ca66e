package drover.coordinator.engine.access;

import drover.coordinator.access.PlaintextApiKey;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.access.Principal;
import drover.kit.grpc.Authenticator;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Proves callers by what they bring: an API key, or a token of the identity provider. */
public final class OperatorAuthenticator implements Authenticator {
    private static final Pattern BEARER =
            Pattern.compile("(?i:bearer) +([\\x21-\\x7e]{1,8192}) *"); // tokens can be long

    private final ApiKeyAuthenticator keys;
    private final TokenAuthenticator tokens;

    /** Proves somebody by a token. */
    public interface TokenAuthenticator {
        /**
         * The principal of a token.
         *
         * @throws Refused when it proves nobody
         */
        Principal authenticate(String token);

        /** Takes no token: no identity provider is configured. */
        static TokenAuthenticator rejectAll() {
            return _ -> {
                throw new Refused(
                        RefusalCode.CREDENTIAL_UNKNOWN,
                        "What was sent is no API key, and tokens are not taken here.");
            };
        }
    }

    /** Proves by these. */
    public OperatorAuthenticator(ApiKeyAuthenticator keys, TokenAuthenticator tokens) {
        this.keys = keys;
        this.tokens = tokens;
    }

    @Override
    public Principal authenticate(String authorization) {
        Matcher bearer = BEARER.matcher(authorization);
        if (!bearer.matches()) {
            throw new Refused(
                    RefusalCode.CREDENTIAL_MISSING,
                    "This call needs a key; send it as 'authorization: Bearer KEY'.");
        }
        String credential = bearer.group(1);
        try {
            return credential.startsWith(PlaintextApiKey.PREFIX)
                    ? keys.authenticate(credential)
                    : tokens.authenticate(credential);
        } catch (StoreUnavailable e) {
            throw new Refused( // never let in: who is nobody knows
                    RefusalCode.STORE_UNAVAILABLE,
                    "The database cannot be reached, so that no key can be checked. Try again.");
        }
    }
}
