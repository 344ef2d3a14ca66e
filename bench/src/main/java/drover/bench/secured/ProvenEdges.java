package drover.bench.secured;

import drover.bench.mesh.Edges;
import drover.bench.mesh.Operator;
import drover.kit.grpc.Address;
import drover.trust.identity.ServiceName;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Every connection over TLS 1.3 with certificates at both ends, as a mesh on several machines has
 * it; operators alone show none. Agents are enrolled.
 */
public final class ProvenEdges implements Edges {
    private final Identities identities;

    /** Certified by this authority. */
    public ProvenEdges(Identities identities) {
        this.identities = identities;
    }

    @Override
    public List<String> settings(ServiceName service) {
        String directory = identities.service(service.wireName()).chain().getParent() + "";
        List<String> settings = new ArrayList<>();
        settings.addAll(List.of("--service-tls", directory));
        settings.addAll(List.of("--trust-domain", Identities.DOMAIN.value()));
        switch (service) {
            case GATEWAY -> settings.addAll(List.of("--tls", directory));
            case COORDINATOR -> settings.addAll(List.of("--operator-tls", directory));
            case HEALTH, MANIFEST, PREPARE -> {} // have one door, or none
        }
        return settings;
    }

    @Override
    public ManagedChannel toCoordinator(Address door) {
        return ProvenDial.asOperator(door, identities.service(ServiceName.PREPARE.wireName()));
    }

    @Override
    public ManagedChannel toGateway(Address door) {
        return ProvenDial.toGateway(
                door,
                identities.service(ServiceName.PREPARE.wireName()),
                Identities.DOMAIN,
                Identities.LIFE);
    }

    @Override
    public List<String> admit(Operator operator, DataSource database, int first, int count) {
        return List.of("--identities", identities.enrol(database, first, count) + "");
    }
}
