package drover.opsagent.probe;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import drover.model.program.Probe;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts for how long one run of a program has been well without a break. What nobody has looked at
 * is not well: the count begins when every probe that can say critical or stalled has succeeded,
 * and begins anew after each failure, also one that its grace excuses (invariant F3). Probes that
 * say degraded or syncing hold nothing up: both are tolerated while settling (seed 000).
 */
final class SoakTimer {
    private final Map<String, Boolean> succeeded = new HashMap<>();
    private long since;

    /**
     * @param nanos when this run was first looked at, on the node's monotonic clock
     */
    SoakTimer(long nanos) {
        since = nanos;
    }

    /** A probe was tried. */
    void recordResult(List<Probe> probes, Probe probe, boolean success, long nanos) {
        boolean before = isHealthy(probes);
        succeeded.put(probe.name(), success);
        if (!before || !isHealthy(probes)) {
            since = nanos;
        }
    }

    /** For how long it has been well; zero while it is not known to be. */
    Duration healthyFor(List<Probe> probes, long nanos) {
        return isHealthy(probes) ? Duration.ofNanos(Math.max(0, nanos - since)) : Duration.ZERO;
    }

    private boolean isHealthy(List<Probe> probes) {
        return probes.stream()
                .filter(SoakTimer::setsCriticalOrStalled)
                .allMatch(probe -> succeeded.getOrDefault(probe.name(), false));
    }

    /** Whether a failure of this probe means unwell, rather than something tolerated. */
    static boolean setsCriticalOrStalled(Probe probe) {
        return switch (probe.sets()) {
            case Probe.StatusWhileFailing.HealthWhileFailing(ApplicationHealth whileFailing) ->
                    whileFailing == ApplicationHealth.CRITICAL;
            case Probe.StatusWhileFailing.SyncStatusWhileFailing(SyncStatus whileFailing) ->
                    whileFailing == SyncStatus.STALLED;
        };
    }
}
