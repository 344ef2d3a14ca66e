package drover.opsagent.systemd;

import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.systemd.SystemdUnits.SystemdCallFailed;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at units, and not oftener than needed: while the main process of a unit that was up is
 * there, it is as it was seen. An idle node is asked for every few seconds, not at every heartbeat.
 */
final class UnitStatusCache {
    private static final Logger LOG = LoggerFactory.getLogger(UnitStatusCache.class);
    private static final Duration TTL = Duration.ofSeconds(5); // a heartbeat of an attempt
    private static final UnitProperties NOTHING = new UnitProperties(Map.of());

    private final SystemdUnits units;
    private final Processes processes;
    private final Ticker ticker;
    private final Map<UnitName, CachedStatus> latest = new ConcurrentHashMap<>();
    private volatile boolean unresponsive;

    private record CachedStatus(UnitProperties view, Pid main, long atNanos) {}

    UnitStatusCache(SystemdUnits units, Processes processes, Ticker ticker) {
        this.units = units;
        this.processes = processes;
        this.ticker = ticker;
    }

    /** How it stands now. */
    UnitProperties refresh(UnitName unit) {
        UnitProperties view = units.readProperties(unit);
        Pid main = view.mainPid() == 0 ? Pid.NONE : processes.identify(view.mainPid());
        latest.put(unit, new CachedStatus(view, main, ticker.nanos()));
        return view;
    }

    /** How it stands, as far as systemd answers: while it does not, as it was last seen. */
    UnitProperties getOrRefresh(UnitName unit) {
        CachedStatus last = latest.get(unit);
        if (last != null && isFresh(last)) {
            return last.view();
        }
        try {
            UnitProperties view = refresh(unit);
            markResponsive();
            return view;
        } catch (SystemdCallFailed e) {
            return markUnresponsiveAndGetLast(last, e);
        }
    }

    private boolean isFresh(CachedStatus last) {
        boolean fresh = ticker.nanos() - last.atNanos() < TTL.toNanos();
        return fresh && last.view().isUp() && processes.isAlive(last.main());
    }

    private void markResponsive() {
        if (unresponsive) {
            unresponsive = false;
            LOG.info("systemd answers again");
        }
    }

    private UnitProperties markUnresponsiveAndGetLast(
            @Nullable CachedStatus last, SystemdCallFailed why) {
        if (!unresponsive) {
            unresponsive = true;
            LOG.warn("systemd does not answer reason={}", why.getMessage());
        }
        boolean alive = last != null && processes.isAlive(last.main());
        return last != null && alive ? last.view() : NOTHING;
    }

    /** Somebody changes it: what was seen counts no more. */
    void invalidate(UnitName unit) {
        latest.remove(unit);
    }
}
