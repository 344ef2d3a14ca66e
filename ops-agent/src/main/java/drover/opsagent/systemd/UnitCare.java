package drover.opsagent.systemd;

import drover.model.Digest;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.systemd.UnitRecord.Intent;
import drover.opsagent.systemd.Units.UnitsUnavailable;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops and starts units, and proves that it happened. A stopped unit has no process left and
 * cannot be started by anybody until the agent does ({@link StartGate}); a started one has kept the
 * same main process for the settling time.
 */
final class UnitCare {
    private static final Logger LOG = LoggerFactory.getLogger(UnitCare.class);
    private static final Duration POLL = Duration.ofMillis(100);
    static final Duration RELOAD_TIME = Duration.ofSeconds(30); // thousands of units take seconds
    private static final Duration KILL_TIME = Duration.ofSeconds(10); // killed ones go at once

    private final Units units;
    private final UnitLooks looks;
    private final StartGate gate;
    private final Processes processes;
    private final Ticker ticker;
    private final Duration settle;

    UnitCare(
            Units units,
            UnitLooks looks,
            StartGate gate,
            Processes processes,
            Ticker ticker,
            Duration settle) {
        this.units = units;
        this.looks = looks;
        this.gate = gate;
        this.processes = processes;
        this.ticker = ticker;
        this.settle = settle;
    }

    /** Stops it; comes back only when none of its processes is left and none can come (D4). */
    void stop(UnitName unit, KeptUnit kept, Deadline deadline) {
        kept.hands.lock();
        try {
            close(unit, deadline);
            UnitRecord record = started(kept);
            kept.keep(record.intended(Intent.DOWN));
            String group = looks.now(unit).controlGroup();
            looks.forget(unit);
            askToStop(unit, deadline);
            endLeftovers(unit, group.isEmpty() ? record.controlGroup() : group, deadline);
            LOG.info("Unit stopped unit={}", unit);
        } catch (UnitsUnavailable e) {
            throw unavailable(e);
        } finally {
            kept.hands.unlock();
        }
    }

    /** Before the stop: from here on no reboot and nobody else starts it. */
    private void close(UnitName unit, Deadline deadline) {
        if (!gate.isClosed(unit)) {
            gate.close(unit);
        }
        units.reload(deadline); // an earlier agent may have been killed between the two
    }

    /** In its own way and time, as far as the deadline leaves time to end it by force. */
    private void askToStop(UnitName unit, Deadline deadline) {
        Duration half = deadline.left().dividedBy(2);
        Duration force = half.compareTo(KILL_TIME) < 0 ? half : KILL_TIME;
        try {
            units.stop(unit, ticker.in(deadline.left().minus(force)));
        } catch (UnitsUnavailable e) {
            LOG.warn("Unit does not stop and is killed unit={} reason={}", unit, e.getMessage());
        }
    }

