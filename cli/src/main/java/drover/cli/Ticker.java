package drover.cli;

import java.time.Duration;

/** Waits between two looks at a rollout. */
public interface Ticker {
    /** Waits; false when the program shall end instead. */
    boolean await(Duration pause);

    /** Waits in real time. */
    static Ticker real() {
        return pause -> {
            try {
                Thread.sleep(pause);
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        };
    }
}
