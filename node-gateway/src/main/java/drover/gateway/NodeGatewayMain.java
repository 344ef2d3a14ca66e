package drover.gateway;

import drover.kit.database.ConnectionPool;
import drover.kit.edge.CertificateWatch;
import drover.kit.edge.ServiceEdges;
import drover.kit.grpc.Address;
import drover.kit.grpc.ConnectionLimits;
import drover.kit.grpc.EndpointLimits;
import drover.kit.start.Launch;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import drover.kit.telemetry.PoolMetrics;
import drover.model.identity.MeshService;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs a gateway as a process of its own. */
public final class NodeGatewayMain {
    private static final List<Setting> OWN =
            List.of(
                    Setting.needed("postgres", "URL", "The database, as jdbc:postgresql://…")
                            .hidden(),
                    Setting.needed("id", "NAME", "Its own name, the same after a restart."),
                    Setting.of("agent-listen", "HOST:PORT", "Where agents dial.", "127.0.0.1:7443"),
                    Setting.of(
                            "internal-listen",
                            "HOST:PORT",
                            "Where coordinators and evaluators dial; for nobody else.",
                            "127.0.0.1:7444"),
                    Setting.of(
                            "advertise",
                            "HOST:PORT",
                            "How they write that address, where it is not the same.",
                            ""),
                    MetricsDoor.setting("127.0.0.1:9465"));
    static final List<Setting> SETTINGS =
            Stream.of(
                            OWN,
                            ServiceEdges.SETTINGS,
                            TlsSettings.SETTINGS,
                            EndpointLimits.AGENT_SETTINGS,
                            ConnectionLimits.AGENT_SETTINGS)
                    .flatMap(List::stream)
                    .toList();
    private static final int POOL = 8; // a gateway writes in batches and reads at connect

    private NodeGatewayMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("gateway", SETTINGS, arguments, NodeGatewayMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        NodeGatewayConfig config = config(settings);
        Optional<GatewayTls> tls = TlsSettings.read(settings);
        ServiceEdges edges = ServiceEdges.of(MeshService.GATEWAY, settings, TlsSettings.TLS);
        Metrics metrics = Metrics.open();
        CertificateWatch certificates =
                CertificateWatch.of(edges).and("agents", tls.map(GatewayTls::identity));
        var _ = certificates.show(metrics);
        ConnectionPool database =
                ConnectionPool.open(settings.get("postgres"), "drover-gateway", POOL);
        var _ = PoolMetrics.show(metrics, "gateway", database);
        NodeGateway gateway =
                NodeGateway.start(config, new NodeGateway.Parts(database, metrics, tls, edges));
        AutoCloseable door =
                MetricsDoor.open(
                        settings.get(MetricsDoor.FLAG),
                        metrics::text,
                        certificates.problemsAfter(gateway::problems),
                        certificates.noticesAfter(gateway::notices));
        return () -> {
            door.close();
            gateway.close();
            database.close();
            tls.ifPresent(GatewayTls::close);
            edges.close();
        };
    }

    static NodeGatewayConfig config(Settings settings) {
        return NodeGatewayConfig.of(
                        settings.get("id"),
                        Address.parse(settings.get("agent-listen")),
                        Address.parse(settings.get("internal-listen")),
                        settings.get("advertise"))
                .with(EndpointLimits.ofAgents(settings));
    }
}
