package drover.system.failover;

import drover.bench.deployment.DeploymentConnections;
import drover.bench.deployment.OperatorClient;
import drover.bench.deployment.PlaintextDeploymentConnections;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.rollout.v1.CreateRolloutRequest;
import java.nio.file.Path;

/** What is proven in a mesh: its connections, and whose word its nodes take. */
interface DeploymentSecurity extends DeploymentConnections {
    /** New keys and certificates for all services: each takes them within some seconds. */
    void replaceCertificates();

    /** Puts what rollouts are made from into the configuration of the manifest-services. */
    void publish(Path config);

    /** The request that creates a rollout from one release to the other. */
    CreateRolloutRequest upgrade(BenchRelease from, CreateRolloutRequest shape);

    /**
     * What {@code -Dsecured} asks for, for the longer forms of tests that prove nothing otherwise.
     *
     * @param folder of the test
     */
    static DeploymentSecurity fromEnvironment(Path folder) {
        return System.getProperty("secured") == null
                ? plaintext()
                : new FullSecurity(
                        folder.resolve("secured"), FullSecurity.RENEWED_WITHIN_TWO_MINUTES);
    }

    /** Nothing is proven, and nodes do what they are told. */
    static DeploymentSecurity plaintext() {
        return new Plain();
    }

    /** See {@link #plaintext}. */
    final class Plain extends PlaintextDeploymentConnections implements DeploymentSecurity {
        @Override
        public void replaceCertificates() {
            // there are none
        }

        @Override
        public void publish(Path config) {
            // rollouts say themselves what is installed
        }

        @Override
        public CreateRolloutRequest upgrade(BenchRelease from, CreateRolloutRequest shape) {
            return OperatorClient.upgradeRequest(from, shape);
        }
    }
}
