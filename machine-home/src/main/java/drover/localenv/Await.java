package drover.localenv;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for the outside world, always with a bound. The only place of this module that sleeps. */
public final class Await {
    private static final Duration STEP = Duration.ofMillis(50); // unnoticed by a person, 20 looks/s

    private Await() {}

    /** Looks again and again until it is so or the time is over; says which. */
    public static boolean until(Duration limit, BooleanSupplier soItIs) {
        return until(limit, STEP, soItIs);
    }

    /** Looks every {@code step} until it is so or the time is over; says which. */
    public static boolean until(Duration limit, Duration step, BooleanSupplier soItIs) {
        long start = System.nanoTime();
        while (!soItIs.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                return false;
            }
            try {
                Thread.sleep(step);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