    private void endLeftovers(UnitName unit, String group, Deadline deadline) {
        while (true) { // ends at the deadline
            boolean down = looks.now(unit).isDown();
            List<Long> left = units.members(group);
            if (down && left.isEmpty()) {
                return;
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.STOP_FAILED,
                        left.size() + " processes of " + unit + " do not end: end them by hand.");
            }
            units.kill(unit);
            ticker.pause(POLL);
        }
    }

    /** Starts a unit that does not run and waits until it has stayed up. */
    void start(
            UnitName unit, KeptUnit kept, Digest digest, Digest configDigest, Deadline deadline) {
        kept.hands.lock();
        try {
            kept.pace.forget();
            kept.keep(owed(unit, kept, digest, configDigest));
            UnitView up = startedNow(unit, kept, deadline);
            awaitSettled(unit, kept, up, deadline);
            LOG.info("Unit started unit={} invocation={}", unit, up.invocation());
        } catch (UnitsUnavailable e) {
            throw unavailable(e);
        } finally {
            kept.hands.unlock();
        }
    }

    private UnitView startedNow(UnitName unit, KeptUnit kept, Deadline deadline) {
        open(unit, deadline);
        units.resetFailed(unit);
        looks.forget(unit);
        askToStart(unit, deadline);
        UnitView view = looks.now(unit);
        if (!view.isUp()) {
            throw startFailed(unit, kept, view);
        }
        UnitRecord owed = started(kept);
        kept.restartsSeen = view.restarts();
        kept.keep(
                owed.running(
                        new UnitRecord.Run(
                                processes.bootId(),
                                view.invocation(),
                                owed.digest(),
                                owed.configDigest()),
                        view));
        return view;
    }

    /** One that takes too long goes on starting in systemd: how far it is, is looked at. */
    private void askToStart(UnitName unit, Deadline deadline) {
        try {
            units.start(unit, deadline);
        } catch (UnitsUnavailable e) {
            LOG.warn("Unit does not start in time unit={} reason={}", unit, e.getMessage());
        }
    }

    private void awaitSettled(UnitName unit, KeptUnit kept, UnitView up, Deadline deadline) {
        Deadline settled = ticker.in(settle);
        Processes.Pid main = processes.identify(up.mainPid());
        while (!settled.hasPassed() && processes.isAlive(main)) {
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        unit + " did not settle in time: look at what slows the node, then retry.");
            }
            ticker.pause(POLL);
        }
        UnitView now = looks.now(unit);
        if (!now.isUp() || now.mainPid() != up.mainPid() || now.restarts() != up.restarts()) {
            throw startFailed(unit, kept, now);
        }
    }

    private ActionFailed startFailed(UnitName unit, KeptUnit kept, UnitView view) {
        kept.keep(started(kept).intended(Intent.DOWN));
        return new ActionFailed(
                ReasonCode.START_FAILED,
                unit
                        + " did not stay up for "
                        + settle.toMillis() / 1000.0
                        + " s, it is "
                        + view.standing()
                        + ": read its journal.");
    }

    /** Notes that it is to run; supervision starts it. */
    void want(UnitName unit, KeptUnit kept, Digest digest, Digest configDigest) {
        kept.hands.lock();
        try {
            kept.pace.forget();
            kept.keep(owed(unit, kept, digest, configDigest));
        } finally {
            kept.hands.unlock();
        }
    }

    private static UnitRecord owed(
            UnitName unit, KeptUnit kept, Digest digest, Digest configDigest) {
        UnitRecord before = kept.record();
        String group = before == null ? "" : before.controlGroup();
        return new UnitRecord(
                unit.value(), Intent.OWED, "", "", digest, configDigest, group, 0, -1);
    }

    /** Starts it again, because systemd will not; it has {@code hands} already. */
    void startAgain(UnitName unit, KeptUnit kept, UnitView fallen) {
        kept.pace.started(ticker.nanos());
        UnitRecord again = started(kept).again(fallen);
        kept.keep(again);
        Deadline soon = ticker.in(KILL_TIME);
        endLeftovers(unit, again.controlGroup(), soon); // they would be a second copy
        LOG.info("Unit fell and is started again unit={} starts={}", unit, again.starts());
        open(unit, soon);
        units.resetFailed(unit);
        looks.forget(unit);
        askToStart(unit, soon);
    }

    /** Lets it be started again, by anybody. */
    void open(UnitName unit, Deadline deadline) {
        if (gate.isClosed(unit)) {
            gate.open(unit); // counts at once; the rest is for those who ask systemd about it
            units.reload(deadline);
        }
    }

    /** No attempt has it in hand any more, and its files are whole: anybody may start it. */
    void release(UnitName unit) {
        try {
            open(unit, ticker.in(KILL_TIME));
        } catch (UnitsUnavailable e) {
            LOG.warn("systemd still knows a gate unit={} reason={}", unit, e.getMessage());
        }
    }

    private static UnitRecord started(KeptUnit kept) {
        UnitRecord record = kept.record();
        if (record == null) {
            throw new ActionFailed(
                    ReasonCode.RUNTIME_UNAVAILABLE,
                    "systemd has not shown this unit to the agent yet: look at systemd on the"
                            + " node, then retry.");
        }
        return record;
    }

    static ActionFailed unavailable(UnitsUnavailable why) {
        return new ActionFailed(
                ReasonCode.RUNTIME_UNAVAILABLE,
                why.getMessage() + ": look at systemd on the node, then retry.");
    }
}
