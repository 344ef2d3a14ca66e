package drover.evaluator;

import drover.kit.edge.CertificateWatch;
import drover.kit.edge.ServiceEdges;
import drover.kit.grpc.Address;
import drover.kit.start.Launch;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import drover.model.identity.MeshService;
import java.util.List;
import java.util.stream.Stream;

/** Runs an evaluator as a process of its own. */
public final class HealthEvaluatorMain {
    private static final List<Setting> OWN =
            List.of(
                    Setting.of("listen", "HOST:PORT", "Where coordinators dial.", "127.0.0.1:7445"),
                    MetricsDoor.setting("127.0.0.1:9466"));
    private static final List<Setting> SETTINGS =
            Stream.of(OWN, ServiceEdges.SETTINGS).flatMap(List::stream).toList();

    private HealthEvaluatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("health", SETTINGS, arguments, HealthEvaluatorMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        Metrics metrics = Metrics.open();
        ServiceEdges edges = ServiceEdges.of(MeshService.HEALTH, settings);
        CertificateWatch certificates = CertificateWatch.of(edges);
        var _ = certificates.show(metrics);
        HealthEvaluator evaluator =
                HealthEvaluator.start(
                        new HealthEvaluatorConfig(Address.parse(settings.get("listen"))),
                        metrics,
                        edges);
        AutoCloseable door =
                MetricsDoor.open(
                        settings.get(MetricsDoor.FLAG),
                        metrics::text,
                        certificates::problems,
                        certificates::notices);
        return () -> {
            door.close();
            evaluator.close();
            edges.close();
        };
    }
}
