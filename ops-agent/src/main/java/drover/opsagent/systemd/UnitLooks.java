package drover.opsagent.systemd;

import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.systemd.Units.UnitsUnavailable;
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
final class UnitLooks {
    private static final Logger LOG = LoggerFactory.getLogger(UnitLooks.class);
    private static final Duration FRESH = Duration.ofSeconds(5); // a heartbeat of an attempt
    private static final UnitView NOTHING = new UnitView(Map.of());

    private final Units units;
    private final Processes processes;
    private final Ticker ticker;
    private final Map<UnitName, Look> latest = new ConcurrentHashMap<>();
    private volatile boolean silent;

    private record Look(UnitView view, Pid main, long atNanos) {}

    UnitLooks(Units units, Processes processes, Ticker ticker) {
        this.units = units;
        this.processes = processes;
        this.ticker = ticker;
    }

    /** How it stands now. */
    UnitView now(UnitName unit) {
        UnitView view = units.show(unit);
        Pid main = view.mainPid() == 0 ? Pid.NONE : processes.identify(view.mainPid());
        latest.put(unit, new Look(view, main, ticker.nanos()));
        return view;
    }

    /** How it stands, as far as systemd answers: while it does not, as it was last seen. */
    UnitView lately(UnitName unit) {
        Look last = latest.get(unit);
        if (last != null && isStillSo(last)) {
            return last.view();
        }
        try {
            UnitView view = now(unit);
            heard();
            return view;
        } catch (UnitsUnavailable e) {
            return unheard(last, e);
        }
    }

    private boolean isStillSo(Look last) {
        boolean fresh = ticker.nanos() - last.atNanos() < FRESH.toNanos();
        return fresh && last.view().isUp() && processes.isAlive(last.main());
    }

    private void heard() {
        if (silent) {
            silent = false;
            LOG.info("systemd answers again");
        }
    }

    private UnitView unheard(@Nullable Look last, UnitsUnavailable why) {
        if (!silent) {
            silent = true;
            LOG.warn("systemd does not answer reason={}", why.getMessage());
        }
        boolean alive = last != null && processes.isAlive(last.main());
        return last != null && alive ? last.view() : NOTHING;
    }

    /** Somebody changes it: what was seen counts no more. */
    void forget(UnitName unit) {
        latest.remove(unit);
    }
}
