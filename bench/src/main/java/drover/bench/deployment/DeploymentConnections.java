package drover.bench.deployment;

import drover.kit.grpc.Address;
import drover.trust.identity.ServiceName;
import io.grpc.ManagedChannel;
import java.util.List;
import javax.sql.DataSource;

/** How the connections of a measured mesh are made: in the clear, or with both ends proven. */
public interface DeploymentConnections {
    /** What a program is told of it. */
    List<String> serviceArguments(ServiceName service);

    /** To the coordinator, as operators dial. */
    ManagedChannel connectToCoordinator(Address address);

    /** To the gateway's door for services, as whoever makes nodes known dials. */
    ManagedChannel connectToGateway(Address address);

    /**
     * Makes nodes known.
     *
     * @param operator of the same mesh
     * @param database of the same mesh, with its schemas
     * @return what their agents are told
     */
    List<String> registerNodesAndGetAgentArguments(
            OperatorClient operator, DataSource database, int first, int count);

    /** Nobody proves anything; agents have tokens. */
    static DeploymentConnections plaintext() {
        return new PlaintextDeploymentConnections();
    }
}
