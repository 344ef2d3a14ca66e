package drover.gateway;

import drover.kit.config.ServiceLauncher;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.kit.grpc.ConnectionLimits;
import drover.kit.grpc.EndpointLimits;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.mtls.ServiceTransport;
import drover.kit.telemetry.ConnectionPoolMetrics;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.trust.identity.ServiceName;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs a gateway as a process of its own. */
public final class NodeGatewayMain {
    private static final List<SettingDefinition> OWN =
            List.of(
                    SettingDefinition.required(
                                    "postgres", "URL", "The database, as jdbc:postgresql://…")
                            .asSecret(),
                    SettingDefinition.required(
                            "id", "NAME", "Its own name, the same after a restart."),
                    SettingDefinition.of(
                            "agent-listen", "HOST:PORT", "Where agents dial.", "127.0.0.1:7443"),
                    SettingDefinition.of(
                            "internal-listen",
                            "HOST:PORT",
                            "Where coordinators and evaluators dial; for nobody else.",
                            "127.0.0.1:7444"),
                    SettingDefinition.of(
                            "advertise",
                            "HOST:PORT",
                            "How they write that address, where it is not the same.",
                            ""),
                    MetricsAndReadinessServer.addressSetting("127.0.0.1:9465"));
    static final List<SettingDefinition> SETTINGS =
            Stream.of(
                            OWN,
                            ServiceTransport.SETTINGS,
                            AgentEndpointTlsSettings.SETTINGS,
                            EndpointLimits.AGENT_SETTINGS,
                            ConnectionLimits.AGENT_SETTINGS)
                    .flatMap(List::stream)
                    .toList();
    private static final int POOL = 8; // a gateway writes in batches and reads at connect

    private NodeGatewayMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceLauncher.run("gateway", SETTINGS, arguments, NodeGatewayMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        NodeGatewayConfig config = config(settings);
        Optional<AgentEndpointTls> tls = AgentEndpointTlsSettings.read(settings);
        ServiceTransport edges =
                ServiceTransport.fromSettings(
                        ServiceName.GATEWAY, settings, AgentEndpointTlsSettings.TLS);
        Metrics metrics = Metrics.open();
        CertificateExpiryMonitor certificates =
                CertificateExpiryMonitor.of(edges)
                        .add("agents", tls.map(AgentEndpointTls::identity));
        var _ = certificates.register(metrics);
        ConnectionPool database =
                ConnectionPool.open(settings.get("postgres"), "drover-gateway", POOL);
        var _ = ConnectionPoolMetrics.register(metrics, "gateway", database);
        NodeGateway gateway =
                NodeGateway.start(
                        config, new NodeGateway.Dependencies(database, metrics, tls, edges));
        AutoCloseable endpoint =
                MetricsAndReadinessServer.open(
                        settings.get(MetricsAndReadinessServer.FLAG),
                        metrics::toPrometheusText,
                        certificates.problemsInAdditionTo(gateway::problems),
                        certificates.noticesInAdditionTo(gateway::notices));
        return () -> {
            endpoint.close();
            gateway.close();
            database.close();
            tls.ifPresent(AgentEndpointTls::close);
            edges.close();
        };
    }

    static NodeGatewayConfig config(Settings settings) {
        return NodeGatewayConfig.of(
                        settings.get("id"),
                        Address.parse(settings.get("agent-listen")),
                        Address.parse(settings.get("internal-listen")),
                        settings.get("advertise"))
                .withLimits(EndpointLimits.ofAgents(settings));
    }
}
