package drover.opsagent.cluster.etcd;

import drover.opsagent.policy.OwnerCheckingFileReader;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS configuration and user of etcd, read from files of the node. */
final class EtcdCredentials {
    private static final int MAX_FILE_SIZE = 64 * 1024;
    private static final List<String> OWNERS =
            Stream.of("root", System.getProperty("user.name")).distinct().toList();
    private static final char[] NO_PASSWORD = {};

    private EtcdCredentials() {}

    /** User of etcd's authentication. */
    record User(String name, String password) {
        /** Never the password: this may end up in a message (H14). */
        @Override
        public String toString() {
            return "User[" + name + "]";
        }
    }

    /**
     * Reads the certificates and the key; empty if the defaults of the Java runtime apply.
     *
     * @throws IllegalArgumentException with one sentence
     */
    static Optional<SSLContext> readTls(EtcdAccess access) {
        if (access.caFile().isEmpty()) {
            return Optional.empty();
        }
        String ca = readText(access.caFile().get(), false);
        try {
            if (access.certFile().isEmpty() || access.keyFile().isEmpty()) {
                return Optional.of(newContext(null, TlsKeyChainAndTrust.authorities(ca)));
            }
            TlsKeyChainAndTrust material =
                    TlsKeyChainAndTrust.parse(
                            readText(access.certFile().get(), false),
                            readText(access.keyFile().get(), true),
                            ca);
            return Optional.of(newContext(keyManagers(material), material.authorities()));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    "The certificates for etcd cannot be used: " + e.getMessage() + ".", e);
        }
    }

    private static SSLContext newContext(
            KeyManager @Nullable [] keys, List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore trusted = emptyStore();
        for (X509Certificate authority : authorities) {
            trusted.setCertificateEntry("ca-" + trusted.size(), authority);
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust.getTrustManagers(), null);
        return context;
    }

    private static KeyManager[] keyManagers(TlsKeyChainAndTrust material)
            throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setKeyEntry(
                "client",
                material.key(),
                NO_PASSWORD,
                material.chain().toArray(X509Certificate[]::new));
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return keys.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    /**
     * Reads the user; empty if none is configured.
     *
     * @throws IllegalArgumentException with one sentence, without the content of the file
     */
    static Optional<User> readUser(EtcdAccess access) {
        return access.userFile().map(EtcdCredentials::readUser);
    }

    private static User readUser(Path file) {
        String line = readText(file, true).strip();
        int colon = line.indexOf(':');
        if (colon < 1 || colon == line.length() - 1 || line.lines().count() != 1) {
            throw new IllegalArgumentException(
                    file + " must hold one line NAME:PASSWORD of an etcd user.");
        }
        return new User(line.substring(0, colon), line.substring(colon + 1));
    }

    private static String readText(Path file, boolean secret) {
        byte[] bytes = new OwnerCheckingFileReader(file, OWNERS, secret).read(MAX_FILE_SIZE);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
