package drover.evaluator;

import drover.kit.grpc.Address;
import drover.kit.start.Flags;
import drover.kit.start.Launch;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import java.util.List;

/** Runs an evaluator as a process of its own. */
public final class HealthEvaluatorMain {
    private static final String METRICS = "127.0.0.1:9466";

    private HealthEvaluatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service(
                "health",
                List.of("listen", MetricsDoor.FLAG),
                arguments,
                HealthEvaluatorMain::start);
    }

    private static AutoCloseable start(Flags flags) {
        Metrics metrics = Metrics.open();
        HealthEvaluator evaluator =
                HealthEvaluator.start(
                        new HealthEvaluatorConfig(
                                Address.parse(flags.or("listen", "127.0.0.1:7445"))),
                        metrics);
        AutoCloseable door = MetricsDoor.open(flags.or(MetricsDoor.FLAG, METRICS), metrics::text);
        return () -> {
            door.close();
            evaluator.close();
        };
    }
}
