package drover.kit.mtls;

import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import drover.trust.identity.PeerRule;
import drover.trust.identity.ServiceName;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TlsKeyChainAndTrust;
import drover.trust.identity.TrustDomain;
import io.grpc.ChannelCredentials;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One service's connections with the others: its door for them, and how it dials theirs. With a
 * certificate both ends are proven and held to {@link drover.trust.identity.ServicePermission};
 * without one they are plain. There is no in between: a door takes the one or the other.
 */
public final class ServiceTransport implements AutoCloseable {
    /** The setting that names the directory with the certificate. */
    public static final String FLAG = "service-tls";

    /** What a service is told of this. */
    public static final List<SettingDefinition> SETTINGS =
            List.of(
                    TlsIdentitySettingsReader.directorySetting(
                            FLAG,
                            "Its chain.pem, key.pem and trust.pem among services; they then show"
                                    + " certificates to each other."),
                    TlsIdentitySettingsReader.domain());

    /** What is said to whoever names the mesh and no certificate. */
    public static final String DOMAIN_WITHOUT_TLS =
            "--trust-domain needs --service-tls, the directory with this service's certificate; leave"
                    + " it away where services' connections are plain.";

    private final ServiceName own;
    private final Optional<MutualTls> proof;

    private record MutualTls(TrustDomain domain, ReloadingIdentity identity) {}

    private ServiceTransport(ServiceName own, Optional<MutualTls> proof) {
        this.own = own;
        this.proof = proof;
    }

    /** Without a certificate: for one process, or for a network of the services' own. */
    public static ServiceTransport plaintext(ServiceName own) {
        return new ServiceTransport(own, Optional.empty());
    }

    /**
     * With one, also when its files are replaced: another service's are not taken.
     *
     * @throws IllegalArgumentException with one sentence, when it is another service's
     * @throws drover.kit.tls.InvalidTlsFiles with one sentence, when the files are not good
     */
    public static ServiceTransport mutualTls(ServiceName own, TrustDomain domain, Path directory) {
        return mutualTls(own, domain, directory, ReloadingIdentity.DEFAULT_RELOAD_INTERVAL);
    }

    /** The same, looked at so often. */
    public static ServiceTransport mutualTls(
            ServiceName own, TrustDomain domain, Path directory, Duration interval) {
        ReloadingIdentity identity =
                ReloadingIdentity.open(
                        TlsFiles.in(directory),
                        interval,
                        shown -> requireOwnCertificate(domain.service(own), directory, shown));
        return new ServiceTransport(own, Optional.of(new MutualTls(domain, identity)));
    }

    /** Found out here rather than by every neighbour. */
    private static void requireOwnCertificate(
            SpiffeId expected, Path directory, TlsKeyChainAndTrust shown) {
        SpiffeId named = SpiffeId.of(shown.leaf());
        if (!named.equals(expected)) {
            throw new IllegalArgumentException(
                    "The certificate in "
                            + directory
                            + " names "
                            + named
                            + ", and not "
                            + expected
                            + ": give this service one of its own (drover authority issue).");
        }
    }

    /**
     * As it was set.
     *
     * @param others settings of the service that need the mesh's name as well
     * @throws IllegalArgumentException with one sentence
     * @throws drover.kit.tls.InvalidTlsFiles with one sentence, when the files are not good
     */
    public static ServiceTransport fromSettings(
            ServiceName own, Settings settings, String... others) {
        String directory = settings.get(FLAG);
        if (directory.isEmpty()) {
            requireDomainUsedOrUnset(settings, others);
            return plaintext(own);
        }
        return mutualTls(own, TlsIdentitySettingsReader.domain(settings, FLAG), Path.of(directory));
    }

    /** Whoever names the mesh wants certificates, and must not be plain in silence. */
    private static void requireDomainUsedOrUnset(Settings settings, String... others) {
        boolean isUsed = Stream.of(others).anyMatch(other -> !settings.get(other).isEmpty());
        if (!isUsed && !settings.get(TlsIdentitySettingsReader.DOMAIN).isEmpty()) {
            throw new IllegalArgumentException(DOMAIN_WITHOUT_TLS);
        }
    }

    /** Its door for the other services, to which its contracts are still to be added. */
    public GrpcServer.Builder serverBuilder() {
        GrpcServer.Builder plan = GrpcServer.builder().enforceServicePermissions(own);
        proof.ifPresent(
                it ->
                        plan.credentials(
                                TlsCredentials.serverCredentials(
                                        it.identity(), PeerRule.ofCallers(it.domain(), own))));
        return plan;
    }

    /** How doors of this service are dialled from here. */
    public ChannelFactory channelsTo(ServiceName other) {
        return proof.map(it -> mutualTls(it, other)).orElse(ChannelFactory.PLAINTEXT);
    }

    private static ChannelFactory mutualTls(MutualTls proof, ServiceName other) {
        ChannelCredentials credentials =
                TlsCredentials.channelCredentials(
                        proof.identity(), PeerRule.ofServices(proof.domain(), other.wireName()));
        return (address, interceptors) -> Channels.open(address, credentials, interceptors);
    }

    /** What is shown and believed; empty without a certificate. */
    public Optional<ReloadingIdentity> identity() {
        return proof.map(MutualTls::identity);
    }

    @Override
    public void close() {
        identity().ifPresent(ReloadingIdentity::close);
    }
}
