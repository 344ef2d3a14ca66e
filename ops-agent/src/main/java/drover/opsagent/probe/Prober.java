package drover.opsagent.probe;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import drover.model.program.Probe;
import drover.model.program.ProgramSpec;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tries the probes of a node's programs when they are due, and remembers what they say. */
public final class Prober {
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(200);
    private final NodeRuntime runtime;
    private final Ticker ticker;
    private final ProbeRunner check;
    private final ClusterProber clusters;
    private final Map<String, ProgramProbeState> programs = new HashMap<>();
    private final Map<String, ProgramHealthReading> levels = new HashMap<>();

    private static final class ProgramProbeState {
        String runId = "";
        SoakTimer wellness = new SoakTimer(0);
        final Map<String, Long> due = new HashMap<>();
        final Map<String, ProbeOutcome> results = new HashMap<>();
    }

    /** What is known of a program's health at one time, without how long and why. */
    private record ProgramHealthReading(boolean up, ApplicationHealth health, SyncStatus sync) {
        static final ProgramHealthReading DOWN =
                new ProgramHealthReading(false, ApplicationHealth.UNKNOWN, SyncStatus.UNKNOWN);
    }

    private record ProbeOutcome(Probe.StatusWhileFailing sets, boolean excused, String problem) {
        boolean isUnexcusedFailure() {
            return !problem.isEmpty() && !excused;
        }
    }

    /** Probes programs that this runtime runs. */
    public Prober(NodeRuntime runtime, Ticker ticker, ProbeRunner check) {
        this.runtime = runtime;
        this.ticker = ticker;
        this.check = check;
        this.clusters = new ClusterProber(ticker, check);
    }

    /**
     * Tries what is due. Called from one thread.
     *
     * @return whether a program became healthier or less healthy than at the last call
     */
    public boolean runDueProbesAndDetectChange(List<ProgramSpec> specs) {
        boolean changed = false;
        clusters.retain(specs);
        for (ProgramSpec spec : specs) {
            ProgramHealthReading level =
                    switch (runtime.status(spec.name())) {
                        case ProgramState.Down _ -> {
                            remove(spec.name().value());
                            clusters.stop(spec.name().value());
                            yield ProgramHealthReading.DOWN;
                        }
                        case ProgramState.Up up -> {
                            clusters.startIfDue(spec, up);
                            runProgramProbes(spec, up);
                            ProbeSummary signals = summarize(spec, up);
                            yield new ProgramHealthReading(true, signals.health(), signals.sync());
                        }
                    };
            ProgramHealthReading before = levels.put(spec.name().value(), level);
            changed |= before != null && !before.equals(level);
        }
        return changed;
    }

    private void runProgramProbes(ProgramSpec spec, ProgramState.Up up) {
        ProgramProbeState program = getOrResetState(spec.name().value(), up);
        for (Probe probe : spec.probes()) {
            if (rescheduleIfDue(program, probe)) {
                String problem = check.runAndFindProblem(probe.check(), probe.timeout(), true);
                boolean excused = up.upFor().compareTo(probe.grace()) < 0;
                store(program, spec, probe, new ProbeOutcome(probe.sets(), excused, problem));
            }
        }
    }

    private synchronized boolean rescheduleIfDue(ProgramProbeState program, Probe probe) {
        long now = ticker.nanos();
        if (now - program.due.getOrDefault(probe.name(), now) < 0) {
            return false;
        }
        Duration interval =
                probe.interval().compareTo(SHORTEST_INTERVAL) < 0
                        ? SHORTEST_INTERVAL
                        : probe.interval();
        program.due.put(probe.name(), now + interval.toNanos());
        return true;
    }

    private synchronized void store(
            ProgramProbeState program, ProgramSpec spec, Probe probe, ProbeOutcome result) {
        program.results.put(probe.name(), result);
        boolean success = result.problem().isEmpty();
        program.wellness.recordResult(spec.probes(), probe, success, ticker.nanos());
    }

    /**
     * What the probes say of this run. A new run begins with nothing known and well for no time.
     */
    public synchronized ProbeSummary summarize(ProgramSpec spec, ProgramState.Up up) {
        ProgramProbeState program = getOrResetState(spec.name().value(), up);
        ApplicationHealth health = ApplicationHealth.UNKNOWN;
        SyncStatus sync = SyncStatus.UNKNOWN;
        List<String> details = new ArrayList<>();
        for (Probe probe : spec.probes()) {
            ProbeOutcome result = program.results.get(probe.name());
            if (result == null) {
                continue;
            }
            if (!result.problem().isEmpty()) {
                details.add(probe.name() + ": " + result.problem());
            }
            switch (result.sets()) {
                case Probe.StatusWhileFailing.HealthWhileFailing(ApplicationHealth whileFailing) ->
                        health = worse(health, signalValue(result, whileFailing));
                case Probe.StatusWhileFailing.SyncStatusWhileFailing(SyncStatus whileFailing) ->
                        sync = worse(sync, signalValue(result, whileFailing));
            }
        }
        Duration healthyFor = program.wellness.healthyFor(spec.probes(), ticker.nanos());
        return new ProbeSummary(health, sync, healthyFor, details);
    }

    private static ApplicationHealth signalValue(
            ProbeOutcome result, ApplicationHealth whileFailing) {
        if (result.isUnexcusedFailure()) {
            return whileFailing;
        }
        return result.excused() && !result.problem().isEmpty()
                ? ApplicationHealth.UNKNOWN
                : ApplicationHealth.OK;
    }

    private static SyncStatus signalValue(ProbeOutcome result, SyncStatus whileFailing) {
        if (result.isUnexcusedFailure()) {
            return whileFailing;
        }
        return result.excused() && !result.problem().isEmpty()
                ? SyncStatus.UNKNOWN
                : SyncStatus.SYNCED;
    }

    private static <E extends Enum<E>> E worse(E one, E other) {
        return one.compareTo(other) >= 0 ? one : other; // both families are in order of badness
    }

    private synchronized ProgramProbeState getOrResetState(String name, ProgramState.Up up) {
        ProgramProbeState program = programs.computeIfAbsent(name, _ -> new ProgramProbeState());
        if (!program.runId.equals(up.runId())) {
            program.runId = up.runId();
            program.wellness = new SoakTimer(ticker.nanos());
            program.results.clear();
            program.due.clear();
        }
        return program;
    }

    /**
     * Reads the latest state of a program's cluster.
     *
     * @param runId its present run; empty if it does not run
     * @return empty if the program is no member of a cluster
     */
    public Optional<ClusterReading> readCluster(ProgramSpec spec, String runId) {
        return clusters.read(spec, runId);
    }

    /** Ends the cluster probes in flight with their drivers; later rounds start none. */
    public void close() {
        clusters.close();
    }

    private synchronized void remove(String name) {
        programs.remove(name);
    }
}
