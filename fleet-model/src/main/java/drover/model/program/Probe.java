package drover.model.program;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;

/**
 * How one signal of a program's health is obtained. A probe says what it saw; whether that is well
 * is decided elsewhere.
 *
 * @param name unique in its program
 * @param interval how often
 * @param timeout how long one try may take
 * @param grace failures before this long after a start do not count
 * @param check what it looks at
 * @param sets what a failing probe says
 */
public record Probe(
        String name,
        Duration interval,
        Duration timeout,
        Duration grace,
        Check check,
        StatusWhileFailing sets) {

    /** What a probe looks at. */
    public sealed interface Check {
        /** The process is there. */
        record ProcessAlive() implements Check {}

        /** A port accepts a connection. */
        record Tcp(String host, int port) implements Check {}

        /**
         * A page answers.
         *
         * @param jsonPointer where in a JSON answer to look; empty when the status alone decides
         * @param equalTo text that the value there must equal
         */
        record Http(String url, int status, String jsonPointer, String equalTo) implements Check {}

        /** A program exits with 0; no shell is used (invariant H15). */
        record Exec(List<String> command) implements Check {
            public Exec {
                command = List.copyOf(command);
            }
        }
    }

    /** What a failing probe says; while it succeeds it says {@code ok} or {@code synced}. */
    public sealed interface StatusWhileFailing {
        /** Sets application health while failing. */
        record HealthWhileFailing(ApplicationHealth whileFailing) implements StatusWhileFailing {}

        /** Sets synchronisation while failing. */
        record SyncStatusWhileFailing(SyncStatus whileFailing) implements StatusWhileFailing {}
    }
}
