package drover.kit.tls;

import drover.trust.identity.PeerRule;
import io.grpc.ChannelCredentials;
import io.grpc.ServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettySslContextServerCredentials;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

/** What doors and dials are opened with when both ends must prove who they are: TLS 1.3 alone. */
public final class TlsCredentials {
    /** The one protocol that is spoken. */
    public static final String PROTOCOL = "TLSv1.3";

    private TlsCredentials() {}

    /** For a gRPC door that admits whom this rule admits, and nobody without a certificate. */
    public static ServerCredentials serverCredentials(
            ReloadingIdentity identity, PeerRule admitted) {
        return server(
                SslContextBuilder.forServer(new ReloadingKeyManager(identity))
                        .trustManager(new PeerTrustManager(identity, admitted))
                        .clientAuth(ClientAuth.REQUIRE));
    }

    /**
     * For a gRPC door that asks for no certificate and shows its own: where nodes are enrolled, and
     * where operators show keys instead.
     */
    public static ServerCredentials serverCredentialsWithoutClientAuth(ReloadingIdentity identity) {
        return server(
                SslContextBuilder.forServer(new ReloadingKeyManager(identity))
                        .clientAuth(ClientAuth.NONE));
    }

    private static ServerCredentials server(SslContextBuilder builder) {
        try {
            return HandshakeLoggingCredentials.of(
                    NettySslContextServerCredentials.create(
                            GrpcSslContexts.configure(builder).protocols(PROTOCOL).build()));
        } catch (SSLException e) {
            throw new InvalidTlsFiles("A TLS 1.3 door cannot be made here.", e);
        }
    }

    /** For a dial to a door that must be one of these; its host is compared as well. */
    public static ChannelCredentials channelCredentials(
            ReloadingIdentity identity, PeerRule expected) {
        try {
            return HandshakeLoggingCredentials.of(
                    NettySslContextChannelCredentials.create(
                            GrpcSslContexts.configure(SslContextBuilder.forClient())
                                    .keyManager(new ReloadingKeyManager(identity))
                                    .trustManager(new PeerTrustManager(identity, expected))
                                    .protocols(PROTOCOL)
                                    .build()));
        } catch (SSLException e) {
            throw new InvalidTlsFiles("A TLS 1.3 dial cannot be made here.", e);
        }
    }

    /**
     * For dialling what is no service of the mesh, such as etcd: it shows the certificate, and
     * believes whom the trust file leads to. Whoever dials must have the host compared, which
     * libraries do that know the name they dial, and must bound the protocol.
     */
    public static SSLContext externalClientContext(ReloadingIdentity identity) {
        try {
            SSLContext context = SSLContext.getInstance(PROTOCOL);
            context.init(
                    new KeyManager[] {new ReloadingKeyManager(identity)},
                    new TrustManager[] {new ExternalServerTrustManager(identity)},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new InvalidTlsFiles("A TLS 1.3 dial cannot be made here.", e);
        }
    }

    /**
     * For a REST endpoint: it sends its certificate and requests none, because its callers have API
     * keys. TLS 1.3 is its only protocol.
     */
    public static SSLContext httpsContext(ReloadingIdentity identity) {
        try {
            SSLContext context = SSLContext.getInstance(PROTOCOL);
            context.init(new KeyManager[] {new ReloadingKeyManager(identity)}, null, null);
            return SingleProtocolContext.restrict(context);
        } catch (GeneralSecurityException e) {
            throw new InvalidTlsFiles("A TLS 1.3 REST endpoint cannot be created here.", e);
        }
    }
}
