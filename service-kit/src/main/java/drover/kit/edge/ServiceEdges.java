package drover.kit.edge;

import drover.kit.grpc.Channels;
import drover.kit.grpc.Dial;
import drover.kit.grpc.GrpcHost;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.MeshTls;
import drover.kit.tls.TlsFiles;
import drover.model.identity.MeshService;
import drover.model.identity.PeerRule;
import drover.model.identity.SpiffeId;
import drover.model.identity.TlsMaterial;
import drover.model.identity.TrustDomain;
import io.grpc.ChannelCredentials;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One service's connections with the others: its door for them, and how it dials theirs. With a
 * certificate both ends are proven and held to {@link drover.model.identity.MeshEdge}; without one
 * they are plain. There is no in between: a door takes the one or the other.
 */
public final class ServiceEdges implements AutoCloseable {
    /** The setting that names the directory with the certificate. */
    public static final String FLAG = "service-tls";

    /** What a service is told of this. */
    public static final List<Setting> SETTINGS =
            List.of(
                    IdentitySettings.directory(
                            FLAG,
                            "Its chain.pem, key.pem and trust.pem among services; they then show"
                                    + " certificates to each other."),
                    IdentitySettings.domain());

    /** What is said to whoever names the mesh and no certificate. */
    public static final String DOMAIN_ALONE =
            "--trust-domain needs --service-tls, the directory with this service's certificate; leave"
                    + " it away where services' connections are plain.";

    private final MeshService own;
    private final Optional<Proof> proof;

    private record Proof(TrustDomain domain, LiveIdentity identity) {}

    private ServiceEdges(MeshService own, Optional<Proof> proof) {
        this.own = own;
        this.proof = proof;
    }

    /** Without a certificate: for one process, or for a network of the services' own. */
    public static ServiceEdges plain(MeshService own) {
        return new ServiceEdges(own, Optional.empty());
    }

    /**
     * With one, also when its files are replaced: another service's are not taken.
     *
     * @throws IllegalArgumentException with one sentence, when it is another service's
     * @throws drover.kit.tls.TlsProblem with one sentence, when the files are not good
     */
    public static ServiceEdges proven(MeshService own, TrustDomain domain, Path directory) {
        return proven(own, domain, directory, LiveIdentity.USUAL_LOOK);
    }

    /** The same, looked at so often. */
    public static ServiceEdges proven(
            MeshService own, TrustDomain domain, Path directory, Duration look) {
        LiveIdentity identity =
                LiveIdentity.open(
                        TlsFiles.in(directory),
                        look,
                        shown -> requireOwn(domain.service(own), directory, shown));
        return new ServiceEdges(own, Optional.of(new Proof(domain, identity)));
    }

    /** Found out here rather than by every neighbour. */
    private static void requireOwn(SpiffeId expected, Path directory, TlsMaterial shown) {
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
     * @throws drover.kit.tls.TlsProblem with one sentence, when the files are not good
     */
    public static ServiceEdges of(MeshService own, Settings settings, String... others) {
        String directory = settings.get(FLAG);
        if (directory.isEmpty()) {
            requireNoDomain(settings, others);
            return plain(own);
        }
        return proven(own, IdentitySettings.domain(settings, FLAG), Path.of(directory));
    }

    /** Whoever names the mesh wants certificates, and must not be plain in silence. */
    private static void requireNoDomain(Settings settings, String... others) {
        boolean isUsed = Stream.of(others).anyMatch(other -> !settings.get(other).isEmpty());
        if (!isUsed && !settings.get(IdentitySettings.DOMAIN).isEmpty()) {
            throw new IllegalArgumentException(DOMAIN_ALONE);
        }
    }

    /** Its door for the other services, to which its contracts are still to be added. */
    public GrpcHost.Plan door() {
        GrpcHost.Plan plan = GrpcHost.plan().among(own);
        proof.ifPresent(
                it ->
                        plan.securedBy(
                                MeshTls.door(it.identity(), PeerRule.ofCallers(it.domain(), own))));
        return plan;
    }

    /** How doors of this service are dialled from here. */
    public Dial to(MeshService other) {
        return proof.map(it -> proven(it, other)).orElse(Dial.PLAIN);
    }

    private static Dial proven(Proof proof, MeshService other) {
        ChannelCredentials credentials =
                MeshTls.dial(proof.identity(), PeerRule.ofServices(proof.domain(), other.word()));
        return (address, interceptors) -> Channels.to(address, credentials, interceptors);
    }

    /** What is shown and believed; empty without a certificate. */
    public Optional<LiveIdentity> identity() {
        return proof.map(Proof::identity);
    }

    @Override
    public void close() {
        identity().ifPresent(LiveIdentity::close);
    }
}
