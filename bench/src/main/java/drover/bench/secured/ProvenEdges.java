package drover.bench.secured;

import drover.bench.mesh.Edges;
import drover.bench.mesh.Operator;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.MeshTls;
import drover.kit.tls.TlsFiles;
import drover.machine.home.Unusable;
import drover.model.identity.MeshService;
import drover.model.identity.PeerRule;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
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
    public List<String> settings(MeshService service) {
        String directory = identities.service(service.word()).chain().getParent() + "";
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
        TlsFiles files = identities.service(MeshService.PREPARE.word());
        try {
            return Channels.to(
                    door,
                    TlsChannelCredentials.newBuilder()
                            .trustManager(files.trust().toFile())
                            .build());
        } catch (IOException e) {
            throw new Unusable(files.trust() + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public ManagedChannel toGateway(Address door) {
        LiveIdentity own =
                LiveIdentity.open(identities.service(MeshService.PREPARE.word()), Identities.LIFE);
        return Channels.to(
                door,
                MeshTls.dial(
                        own, PeerRule.ofServices(Identities.DOMAIN, MeshService.GATEWAY.word())));
    }

    @Override
    public List<String> admit(Operator operator, DataSource database, int first, int count) {
        return List.of("--identities", identities.enrol(database, first, count) + "");
    }
}
