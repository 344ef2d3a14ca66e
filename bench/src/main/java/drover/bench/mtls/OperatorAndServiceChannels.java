package drover.bench.mtls;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import drover.localenv.UserFacingError;
import drover.trust.identity.PeerRule;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.time.Duration;

/** Dials the doors of a mesh that shows certificates. */
public final class OperatorAndServiceChannels {
    private OperatorAndServiceChannels() {}

    /** The coordinator's, as an operator does: who dials shows none. */
    public static ManagedChannel connectWithoutCertificate(Address address, TlsFiles trusting) {
        try {
            return Channels.open(
                    address,
                    TlsChannelCredentials.newBuilder()
                            .trustManager(trusting.trust().toFile())
                            .build());
        } catch (IOException e) {
            throw new UserFacingError(trusting.trust() + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The gateway's for services.
     *
     * @param interval how often it is looked whether there is a newer certificate
     */
    public static ManagedChannel connectToGateway(
            Address address, TlsFiles own, TrustDomain domain, Duration interval) {
        return Channels.open(
                address,
                TlsCredentials.channelCredentials(
                        ReloadingIdentity.open(own, interval),
                        PeerRule.ofServices(domain, ServiceName.GATEWAY.wireName())));
    }
}
