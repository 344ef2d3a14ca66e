package drover.cli.terminal;

import java.time.Duration;

/** Waits between two looks at a rollout. */
public interface PollDelay {
    /** Waits; false when the program shall end instead. */
    boolean await(Duration pause);

    /** Waits in real time. */
    static PollDelay realTime() {
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
