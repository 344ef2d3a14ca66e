package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.systemd.UnitIntentAndRun.RunWithDigests;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures a run that the agent did not start itself, as soon as it sees it: one that systemd or a
 * person started reads the files that are there, not those of the last attempt.
 */
final class UnitRunMeasurer {
    private static final Digest NOTHING = Digest.of("");

    private static final List<String> OWN_PROGRAMS =
            List.of("/systemd/systemd", "/systemd/systemd-executor");

    private final NodeRuntime runtime;
    private final StateDirectory state;
    private final Processes processes;

    UnitRunMeasurer(NodeRuntime runtime, RuntimeContext ports) {
        this.runtime = runtime;
        this.state = ports.state();
        this.processes = ports.processes();
    }

    /** The run that a unit is in, as recorded, else as measured when it was first seen. */
    RunWithDigests findOrMeasureRun(
            BinaryName program, PersistedUnitState kept, UnitProperties view) {
        String boot = processes.bootId();
        UnitIntentAndRun record = kept.loadRecord();
        if (record != null && record.run().matches(boot, view)) {
            return record.run();
        }
        RunWithDigests seen = kept.observedRun();
        if (seen != null && seen.matches(boot, view)) {
            return seen;
        }
        RunWithDigests measured = measureRun(program, boot, view.invocation());
        kept.setObservedRun(measured);
        return measured;
    }

    private RunWithDigests measureRun(BinaryName program, String boot, String invocation) {
        ProgramProfile profile = state.loadProfile().findProgram(program.value());
        if (profile == null) {
            return new RunWithDigests(boot, invocation, NOTHING, NOTHING);
        }
        String file = runtime.installedDigest(profile.spec());
        return new RunWithDigests(
                boot,
                invocation,
                file.isEmpty() ? NOTHING : new Digest(file),
                profile.configDigest(runtime::digestOf));
    }

    /** No run: nothing was seen to run in this boot. */
    RunWithDigests noRun() {
        return new RunWithDigests(processes.bootId(), "", NOTHING, NOTHING);
    }

    /**
     * Whether the main process is the program already. A start by systemd is over as soon as its
     * process is there, which for a moment is still systemd itself, in whichever file that is.
     */
    boolean isProgramProcess(Processes.Pid main) {
        String program;
        try {
            program = processes.executablePath(main);
        } catch (Processes.NotInspectable _) {
            return true; // a process of systemd runs as root or as the agent's user
        }
        return OWN_PROGRAMS.stream().noneMatch(program::endsWith);
    }

    /**
     * What the unit executes: its main process's own executable, or the file of its start (D5);
     * null if the agent may not inspect the process.
     */
    @Nullable Digest executedDigest(
            BinaryName program, PersistedUnitState kept, RunWithDigests run, Processes.Pid main) {
        ProgramProfile profile = state.loadProfile().findProgram(program.value());
        if (profile != null && profile.spec().launch().identity() == ProgramDigestSource.FILE) {
            return run.digest();
        }
        // A wrapper becomes the program without being another process: the name tells.
        try {
            String key = runId(main) + " " + processes.executablePath(main);
            return kept.runningDigest(key, () -> processes.executableDigest(main));
        } catch (Processes.NotInspectable _) {
            return null;
        }
    }

    /** Names the run as every runtime does: boot, main process and when it started. */
    String runId(Processes.Pid main) {
        return processes.bootId() + ":" + main.number() + ":" + main.startTicks();
    }
}
