package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.program.StopSettings;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ExitDescriber;
import drover.opsagent.runtime.Processes;
import drover.opsagent.systemd.SystemdUnits.SystemdCallFailed;
import drover.opsagent.systemd.UnitIntentAndRun.Intent;
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
    private static final OptionalInt KILLED = OptionalInt.of(128 + 9); // SIGKILL
    static final Duration RELOAD_TIME = Duration.ofSeconds(30); // thousands of units take seconds
    private static final Duration KILL_TIME = Duration.ofSeconds(10); // killed ones go at once

    private final SystemdUnits units;
    private final UnitStatusCache statusCache;
    private final StartGate gate;
    private final Processes processes;
    private final Ticker ticker;
    private final Duration settle;

    UnitController(
            SystemdUnits units,
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

    /**
     * Stops it and returns only when none of its processes is left and none can start (D4). If the
     * gate or the record cannot be written, both are as before. After any later failure the unit
     * stays not desired and its gate closed until {@link #cancelStop}.
     *
     * @return one sentence if its main process had to be killed; empty otherwise
     */
    String stop(UnitName unit, PersistedUnitState kept, StopSettings settings, Deadline deadline) {
        kept.lock.lock();
        try {
            UnitIntentAndRun before = requireRecord(kept);
            String group = closeGateAndRecord(unit, kept, before, deadline);
            statusCache.invalidate(unit);
            Duration expired = requestStop(unit, settings, deadline);
            UnitProperties stopped =
                    killRemaining(unit, group.isEmpty() ? before.controlGroup() : group, deadline);
            LOG.info("Unit stopped unit={}", unit);
            return describeKill(unit, stopped, expired);
        } catch (SystemdCallFailed e) {
            throw unavailableFailure(e);
        } finally {
            kept.lock.unlock();
        }
    }

    /** Marks the present run as desired and opens the gate after a stop that had no effect. */
    void cancelStop(UnitName unit, PersistedUnitState kept) {
        kept.lock.lock();
        try {
            UnitIntentAndRun record = requireRecord(kept);
            if (!record.isDesired()) {
                kept.save(record.withIntent(Intent.UP));
            }
            openGate(unit, ticker.deadlineIn(KILL_TIME));
        } catch (SystemdCallFailed e) {
            LOG.warn("systemd still knows a gate unit={} reason={}", unit, e.getMessage());
        } finally {
            kept.lock.unlock();
        }
    }

    /** Before the stop: from here on no reboot and no other process starts it. */
    private String closeGateAndRecord(
            UnitName unit, PersistedUnitState kept, UnitIntentAndRun before, Deadline deadline) {
        boolean closes = !gate.isClosed(unit);
        try {
            if (closes) {
                gate.close(unit);
            }
            units.reload(deadline); // an earlier agent may have been killed between the two
            kept.save(before.withIntent(Intent.DOWN));
            return statusCache.refresh(unit).controlGroup();
        } catch (DiskFailure | SystemdCallFailed e) {
            undoGateAndRecord(unit, kept, before, closes, e);
            throw e;
        }
    }

    private void undoGateAndRecord(
            UnitName unit,
            PersistedUnitState kept,
            UnitIntentAndRun before,
            boolean closed,
            RuntimeException failure) {
        suppressFailure(() -> kept.writeBack(before), failure);
        if (closed) {
            suppressFailure(() -> gate.open(unit), failure);
            suppressFailure(() -> units.reload(ticker.deadlineIn(KILL_TIME)), failure);
        }
    }

    private static void suppressFailure(Runnable undo, RuntimeException failure) {
        try {
            undo.run();
        } catch (DiskFailure | SystemdCallFailed e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * In the way and time of its unit file, as far as the timeout and the deadline leave time to
     * kill it.
     *
     * @return the time that expired; zero if it did not
     */
    private Duration requestStop(UnitName unit, StopSettings settings, Deadline deadline) {
        Deadline latest = deadline.earlierByAtMost(KILL_TIME);
        Deadline grace = settings.timeout().map(latest::atMost).orElse(latest);
        Duration limit = grace.left();
        try {
            units.stop(unit, grace);
            return Duration.ZERO;
        } catch (SystemdCallFailed e) {
            LOG.warn("Unit does not stop and is killed unit={} reason={}", unit, e.getMessage());
            return grace.hasPassed() ? limit : Duration.ZERO;
        }
    }

    /** Systemd itself kills a unit after the time of its unit file. */
    static String describeKill(UnitName unit, UnitProperties stopped, Duration expired) {
        if (!stopped.exitCode().equals(KILLED)) {
            return "";
        }
        if (!expired.isZero()) {
            return ExitDescriber.describeKill(unit.value(), expired, stopped.stopSignal());
        }
        return stopped.hasExceededStopTimeout()
                ? ExitDescriber.describeKill(
                        unit.value(),
                        "the TimeoutStopSec of its unit file (" + stopped.stopTimeout() + ")",
                        stopped.stopSignal())
                : "";
    }

    private UnitProperties killRemaining(UnitName unit, String group, Deadline deadline) {
        while (true) { // ends at the deadline
            UnitProperties view = statusCache.refresh(unit);
            List<Long> left = units.members(group);
            if (view.isDown() && left.isEmpty()) {
                return view;
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
            PersistedUnitState kept,
            Digest digest,
            Digest configDigest,
            Deadline deadline) {
        kept.lock.lock();
        try {
            kept.backoff.reset();
            kept.failedRun = "";
            kept.save(pendingStartRecord(unit, kept, digest, configDigest));
            UnitProperties up = startAndRead(unit, kept, deadline);
            awaitSettled(unit, kept, up, deadline);
            LOG.info("Unit started unit={} invocation={}", unit, up.invocation());
        } catch (SystemdCallFailed e) {
            throw unavailableFailure(e);
        } finally {
            kept.lock.unlock();
        }
    }

    private UnitProperties startAndRead(UnitName unit, PersistedUnitState kept, Deadline deadline) {
        openGate(unit, deadline);
        units.resetFailed(unit);
        statusCache.invalidate(unit);
        requestStart(unit, deadline);
        UnitProperties view = statusCache.refresh(unit);
        if (!view.isUp()) {
            throw recordStartFailure(unit, kept, view, view.invocation());
        }
        UnitIntentAndRun owed = requireRecord(kept);
        kept.restartsSeen = view.restarts();
        kept.save(
                owed.withRun(
                        new UnitIntentAndRun.RunWithDigests(
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
        } catch (SystemdCallFailed e) {
            LOG.warn("Unit does not start in time unit={} reason={}", unit, e.getMessage());
        }
    }

    private void awaitSettled(
            UnitName unit, PersistedUnitState kept, UnitProperties up, Deadline deadline) {
        Deadline settled = ticker.deadlineIn(settle);
        Processes.Pid main = processes.identify(up.mainPid());
        while (!settled.hasPassed() && processes.isAlive(main)) {
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        unit + " did not settle in time: look at what slows the node.");
            }
            ticker.pause(POLL);
        }
        UnitProperties now = statusCache.refresh(unit);
        if (!now.isUp() || now.mainPid() != up.mainPid() || now.restarts() != up.restarts()) {
            throw recordStartFailure(unit, kept, now, up.invocation());
        }
    }

    /** Systemd may have started the next run already: what failed is the run of this invocation. */
    private ActionFailed recordStartFailure(
            UnitName unit, PersistedUnitState kept, UnitProperties view, String invocation) {
        kept.save(requireRecord(kept).withIntent(Intent.DOWN));
        kept.failedRun = invocation;
        return new ActionFailed(
                ReasonCode.START_FAILED,
                unit
                        + " did not stay up for "
                        + settle.toMillis() / 1000.0
                        + " s: it ended "
                        + describeRunEnd(unit, view, invocation)
                        + ExitDescriber.ADVICE);
    }

    /**
     * End of what the current run printed, or the run whose start failed; at most so many bytes.
     *
     * @throws SystemdCallFailed if systemd or the journal cannot be read
     */
    String outputTail(UnitName unit, PersistedUnitState kept, int bytes) {
        String failed = kept.failedRun;
        String invocation = failed.isEmpty() ? statusCache.refresh(unit).invocation() : failed;
        return invocation.isEmpty() ? "" : units.journalTail(unit, invocation, bytes);
    }

    /** The same of the latest run that crashed. */
    String crashedOutputTail(UnitName unit, PersistedUnitState kept, int bytes) {
        String crashed = kept.backoff.lastCrashedRunId();
        return crashed.isEmpty()
                ? outputTail(unit, kept, bytes)
                : units.journalTail(unit, crashed, bytes);
    }

    /** How a run ended. What cannot be read is left out: continuing matters more. */
    String describeRunEnd(UnitName unit, UnitProperties view, String invocation) {
        boolean earlier = !view.invocation().equals(invocation);
        boolean readable = false;
        OptionalInt exitCode = OptionalInt.empty();
        String output = "";
        try {
            exitCode = earlier ? units.exitCodeIfNonZero(unit, invocation) : view.exitCode();
            readable = true;
            output = units.journalTail(unit, invocation, LAST_LINE_BYTES);
        } catch (SystemdCallFailed e) {
            LOG.warn("The journal cannot be read unit={} reason={}", unit, e.getMessage());
        }
        return earlier && readable && exitCode.isEmpty()
                ? ExitDescriber.describeWithoutLoggedFailure(output)
                : ExitDescriber.describe(exitCode, output);
    }

    /** Notes that it is to run; supervision starts it. */
    void setDesiredRunning(
            UnitName unit, PersistedUnitState kept, Digest digest, Digest configDigest) {
        kept.lock.lock();
        try {
            kept.backoff.reset();
            kept.save(pendingStartRecord(unit, kept, digest, configDigest));
        } finally {
            kept.lock.unlock();
        }
    }

    private static UnitIntentAndRun pendingStartRecord(
            UnitName unit, PersistedUnitState kept, Digest digest, Digest configDigest) {
        UnitIntentAndRun before = kept.loadRecord();
        String group = before == null ? "" : before.controlGroup();
        return new UnitIntentAndRun(
                unit.value(), Intent.OWED, "", "", digest, configDigest, group, 0, -1);
    }

    /** Starts it again, because systemd will not; it has {@code hands} already. */
    void restart(UnitName unit, PersistedUnitState kept, UnitProperties fallen) {
        kept.backoff.recordStart(ticker.nanos());
        UnitIntentAndRun again = requireRecord(kept).withPendingRestart(fallen);
        kept.save(again);
        Deadline soon = ticker.deadlineIn(KILL_TIME);
        killRemaining(unit, again.controlGroup(), soon); // they would be a second copy
        LOG.info("Unit fell and is started again unit={} starts={}", unit, again.starts());
        openGate(unit, soon);
        units.resetFailed(unit);
        statusCache.invalidate(unit);
        requestStart(unit, soon);
    }

    /** Lets it be started again, by anybody. */
    void openGate(UnitName unit, Deadline deadline) {
        if (gate.isClosed(unit)) {
            gate.open(unit); // counts at once; the rest is for those who ask systemd about it
            units.reload(deadline);
        }
    }

    /** No attempt has it in hand any more, and its files are whole: anybody may start it. */
    void allowStarts(UnitName unit) {
        try {
            openGate(unit, ticker.deadlineIn(KILL_TIME));
        } catch (SystemdCallFailed e) {
            LOG.warn("systemd still knows a gate unit={} reason={}", unit, e.getMessage());
        }
        try {
            gate.deleteTemporaryFiles(unit);
        } catch (DiskFailure e) {
            LOG.warn("Temporary files stay unit={} reason={}", unit, e.getMessage());
        }
    }

    private static UnitIntentAndRun requireRecord(PersistedUnitState kept) {
        UnitIntentAndRun record = kept.loadRecord();
        if (record == null) {
            throw new ActionFailed(
                    ReasonCode.RUNTIME_UNAVAILABLE,
                    "systemd has not shown this unit to the agent yet: look at systemd on the"
                            + " node.");
        }
        return record;
    }

    static ActionFailed unavailableFailure(SystemdCallFailed why) {
        return new ActionFailed(
                ReasonCode.RUNTIME_UNAVAILABLE,
                why.getMessage() + ": look at systemd on the node.");
    }
}
