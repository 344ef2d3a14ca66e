package drover.gateway;

import drover.gateway.api.EnrolmentDoor;
import drover.gateway.api.EnrolmentSources;
import drover.gateway.engine.EnrolmentDesk;
import drover.gateway.engine.EnrolmentPace;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.NodeSigner;
import drover.gateway.store.IdentityStore;
import drover.kit.authority.Authority;
import drover.kit.grpc.Address;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.GrpcHost;
import drover.kit.tls.MeshTls;
import drover.model.identity.SpkiPin;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where and how machines become nodes: a door of its own, which asks for no certificate, and the
 * authority that signs nodes.
 *
 * @param door where machines dial
 * @param authority that signs nodes, which the agents' doors trust
 * @param life of a node's certificate
 */
public record EnrolmentPlace(Address door, Authority authority, Duration life) {
    private static final Logger LOG = LoggerFactory.getLogger(EnrolmentPlace.class);

    private static final int CALLS_AT_ONCE = 64;
    private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

    /**
     * Opens it.
     *
     * @throws IllegalArgumentException when the gateway's chain does not end with an authority, or
     *     the agents' door does not trust this one
     */
    GrpcHost open(GatewayTls tls, IdentityStore store, GatewayMetrics meter) {
        EndpointLimits limits = EndpointLimits.ENROLLMENT;
        tls.requireTrusted(authority.certificate());
        SpkiPin known = tls.pin();
        GrpcHost host =
                GrpcHost.plan()
                        .through(new EnrolmentSources(new EnrolmentPace(System::nanoTime)))
                        .serve(
                                new EnrolmentDoor(
                                        new EnrolmentDesk(store, signer(tls)), tls::trustPem))
                        .securedBy(MeshTls.openDoor(tls.identity()))
                        .bounded(CALLS_AT_ONCE, LONGEST_CALL)
                        .limited(limits, limits.limiter("enrollment", meter::enrollmentRefused))
                        .listen(door);
        LOG.info("Machines can be enrolled port={} pin={}", host.port(), known);
        return host;
    }

    /** What signs nodes here. */
    NodeSigner signer(GatewayTls tls) {
        return new NodeSigner(authority, tls.domain(), life, InstantSource.system());
    }
}
