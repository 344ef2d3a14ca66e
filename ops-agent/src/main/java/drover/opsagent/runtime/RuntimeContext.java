package drover.opsagent.runtime;

import drover.opsagent.fetch.Fetcher;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What a runtime stands on.
 *
 * @param root under which all files of the node lie (H11)
 * @param settlingTime how long a started program must stay up
 * @param settings of this runtime alone, from the agent's flags, for example where an engine's
 *     socket is
 * @param policy what the node's owner lets be touched
 */
public record RuntimeContext(
        StateDirectory state,
        Path root,
        Fetcher fetcher,
        Processes processes,
        Ticker ticker,
        Duration settlingTime,
        Map<String, String> settings,
        LocalPolicy policy) {
    public RuntimeContext {
        settings = Map.copyOf(settings);
    }

    /** Without settings; everything under the root may be touched. */
    public RuntimeContext(
            StateDirectory state,
            Path root,
            Fetcher fetcher,
            Processes processes,
            Ticker ticker,
            Duration settle) {
        this(state, root, fetcher, processes, ticker, settle, Map.of(), LocalPolicy.WHOLE_ROOT);
    }

    RuntimeContext withSettingsAndPolicy(Map<String, String> other, LocalPolicy bounds) {
        return new RuntimeContext(
                state, root, fetcher, processes, ticker, settlingTime, other, bounds);
    }
}
