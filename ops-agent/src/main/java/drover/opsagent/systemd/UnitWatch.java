package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimePorts;
import drover.opsagent.systemd.UnitRecord.Intent;
import drover.opsagent.systemd.UnitRecord.Run;
import drover.opsagent.systemd.Units.UnitsUnavailable;
import drover.opsagent.time.Ticker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after units between attempts: what runs, how often it fell, and what must be started. */
final class UnitWatch {
    private static final Logger LOG = LoggerFactory.getLogger(UnitWatch.class);
    private static final int MOST_NOTICED = 3; // in one look; three make a crash loop

    private final UnitLooks looks;
    private final UnitCare care;
    private final UnitMeasure measure;
    private final Processes processes;
    private final Ticker ticker;

    UnitWatch(UnitLooks looks, UnitCare care, UnitMeasure measure, RuntimePorts ports) {
        this.looks = looks;
        this.care = care;
        this.measure = measure;
        this.processes = ports.processes();
        this.ticker = ports.ticker();
    }

    /** Takes a unit over as it is; starts nothing. While systemd is silent, nothing is recorded. */
    void adopt(BinaryName program, UnitName unit, KeptUnit kept) {
        UnitView view = looks.lately(unit);
        if (kept.record() == null && view.isLoaded()) {
            // One that somebody stopped before it was taken over is to stay as it is.
            boolean meant = view.isComing() || (view.isEnabled() && view.hasFailed());
            Run run = view.isUp() ? measure.runOf(program, kept, view) : measure.none();
            kept.restartsSeen = view.restarts();
            kept.keep(
                    new UnitRecord(
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
    ProgramState state(BinaryName program, UnitName unit, KeptUnit kept) {
        UnitView view = looks.lately(unit);
        UnitRecord record = kept.record();
        int starts = record == null ? 0 : record.startsSince(view);
        boolean wanted =
                record == null
                        ? view.isComing()
                        : UnitRules.isWanted(record, view, processes.bootId());
        Processes.Pid main = view.isUp() ? processes.identify(view.mainPid()) : Processes.Pid.NONE;
        if (main.equals(Processes.Pid.NONE)) {
            return new ProgramState.Down(wanted, starts);
        }
        try {
            if (!measure.hasBegun(main)) {
                return new ProgramState.Down(wanted, starts);
            }
            Run run = measure.runOf(program, kept, view);
            Digest digest = measure.executed(program, kept, run, main);
            return new ProgramState.Up(
                    measure.runId(main), digest, run.configDigest(), processes.upFor(main), starts);
        } catch (Processes.Gone e) {
            return new ProgramState.Down(wanted, starts);
        }
    }

    /** A new attempt: starts so far are of the past (F1). */
    void countAnew(UnitName unit, KeptUnit kept) {
        UnitRecord record = kept.record();
        UnitView view = looks.lately(unit);
        if (record != null && record.startsSince(view) > 0) {
            note(kept, record.countedAnew(view));
        }
    }

    /** Records what systemd did by itself, and starts what it will not start. */
    void supervise(BinaryName program, UnitName unit, KeptUnit kept) {
        if (!kept.hands.tryLock()) {
            return; // the executor is at it
        }
        try {
            adopt(program, unit, kept);
            UnitView view = looks.lately(unit);
            UnitRecord record = kept.record();
            if (record == null || !view.isLoaded()) {
                return;
            }
            notice(kept, view);
            if (view.isUp() && !record.run().is(processes.bootId(), view)) {
                note(kept, record.running(measure.runOf(program, kept, view), view));
            }
            boolean due = kept.pace.isDue(ticker.nanos());
            if (due && UnitRules.needsStart(record, view, processes.bootId())) {
                care.startAgain(unit, kept, view);
            }
        } catch (UnitsUnavailable | ActionFailed e) {
            LOG.warn("Unit cannot be started unit={} reason={}", unit, e.getMessage());
        } finally {
            kept.hands.unlock();
        }
    }

    /** Each start by systemd counts towards a crash loop as one of the agent's own would. */
    private void notice(KeptUnit kept, UnitView view) {
        int fresh = Math.min(MOST_NOTICED, view.restarts() - kept.restartsSeen);
        for (int i = 0; i < fresh; i++) {
            kept.pace.started(ticker.nanos());
        }
        kept.restartsSeen = view.restarts();
    }

    /** Keeps what is only counted: a disk that cannot take it down changes nothing else. */
    private static void note(KeptUnit kept, UnitRecord next) {
        try {
            kept.keep(next);
        } catch (DiskFailure e) {
            LOG.warn("A unit's record cannot be written reason={}", e.getMessage());
        }
    }
}
