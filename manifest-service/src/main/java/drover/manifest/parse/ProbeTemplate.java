package drover.manifest.parse;

import drover.model.program.Probe;
import java.time.Duration;
import java.util.List;

/**
 * A probe as written.
 *
 * @param grace failures before this long after a start do not count
 */
public record ProbeTemplate(
        String name,
        Duration interval,
        Duration timeout,
        Duration grace,
        Check check,
        Probe.StatusWhileFailing sets) {

    /** What it looks at; every text is a template. */
    public sealed interface Check {
        /** The process is there. */
        record ProcessAlive() implements Check {}

        /** A port accepts a connection; the port is text until it is rendered. */
        record Tcp(String host, String port) implements Check {}

        /** A page answers. */
        record Http(String url, int status, String jsonPointer, String equalTo) implements Check {}

        /** A program exits with 0. */
        record Exec(List<String> command) implements Check {
            public Exec {
                command = List.copyOf(command);
            }
        }
    }
}
