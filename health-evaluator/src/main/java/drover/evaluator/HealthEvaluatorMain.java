package drover.evaluator;

import drover.kit.config.ServiceLauncher;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.mtls.ServiceTransport;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.trust.identity.ServiceName;
import java.util.List;
import java.util.stream.Stream;

/** Runs an evaluator as a process of its own. */
public final class HealthEvaluatorMain {
    private static final List<SettingDefinition> OWN =
            List.of(
                    SettingDefinition.of(
                            "listen", "HOST:PORT", "Where coordinators dial.", "127.0.0.1:7445"),
                    MetricsAndReadinessServer.addressSetting("127.0.0.1:9466"));
    private static final List<SettingDefinition> SETTINGS =
            Stream.of(OWN, ServiceTransport.SETTINGS).flatMap(List::stream).toList();

    private HealthEvaluatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceLauncher.run("health", SETTINGS, arguments, HealthEvaluatorMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        Metrics metrics = Metrics.open();
        ServiceTransport edges = ServiceTransport.fromSettings(ServiceName.HEALTH, settings);
        CertificateExpiryMonitor certificates = CertificateExpiryMonitor.of(edges);
        var _ = certificates.register(metrics);
        HealthEvaluator evaluator =
                HealthEvaluator.start(
                        new HealthEvaluatorListenConfig(Address.parse(settings.get("listen"))),
                        metrics,
                        edges);
        AutoCloseable endpoint =
                MetricsAndReadinessServer.open(
                        settings.get(MetricsAndReadinessServer.FLAG),
                        metrics::toPrometheusText,
                        certificates::problems,
                        certificates::notices);
        return () -> {
            endpoint.close();
            evaluator.close();
            edges.close();
        };
    }
}
