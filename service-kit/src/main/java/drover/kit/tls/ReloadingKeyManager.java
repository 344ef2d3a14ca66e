package drover.kit.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Shows the certificate that is in use when a handshake begins. Null is how this interface of the
 * JDK says that there is nothing to show.
 */
final class ReloadingKeyManager extends X509ExtendedKeyManager {
    private final ReloadingIdentity identity;

    ReloadingKeyManager(ReloadingIdentity identity) {
        this.identity = identity;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return chooseClientAlias(keyTypes, issuers, null);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return Arrays.stream(keyTypes).anyMatch(this::matchesKeyType)
                ? identity.current().alias()
                : null;
    }

    @Override
    public @Nullable String chooseServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return matchesKeyType(keyType) ? identity.current().alias() : null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return aliases(keyType);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return aliases(keyType);
    }

    private String @Nullable [] aliases(String keyType) {
        return matchesKeyType(keyType) ? new String[] {identity.current().alias()} : null;
    }

    /** Libraries say {@code EC} as well as {@code EC_EC} and {@code EC_RSA}. */
    private boolean matchesKeyType(String keyType) {
        return keyType.startsWith(identity.current().material().key().getAlgorithm());
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return identity.byAlias(alias)
                .map(found -> found.material().chain().toArray(X509Certificate[]::new))
                .orElse(null);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return identity.byAlias(alias).map(found -> found.material().key()).orElse(null);
    }
}
