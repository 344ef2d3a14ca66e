package drover.manifest;

import drover.kit.config.ServiceLauncher;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.mtls.ServiceTransport;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.trust.identity.ServiceName;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs a manifest-service as a process of its own: read configuration, start, wait. */
public final class ManifestServiceMain {
    private static final List<SettingDefinition> OWN =
            List.of(
                    SettingDefinition.required(
                            "config", "DIR", "The directory with profiles and manifests."),
                    SettingDefinition.required(
                            "listen", "HOST:PORT", "Where the other services dial."),
                    MetricsAndReadinessServer.addressSetting("127.0.0.1:9467"));
    static final List<SettingDefinition> SETTINGS =
            Stream.of(OWN, ServiceTransport.SETTINGS).flatMap(List::stream).toList();

    private ManifestServiceMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceLauncher.run("manifest", SETTINGS, arguments, ManifestServiceMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        Metrics metrics = Metrics.open();
        ServiceTransport edges = ServiceTransport.fromSettings(ServiceName.MANIFEST, settings);
        CertificateExpiryMonitor certificates = CertificateExpiryMonitor.of(edges);
        var _ = certificates.register(metrics);
        ManifestService service = ManifestService.start(readConfig(settings), metrics, edges);
        AutoCloseable endpoint =
                MetricsAndReadinessServer.open(
                        settings.get(MetricsAndReadinessServer.FLAG),
                        metrics::toPrometheusText,
                        certificates::problems,
                        certificates::notices);
        return () -> {
            endpoint.close();
            service.close();
            edges.close();
        };
    }

    static ManifestServiceConfig readConfig(Settings settings) {
        return new ManifestServiceConfig(
                Path.of(settings.get("config")),
                Address.parse(settings.get("listen")),
                ManifestServiceConfig.DEFAULT_RESCAN);
    }
}
