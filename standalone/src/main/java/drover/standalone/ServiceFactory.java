package drover.standalone;

import drover.kit.grpc.Address;
import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.fleet.NodeInstallation;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Opens the database and the five programs of a mesh. {@link StandaloneDeployment} decides the
 * order and the addresses; {@link InProcessServiceFactory} is the real thing.
 */
public interface ServiceFactory {
    /** A running program. */
    interface RunningService extends AutoCloseable {
        @Override
        void close();
    }

    /** An open database. */
    interface DatabaseHandle extends RunningService {
        /** Connections for one service, at most so many at a time. */
        DataSource openPool(String name, int size);
    }

    /**
     * The database of the deployment.
     *
     * @param notices one sentence for each restart of a PostgreSQL of its own
     */
    DatabaseHandle openDatabase(StandaloneConfig config, Consumer<String> notices);

    /** A running gateway. */
    interface RunningGateway extends RunningService {
        /** The port that agents with tokens dial. */
        int nodeTokenAgentPort();

        /** The port that agents with certificates dial. */
        int certificateAgentPort();

        /** The port where machines become nodes. */
        int enrollmentPort();
    }

    /** A running coordinator. */
    interface RunningCoordinator extends RunningService {
        /** The port of the operators' gRPC services. */
        int grpcPort();

        /** The port of REST and health. */
        int httpPort();
    }

    /** A door for metrics. */
    interface MetricsEndpoint extends RunningService {
        /** The port of {@code /metrics}. */
        int port();
    }

    /** The metrics of everything that is opened here. */
    MetricsEndpoint startMetrics(StandaloneConfig config);

    /** What may be installed. */
    RunningService startManifestService(Path config, Address address);

    /** Is it well? */
    RunningService startHealthEvaluator(Address address);

    /** The doors agents dial into. */
    RunningGateway startGateway(GatewaySettings endpoints, DataSource database, AgentTimings pace);

    /**
     * Where a gateway listens.
     *
     * @param agents with tokens
     * @param internal for the other services
     * @param nodeEndpoints with certificates, on the same host
     * @param data the directory in which the mesh's authority is kept
     */
    record GatewaySettings(
            Address.Tcp agents,
            Address internal,
            StandaloneConfig.CertificateNodePorts nodeEndpoints,
            DataDirectory data) {}

    /** Who is upgraded when, and why. */
    RunningCoordinator startCoordinator(CoordinatorSettings endpoints, DataSource database);

    /**
     * Where a coordinator listens and whom it calls.
     *
     * @param operators the operators' gRPC services
     * @param http REST and health
     * @param events the file that says who outside is told of events; it need not exist
     * @param keys the directory in which keys are kept
     * @param access what callers bring
     * @param retentionDays how many days ended rollouts stay whole; 0 for good
     */
    record CoordinatorSettings(
            Address.Tcp operators,
            Address.Tcp http,
            Address manifests,
            Address health,
            Path events,
            Path keys,
            StandaloneConfig.ApiAuthenticationSettings access,
            int retentionDays) {}

    /** Programs of a node, by name; absent before its first programs are installed. */
    Optional<Set<String>> findInstalledPrograms(NodeDirectory node);

    /** Gives a node its first programs; idempotent. */
    void installInitialPrograms(NodeInstallation installation);

    /** The agent of a node; closing it leaves its programs running. */
    RunningService startAgent(NodeDirectory node, Address gateway, AgentTimings pace);
}
