package drover.kit.edge;

import drover.kit.grpc.Channels;
import drover.kit.grpc.Dial;
import drover.kit.grpc.GrpcHost;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.MeshTls;
import drover.model.identity.MeshService;
import drover.model.identity.PeerRule;
import drover.model.identity.SpiffeId;
import drover.model.identity.TrustDomain;
import io.grpc.ChannelCredentials;
import java.util.List;
import java.util.Optional;

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
     * With one.
     *
     * @throws IllegalArgumentException with one sentence, when it is another service's
     */
    public static ServiceEdges proven(MeshService own, TrustDomain domain, LiveIdentity identity) {
        requireOwn(domain.service(own), identity);
        return new ServiceEdges(own, Optional.of(new Proof(domain, identity)));
    }

    /**
     * As it was set.
     *
     * @throws IllegalArgumentException with one sentence
     * @throws drover.kit.tls.TlsProblem with one sentence, when the files are not good
     */
    public static ServiceEdges of(MeshService own, Settings settings) {
        if (settings.get(FLAG).isEmpty()) {
            return plain(own);
        }
        TrustDomain domain = IdentitySettings.domain(settings, FLAG);
        return IdentitySettings.open(settings, FLAG)
                .map(identity -> proven(own, domain, identity))
                .orElseGet(() -> plain(own));
    }

    /** Found out here rather than by every neighbour. */
    private static void requireOwn(SpiffeId expected, LiveIdentity identity) {
        SpiffeId named = SpiffeId.of(identity.material().leaf());
        if (!named.equals(expected)) {
            throw new IllegalArgumentException(
                    "The certificate in "
                            + identity.where()
                            + " names "
                            + named
                            + ", and not "
                            + expected
                            + ": give this service one of its own (drover authority issue).");
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
