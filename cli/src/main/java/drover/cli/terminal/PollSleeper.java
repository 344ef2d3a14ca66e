package drover.cli.terminal;

import java.time.Duration;

/** Waits between two looks at a rollout. */
public interface PollSleeper {
    /** Waits; false when the program shall end instead. */
    boolean await(Duration pause);

    /**
     * Runs an action if the operator stops the program (Ctrl-C) before the result is closed.
     *
     * @return withdraws the action
     */
    default StopRegistration onStop(Runnable action) {
        return () -> {};
    }

    /** Action that runs if the program is stopped. */
    interface StopRegistration extends AutoCloseable {
        @Override
        void close();
    }

    /** Waits in real time. */
    static PollSleeper realTime() {
        return new PollSleeper() {
            @Override
            public boolean await(Duration pause) {
                try {
                    Thread.sleep(pause);
                    return true;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }

            @Override
            public StopRegistration onStop(Runnable action) {
                Thread hook = new Thread(action, "on-stop");
                Runtime.getRuntime().addShutdownHook(hook);
                return () -> withdraw(hook);
            }
        };
    }

    private static void withdraw(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) { // the program is being stopped: the action runs
            return;
        }
    }
}
