package drover.manifest;

import drover.kit.grpc.Address;
import drover.kit.start.Launch;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import java.nio.file.Path;
import java.util.List;

/** Runs a manifest-service as a process of its own: read configuration, start, wait. */
public final class ManifestServiceMain {
    static final List<Setting> SETTINGS =
            List.of(
                    Setting.needed("config", "DIR", "The directory with profiles and manifests."),
                    Setting.needed("listen", "HOST:PORT", "Where the other services dial."),
                    MetricsDoor.setting("127.0.0.1:9467"));

    private ManifestServiceMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("manifest", SETTINGS, arguments, ManifestServiceMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        Metrics metrics = Metrics.open();
        ManifestService service = ManifestService.start(config(settings), metrics);
        AutoCloseable door =
                MetricsDoor.open(settings.get(MetricsDoor.FLAG), metrics::text, List::of);
        return () -> {
            door.close();
            service.close();
        };
    }

    static ManifestServiceConfig config(Settings settings) {
        return new ManifestServiceConfig(
                Path.of(settings.get("config")),
                Address.parse(settings.get("listen")),
                ManifestServiceConfig.DEFAULT_RESCAN);
    }
}
