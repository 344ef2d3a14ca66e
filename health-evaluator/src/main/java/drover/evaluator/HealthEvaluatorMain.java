package drover.evaluator;

import drover.kit.grpc.Address;
import java.util.concurrent.CountDownLatch;

/** Runs an evaluator as a process of its own. */
public final class HealthEvaluatorMain {
    private static final String USAGE = "health-evaluator [--listen HOST:PORT]";
    private static final String USUAL_DOOR = "127.0.0.1:7445";

    private HealthEvaluatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        HealthEvaluatorConfig config;
        try {
            config = config(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + USAGE);
            System.exit(2);
            return;
        }
        HealthEvaluator evaluator = HealthEvaluator.start(config);
        Runtime.getRuntime().addShutdownHook(new Thread(evaluator::close));
        new CountDownLatch(1).await(); // the process ends by a signal alone
    }

    static HealthEvaluatorConfig config(String... arguments) {
        if (arguments.length == 0) {
            return new HealthEvaluatorConfig(Address.parse(USUAL_DOOR));
        }
        if (arguments.length != 2 || !arguments[0].equals("--listen")) {
            throw new IllegalArgumentException(
                    "'%s' is not understood.".formatted(String.join(" ", arguments)));
        }
        return new HealthEvaluatorConfig(Address.parse(arguments[1]));
    }
}
