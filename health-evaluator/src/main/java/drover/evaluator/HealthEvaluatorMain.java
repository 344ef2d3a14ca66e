package drover.evaluator;

import drover.kit.grpc.Address;
import drover.kit.start.Launch;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import java.util.List;

/** Runs an evaluator as a process of its own. */
public final class HealthEvaluatorMain {
    private static final List<Setting> SETTINGS =
            List.of(
                    Setting.of("listen", "HOST:PORT", "Where coordinators dial.", "127.0.0.1:7445"),
                    MetricsDoor.setting("127.0.0.1:9466"));

    private HealthEvaluatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("health", SETTINGS, arguments, HealthEvaluatorMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        Metrics metrics = Metrics.open();
        HealthEvaluator evaluator =
                HealthEvaluator.start(
                        new HealthEvaluatorConfig(Address.parse(settings.get("listen"))), metrics);
        AutoCloseable door =
                MetricsDoor.open(settings.get(MetricsDoor.FLAG), metrics::text, List::of);
        return () -> {
            door.close();
            evaluator.close();
        };
    }
}
