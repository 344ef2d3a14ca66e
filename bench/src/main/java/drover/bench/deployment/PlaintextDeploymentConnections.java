package drover.bench.deployment;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.trust.identity.ServiceName;
import io.grpc.ManagedChannel;
import java.util.List;
import javax.sql.DataSource;

/** Connections in the clear. */
public class PlaintextDeploymentConnections implements DeploymentConnections {
    @Override
    public List<String> serviceArguments(ServiceName service) {
        return List.of();
    }

    @Override
    public ManagedChannel connectToCoordinator(Address address) {
        return Channels.open(address);
    }

    @Override
    public ManagedChannel connectToGateway(Address address) {
        return Channels.open(address);
    }

    @Override
    public List<String> registerNodesAndGetAgentArguments(
            OperatorClient operator, DataSource database, int first, int count) {
        operator.register(first, count);
        return List.of();
    }
}
