package drover.manifest;

import drover.kit.edge.CertificateWatch;
import drover.kit.edge.ServiceEdges;
import drover.kit.grpc.Address;
import drover.kit.start.Launch;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import drover.model.identity.MeshService;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs a manifest-service as a process of its own: read configuration, start, wait. */
public final class ManifestServiceMain {
    private static final List<Setting> OWN =
            List.of(
                    Setting.needed("config", "DIR", "The directory with profiles and manifests."),
                    Setting.needed("listen", "HOST:PORT", "Where the other services dial."),
                    MetricsDoor.setting("127.0.0.1:9467"));
    static final List<Setting> SETTINGS =
            Stream.of(OWN, ServiceEdges.SETTINGS).flatMap(List::stream).toList();

    private ManifestServiceMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("manifest", SETTINGS, arguments, ManifestServiceMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        Metrics metrics = Metrics.open();
        ServiceEdges edges = ServiceEdges.of(MeshService.MANIFEST, settings);
        CertificateWatch certificates = CertificateWatch.of(edges);
        var _ = certificates.show(metrics);
        ManifestService service = ManifestService.start(config(settings), metrics, edges);
        AutoCloseable door =
                MetricsDoor.open(
                        settings.get(MetricsDoor.FLAG),
                        metrics::text,
                        certificates::problems,
                        certificates::notices);
        return () -> {
            door.close();
            service.close();
            edges.close();
        };
    }

    static ManifestServiceConfig config(Settings settings) {
        return new ManifestServiceConfig(
                Path.of(settings.get("config")),
                Address.parse(settings.get("listen")),
                ManifestServiceConfig.DEFAULT_RESCAN);
    }
}
