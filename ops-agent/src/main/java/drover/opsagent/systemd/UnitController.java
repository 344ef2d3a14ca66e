package drover.opsagent.systemd;

import drover.model.Digest;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.RunEnd;
import drover.opsagent.systemd.UnitRecord.Intent;
import drover.opsagent.systemd.Units.UnitsUnavailable;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops and starts units, and proves that it happened. A stopped unit has no process left and
 * cannot be started by anybody until the agent does ({@link StartGate}); a started one has kept the
 * same main process for the settling time.
 */
final class UnitController {
    private static final Logger LOG = LoggerFactory.getLogger(UnitController.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int LAST_LINE_BYTES = 4 * 1024;
    static final Duration RELOAD_TIME = Duration.ofSeconds(30); // thousands of units take seconds
    private static final Duration KILL_TIME = Duration.ofSeconds(10); // killed ones go at once

    private final Units units;
    private final UnitStatusCache statusCache;
    private final StartGate gate;
    private final Processes processes;
    private final Ticker ticker;
    private final Duration settle;

    UnitController(
            Units units,
            UnitStatusCache statusCache,
            StartGate gate,
            Processes processes,
            Ticker ticker,
            Duration settle) {
        this.units = units;
        this.statusCache = statusCache;
        this.gate = gate;
        this.processes = processes;
        this.ticker = ticker;
        this.settle = settle;
    }

    /** Stops it; comes back only when none of its processes is left and none can come (D4). */
    void stop(UnitName unit, ManagedUnit kept, Deadline deadline) {
        kept.lock.lock();
        try {
            close(unit, deadline);
            UnitRecord record = started(kept);
            kept.save(record.withIntent(Intent.DOWN));
            String group = statusCache.read(unit).controlGroup();
            statusCache.invalidate(unit);
            requestStop(unit, deadline);
            killRemaining(unit, group.isEmpty() ? record.controlGroup() : group, deadline);
            LOG.info("Unit stopped unit={}", unit);
        } catch (UnitsUnavailable e) {
            throw unavailable(e);
        } finally {
            kept.lock.unlock();
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
    private void requestStop(UnitName unit, Deadline deadline) {
        Duration half = deadline.left().dividedBy(2);
        Duration force = half.compareTo(KILL_TIME) < 0 ? half : KILL_TIME;
        try {
            units.stop(unit, ticker.in(deadline.left().minus(force)));
        } catch (UnitsUnavailable e) {
            LOG.warn("Unit does not stop and is killed unit={} reason={}", unit, e.getMessage());
        }
    }

    private void killRemaining(UnitName unit, String group, Deadline deadline) {
        while (true) { // ends at the deadline
            boolean down = statusCache.read(unit).isDown();
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
            UnitName unit,
            ManagedUnit kept,
            Digest digest,
            Digest configDigest,
            Deadline deadline) {
        kept.lock.lock();
        try {
            kept.backoff.reset();
            kept.failedRun = "";
            kept.save(startPending(unit, kept, digest, configDigest));
            UnitProperties up = startAndRead(unit, kept, deadline);
            awaitSettled(unit, kept, up, deadline);
            LOG.info("Unit started unit={} invocation={}", unit, up.invocation());
        } catch (UnitsUnavailable e) {
            throw unavailable(e);
        } finally {
            kept.lock.unlock();
        }
    }

    private UnitProperties startAndRead(UnitName unit, ManagedUnit kept, Deadline deadline) {
        open(unit, deadline);
        units.resetFailed(unit);
        statusCache.invalidate(unit);
        requestStart(unit, deadline);
        UnitProperties view = statusCache.read(unit);
        if (!view.isUp()) {
            throw startFailed(unit, kept, view, view.invocation());
        }
        UnitRecord owed = started(kept);
        kept.restartsSeen = view.restarts();
        kept.save(
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
    private void requestStart(UnitName unit, Deadline deadline) {
        try {
            units.start(unit, deadline);
        } catch (UnitsUnavailable e) {
            LOG.warn("Unit does not start in time unit={} reason={}", unit, e.getMessage());
        }
    }

    private void awaitSettled(
            UnitName unit, ManagedUnit kept, UnitProperties up, Deadline deadline) {
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
        UnitProperties now = statusCache.read(unit);
        if (!now.isUp() || now.mainPid() != up.mainPid() || now.restarts() != up.restarts()) {
            throw startFailed(unit, kept, now, up.invocation());
        }
    }

    /** Systemd may have started the next run already: what failed is the run of this invocation. */
    private ActionFailed startFailed(
            UnitName unit, ManagedUnit kept, UnitProperties view, String invocation) {
        kept.save(started(kept).withIntent(Intent.DOWN));
        kept.failedRun = invocation;
        return new ActionFailed(
                ReasonCode.START_FAILED,
                unit
                        + " did not stay up for "
                        + settle.toMillis() / 1000.0
                        + " s: it ended "
                        + runEnd(unit, view, invocation)
                        + RunEnd.ADVICE);
    }

    /**
     * End of what the current run printed, or the run whose start failed; at most so many bytes.
     *
     * @throws UnitsUnavailable if systemd or the journal cannot be read
     */
    String output(UnitName unit, ManagedUnit kept, int bytes) {
        String failed = kept.failedRun;
        String invocation = failed.isEmpty() ? statusCache.read(unit).invocation() : failed;
        return invocation.isEmpty() ? "" : units.journalTail(unit, invocation, bytes);
    }

    /** The same of the latest run that crashed. */
    String crashedOutput(UnitName unit, ManagedUnit kept, int bytes) {
        String crashed = kept.backoff.endedRun();
        return crashed.isEmpty()
                ? output(unit, kept, bytes)
                : units.journalTail(unit, crashed, bytes);
    }

    /** How a run ended. What cannot be read is left out: continuing matters more. */
    String runEnd(UnitName unit, UnitProperties view, String invocation) {
        OptionalInt exitCode = OptionalInt.empty();
        String output = "";
        try {
            exitCode =
                    view.invocation().equals(invocation)
                            ? view.exitCode()
                            : units.exitCode(unit, invocation);
            output = units.journalTail(unit, invocation, LAST_LINE_BYTES);
        } catch (UnitsUnavailable e) {
            LOG.warn("The journal cannot be read unit={} reason={}", unit, e.getMessage());
        }
        return RunEnd.text(exitCode, output);
    }

    /** Notes that it is to run; supervision starts it. */
    void setDesired(UnitName unit, ManagedUnit kept, Digest digest, Digest configDigest) {
        kept.lock.lock();
        try {
            kept.backoff.reset();
            kept.save(startPending(unit, kept, digest, configDigest));
        } finally {
            kept.lock.unlock();
        }
    }

    private static UnitRecord startPending(
            UnitName unit, ManagedUnit kept, Digest digest, Digest configDigest) {
        UnitRecord before = kept.record();
        String group = before == null ? "" : before.controlGroup();
        return new UnitRecord(
                unit.value(), Intent.OWED, "", "", digest, configDigest, group, 0, -1);
    }

    /** Starts it again, because systemd will not; it has {@code hands} already. */
    void restart(UnitName unit, ManagedUnit kept, UnitProperties fallen) {
        kept.backoff.started(ticker.nanos());
        UnitRecord again = started(kept).restarted(fallen);
        kept.save(again);
        Deadline soon = ticker.in(KILL_TIME);
        killRemaining(unit, again.controlGroup(), soon); // they would be a second copy
        LOG.info("Unit fell and is started again unit={} starts={}", unit, again.starts());
        open(unit, soon);
        units.resetFailed(unit);
        statusCache.invalidate(unit);
        requestStart(unit, soon);
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

    private static UnitRecord started(ManagedUnit kept) {
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
