package drover.standalone;

import drover.gateway.AgentEndpointTls;
import drover.gateway.EnrollmentEndpointConfig;
import drover.gateway.NodeGateway;
import drover.gateway.NodeGatewayConfig;
import drover.kit.grpc.Address;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.telemetry.Metrics;
import drover.kit.tls.ReloadingIdentity;
import drover.localenv.ca.LocalCa;
import drover.standalone.ServiceFactory.GatewaySettings;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.trust.identity.NodeCertificateLifetime;
import java.time.InstantSource;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The gateway of a mesh in one process. The mesh's own agents show tokens, since all of it is one
 * process; machines beside it become nodes by the mesh's own authority and show certificates.
 */
record InProcessGateway(NodeGateway gateway, AgentEndpointTls tls, Runnable withdrawEnd)
        implements ServiceFactory.RunningGateway {
    private static final String ID = "standalone"; // one gateway, the same after a restart
    private static final String LOCAL = "127.0.0.1";

    static InProcessGateway open(
            GatewaySettings endpoints, DataSource database, Metrics metrics, AgentTimings pace) {
        AgentEndpointTls tls = tls(endpoints);
        NodeGatewayConfig config =
                new NodeGatewayConfig(
                        ID,
                        local(endpoints.nodeEndpoints().certificatePort()),
                        endpoints.internal(),
                        endpoints.internal().toString(),
                        pace.idleHeartbeat(),
                        pace.activeHeartbeat());
        try {
            return new InProcessGateway(
                    NodeGateway.start(
                            config,
                            new NodeGateway.Dependencies(database, metrics, Optional.of(tls))),
                    tls,
                    new CertificateExpiryMonitor(InstantSource.system())
                            .add("agents", Optional.of(tls.identity()))
                            .register(metrics));
        } catch (RuntimeException e) {
            tls.close();
            throw e;
        }
    }

    private static AgentEndpointTls tls(GatewaySettings endpoints) {
        LocalCa own =
                LocalCa.loadOrCreateAndIssue(endpoints.data(), InstantSource.system().instant());
        return new AgentEndpointTls(
                ReloadingIdentity.open(own.files(), ReloadingIdentity.DEFAULT_RELOAD_INTERVAL),
                own.trustDomain(),
                Optional.of(endpoints.agents()),
                Optional.of(
                        new EnrollmentEndpointConfig(
                                local(endpoints.nodeEndpoints().enrollmentPort()),
                                own.ca(),
                                NodeCertificateLifetime.DEFAULT_LIFETIME)));
    }

    private static Address.Tcp local(int port) {
        return new Address.Tcp(LOCAL, port);
    }

    @Override
    public int nodeTokenAgentPort() {
        return gateway.nodeTokenAgentPort().orElseThrow();
    }

    @Override
    public int certificateAgentPort() {
        return gateway.agentPort();
    }

    @Override
    public int enrollmentPort() {
        return gateway.enrollmentPort().orElseThrow();
    }

    @Override
    public void close() {
        withdrawEnd.run();
        gateway.close();
        tls.close();
    }
}
