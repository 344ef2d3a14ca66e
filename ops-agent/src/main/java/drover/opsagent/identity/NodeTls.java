package drover.opsagent.identity;

import drover.trust.identity.SpkiPin;
import drover.trust.identity.TlsKeyChainAndTrust;
import io.grpc.ChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import javax.net.ssl.SSLException;

/** What an agent dials with: TLS 1.3 alone. */
final class NodeTls {
    private static final String PROTOCOL = "TLSv1.3";

    private NodeTls() {}

    /** As the node that this is. */
    static ChannelCredentials credentialsFor(NodeKeyAndCertificate node) {
        TlsKeyChainAndTrust material = node.toTlsMaterial();
        return buildCredentials(
                SslContextBuilder.forClient()
                        .keyManager(material.key(), material.chain())
                        .trustManager(GatewayCertificateVerifier.of(material)));
    }

    /** As a machine that is no node yet. */
    static ChannelCredentials credentialsWithPinnedCa(SpkiPin pin) {
        return buildCredentials(
                SslContextBuilder.forClient()
                        .trustManager(GatewayCertificateVerifier.withPinnedCa(pin)));
    }

    private static ChannelCredentials buildCredentials(SslContextBuilder builder) {
        try {
            return NettySslContextChannelCredentials.create(
                    GrpcSslContexts.configure(builder).protocols(PROTOCOL).build());
        } catch (SSLException e) {
            throw new IllegalStateException("This machine has no TLS 1.3", e);
        }
    }
}
