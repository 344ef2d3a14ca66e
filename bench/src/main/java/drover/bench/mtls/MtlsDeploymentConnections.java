package drover.bench.mtls;

import drover.bench.deployment.DeploymentConnections;
import drover.bench.deployment.OperatorClient;
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
public final class MtlsDeploymentConnections implements DeploymentConnections {
    private final BenchCa identities;

    /** Certified by this authority. */
    public MtlsDeploymentConnections(BenchCa identities) {
        this.identities = identities;
    }

    @Override
    public List<String> serviceArguments(ServiceName service) {
        String directory = identities.issueService(service.wireName()).chain().getParent() + "";
        List<String> settings = new ArrayList<>();
        settings.addAll(List.of("--service-tls", directory));
        settings.addAll(List.of("--trust-domain", BenchCa.DOMAIN.value()));
        switch (service) {
            case GATEWAY -> settings.addAll(List.of("--tls", directory));
            case COORDINATOR -> settings.addAll(List.of("--operator-tls", directory));
            case HEALTH, MANIFEST, PREPARE -> {} // have one door, or none
        }
        return settings;
    }

    @Override
    public ManagedChannel connectToCoordinator(Address address) {
        return OperatorAndServiceChannels.connectWithoutCertificate(
                address, identities.issueService(ServiceName.PREPARE.wireName()));
    }

    @Override
    public ManagedChannel connectToGateway(Address address) {
        return OperatorAndServiceChannels.connectToGateway(
                address,
                identities.issueService(ServiceName.PREPARE.wireName()),
                BenchCa.DOMAIN,
                BenchCa.LIFETIME);
    }

    @Override
    public List<String> registerNodesAndGetAgentArguments(
            OperatorClient operator, DataSource database, int first, int count) {
        return List.of("--identities", identities.enrollNodes(database, first, count) + "");
    }
}
