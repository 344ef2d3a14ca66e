package drover.evaluator;

import drover.kit.grpc.Address;
import drover.kit.start.Launch;
import java.util.List;

/** Runs an evaluator as a process of its own. */
public final class HealthEvaluatorMain {
    private HealthEvaluatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service(
                "health",
                List.of("listen"),
                arguments,
                flags ->
                        HealthEvaluator.start(
                                new HealthEvaluatorConfig(
                                        Address.parse(flags.or("listen", "127.0.0.1:7445")))));
    }
}
