package drover.manifest;

import drover.kit.grpc.Address;
import drover.kit.start.Flags;
import drover.kit.start.Launch;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import java.nio.file.Path;
import java.util.List;

/** Runs a manifest-service as a process of its own: read configuration, start, wait. */
public final class ManifestServiceMain {
    static final List<String> FLAGS = List.of("config", "listen", MetricsDoor.FLAG);
    private static final String METRICS = "127.0.0.1:9467";

    private ManifestServiceMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("manifest", FLAGS, arguments, ManifestServiceMain::start);
    }

    private static AutoCloseable start(Flags flags) {
        Metrics metrics = Metrics.open();
        ManifestService service = ManifestService.start(config(flags), metrics);
        AutoCloseable door = MetricsDoor.open(flags.or(MetricsDoor.FLAG, METRICS), metrics::text);
        return () -> {
            door.close();
            service.close();
        };
    }

    static ManifestServiceConfig config(Flags flags) {
        return new ManifestServiceConfig(
                Path.of(flags.required("config")),
                Address.parse(flags.required("listen")),
                ManifestServiceConfig.DEFAULT_RESCAN);
    }
}
