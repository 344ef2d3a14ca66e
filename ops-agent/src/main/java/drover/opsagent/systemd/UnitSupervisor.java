package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.systemd.SystemdUnits.SystemdCallFailed;
import drover.opsagent.systemd.UnitIntentAndRun.Intent;
import drover.opsagent.systemd.UnitIntentAndRun.RunWithDigests;
import drover.opsagent.time.Ticker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after units between attempts: what runs, how often it fell, and what must be started. */
final class UnitSupervisor {
    private static final Logger LOG = LoggerFactory.getLogger(UnitSupervisor.class);
    private static final int MAX_FINDINGS = 3; // in one look; three make a crash loop

    private final UnitStatusCache statusCache;
    private final UnitController care;
    private final UnitRunMeasurer measure;
    private final Processes processes;
    private final Ticker ticker;

    UnitSupervisor(
            UnitStatusCache statusCache,
            UnitController care,
            UnitRunMeasurer measure,
            RuntimeContext ports) {
        this.statusCache = statusCache;
        this.care = care;
        this.measure = measure;
        this.processes = ports.processes();
        this.ticker = ports.ticker();
    }

    /** Takes a unit over as it is; starts nothing. While systemd is silent, nothing is recorded. */
    void adopt(BinaryName program, UnitName unit, PersistedUnitState kept) {
        UnitProperties view = statusCache.getOrRefresh(unit);
        if (kept.loadRecord() == null && view.isLoaded()) {
            // One that somebody stopped before it was taken over is to stay as it is.
            boolean meant = view.isUpOrStarting() || (view.isEnabled() && view.hasFailed());
            RunWithDigests run =
                    view.isUp() ? measure.findOrMeasureRun(program, kept, view) : measure.noRun();
            kept.restartsSeen = view.restarts();
            kept.save(
                    new UnitIntentAndRun(
                            unit.value(),
                            meant ? Intent.UP : Intent.DOWN,
                            run.bootId(),
                            run.invocation(),
                            run.digest(),
                            run.configDigest(),
                            view.controlGroup(),
                            view.restarts(),
                            0));
            LOG.info("Unit taken over unit={} program={} meant={}", unit, program, meant);
        }
    }

    /** Whether the unit runs. Writes nothing: a standby looks, too. */
    ProgramState state(BinaryName program, UnitName unit, PersistedUnitState kept) {
        UnitProperties view = statusCache.getOrRefresh(unit);
        UnitIntentAndRun record = kept.loadRecord();
        int starts = record == null ? 0 : record.automaticStartCount(view);
        boolean wanted =
                record == null
                        ? view.isUpOrStarting()
                        : UnitRules.isMeantToRun(record, view, processes.bootId());
        Processes.Pid main = view.isUp() ? processes.identify(view.mainPid()) : Processes.Pid.NONE;
        if (main.equals(Processes.Pid.NONE)) {
            return new ProgramState.Down(wanted, starts);
        }
        try {
            if (!measure.isProgramProcess(main)) {
                return new ProgramState.Down(wanted, starts);
            }
            RunWithDigests run = measure.findOrMeasureRun(program, kept, view);
            @Nullable Digest digest = measure.executedDigest(program, kept, run, main);
            return new ProgramState.Up(
                    measure.runId(main), digest, run.configDigest(), processes.upFor(main), starts);
        } catch (Processes.ExitedBeforeInspection e) {
            return new ProgramState.Down(wanted, starts);
        }
    }

    /** A new attempt: starts so far are of the past (F1). */
    void resetRestartCounters(UnitName unit, PersistedUnitState kept) {
        UnitIntentAndRun record = kept.loadRecord();
        UnitProperties view = statusCache.getOrRefresh(unit);
        if (record != null && record.automaticStartCount(view) > 0) {
            saveIgnoringDiskFailure(kept, record.withCountersReset(view));
        }
    }

    /** Records what systemd did by itself, and starts what it will not start. */
    void supervise(BinaryName program, UnitName unit, PersistedUnitState kept) {
        if (!kept.lock.tryLock()) {
            return; // the executor is at it
        }
        try {
            adopt(program, unit, kept);
            UnitProperties view = statusCache.getOrRefresh(unit);
            UnitIntentAndRun record = kept.loadRecord();
            if (record == null || !view.isLoaded()) {
                return;
            }
            recordRestarts(unit, kept, record, view);
            if (view.isUp() && !record.run().matches(processes.bootId(), view)) {
                saveIgnoringDiskFailure(
                        kept, record.withRun(measure.findOrMeasureRun(program, kept, view), view));
            }
            if (UnitRules.needsStart(record, view, processes.bootId())) {
                recordCrash(unit, kept, view, view.invocation());
                if (kept.backoff.isDue(ticker.nanos())) {
                    care.restart(unit, kept, view);
                }
            }
        } catch (SystemdCallFailed | ActionFailed e) {
            LOG.warn("Unit cannot be started unit={} reason={}", unit, e.getMessage());
        } finally {
            kept.lock.unlock();
        }
    }

    /** Each start by systemd counts towards a crash loop as one of the agent's own would. */
    private void recordRestarts(
            UnitName unit, PersistedUnitState kept, UnitIntentAndRun record, UnitProperties view) {
        int fresh = Math.min(MAX_FINDINGS, view.restarts() - kept.restartsSeen);
        for (int i = 0; i < fresh; i++) {
            kept.backoff.recordStart(ticker.nanos());
        }
        if (fresh > 0) {
            recordCrash(unit, kept, view, record.run().invocation());
        }
        kept.restartsSeen = view.restarts();
    }

    private void recordCrash(
            UnitName unit, PersistedUnitState kept, UnitProperties view, String invocation) {
        if (!invocation.isEmpty()) {
            kept.backoff.recordCrash(
                    invocation, ticker.nanos(), () -> care.describeRunEnd(unit, view, invocation));
        }
    }

    /** Keeps what is only counted: a disk that cannot take it down changes nothing else. */
    private static void saveIgnoringDiskFailure(PersistedUnitState kept, UnitIntentAndRun next) {
        try {
            kept.save(next);
        } catch (DiskFailure e) {
            LOG.warn("A unit's record cannot be written reason={}", e.getMessage());
        }
    }
}
