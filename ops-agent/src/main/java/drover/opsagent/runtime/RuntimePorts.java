package drover.opsagent.runtime;

import drover.opsagent.fetch.Fetcher;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What a runtime stands on.
 *
 * @param root under which all files of the node lie (H11)
 * @param settle how long a started program must stay up
 * @param settings of this runtime alone, from the agent's flags, for example where an engine's
 *     socket is
 */
public record RuntimePorts(
        StateDirectory state,
        Path root,
        Fetcher fetcher,
        Processes processes,
        Ticker ticker,
        Duration settle,
        Map<String, String> settings) {
    public RuntimePorts {
        settings = Map.copyOf(settings);
    }

    /** Without settings. */
    public RuntimePorts(
            StateDirectory state,
            Path root,
            Fetcher fetcher,
            Processes processes,
            Ticker ticker,
            Duration settle) {
        this(state, root, fetcher, processes, ticker, settle, Map.of());
    }

    RuntimePorts with(Map<String, String> other) {
        return new RuntimePorts(state, root, fetcher, processes, ticker, settle, other);
    }
}
