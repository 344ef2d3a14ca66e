package drover.gateway.session;

import java.util.List;

/**
 * How a program is, as a heartbeat says.
 *
 * @param crashLooping whether the agent reports that it crashes repeatedly
 * @param details how the last run ended if the program was restarted or is down, then each failing
 *     probe with what it saw
 */
public record HeartbeatProgramHealth(
        String name,
        boolean running,
        boolean crashLooping,
        ProbeState probeState,
        List<String> details) {
    public HeartbeatProgramHealth {
        details = List.copyOf(details);
    }

    /** What its probes say, the worst first. */
    public enum ProbeState {
        /** Application health is critical. */
        CRITICAL,
        /** Synchronisation is stalled. */
        STALLED,
        /** Application health is degraded. */
        DEGRADED,
        /** It is catching up. */
        SYNCING,
        /** Nothing bad, and everything that decides was tried. */
        HEALTHY,
        /** Nothing yet. */
        NONE,
        /** Something that this gateway is too old to know, so nothing good (invariant C15). */
        UNKNOWN
    }
}
