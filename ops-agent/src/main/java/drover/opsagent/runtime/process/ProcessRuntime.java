package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.DiscoveredProgram;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.ObservedProcess;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.runtime.files.ExecutedFileCheck;
import drover.opsagent.runtime.files.FileRuntime;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Programs as processes under the agent's own supervision, their files under the node's root. On
 * the machine's own ports it is the runtime {@code process}, on simulated ones {@code simulated}:
 * the code that is proved is the code that runs.
 */
public final class ProcessRuntime extends FileRuntime {
    /** Its name on a machine. */
    public static final String PROCESS = "process";

    private static final Logger LOG = LoggerFactory.getLogger(ProcessRuntime.class);
    private static final String USER = System.getProperty("user.name", "");

    private final Processes processes;
    private final Supervisor supervisor;

    /** Builds the runtime on its ports. */
    public ProcessRuntime(String name, RuntimeContext ports) {
        super(name, ports);
        this.processes = ports.processes();
        this.supervisor =
                new Supervisor(
                        ports.state(),
                        root(),
                        ports.processes(),
                        ports.ticker(),
                        ports.settlingTime());
    }

    @Override
    public void adopt(BinaryName program) {
        supervisor.adopt(program);
        ProgramProfile profile = state().loadProfile().findProgram(program.value());
        if (profile != null && !supervisor.hasRunRecord(program)) {
            adoptRunningProcess(profile);
        }
    }

    /** One that was running when the node was taken in; what somebody ended stays ended. */
    private void adoptRunningProcess(ProgramProfile profile) {
        ProgramSpec spec = profile.spec();
        try {
            ObservedProcess found = findUnmanagedProcess(spec);
            Digest running = verifyExecutedDigest(spec, found);
            supervisor.adoptProcess(
                    spec.name(),
                    spec.launch(),
                    found.pid(),
                    running,
                    profile.configDigest(this::digestOf));
        } catch (ActionFailed
                | PathRefused
                | Processes.ExitedBeforeInspection
                | Processes.NotInspectable e) {
            LOG.info("Program not taken over program={} reason={}", spec.name(), e.getMessage());
        }
    }

    @Override
    public DiscoveredProgram discover(ProgramSpec spec, List<NodePath> files) {
        requireLaunchable(spec, files);
        try {
            ObservedProcess found = findUnmanagedProcess(spec);
            SortedMap<String, String> recorded = new TreeMap<>();
            recorded.put("up for", processes.upFor(found.pid()).toSeconds() + " s");
            recorded.put("command", String.join(" ", found.command()));
            recorded.put("user", found.user());
            return new DiscoveredProgram(
                    describeProcess(found),
                    verifyExecutedDigest(spec, found),
                    found.program(),
                    pathsOf(spec, files),
                    recorded);
        } catch (Processes.NotInspectable e) {
            throw new ActionFailed(ReasonCode.NOT_INSPECTABLE, e.getMessage() + ".");
        } catch (Processes.ExitedBeforeInspection e) {
            throw new ActionFailed(
                    ReasonCode.NOT_RUNNING, "The program has just ended: start it first.");
        }
    }

    private ObservedProcess findUnmanagedProcess(ProgramSpec spec) {
        Path file = root().resolveWritable(spec.launch().path());
        List<String> command =
                LaunchCommandBuilder.command(spec.launch(), file, root().directory());
        Map<String, String> environment =
                LaunchCommandBuilder.environment(spec.launch(), file, root().directory());
        return UnmanagedProcessSelector.find(
                processes.listInspectable(), spec.launch(), file, command, environment, USER);
    }

    private Digest verifyExecutedDigest(ProgramSpec spec, ObservedProcess found) {
        Path file = root().resolveWritable(spec.launch().path());
        return new ExecutedFileCheck(spec.launch(), file, installedDigest(spec))
                .verifyRunningDigest(found.pid(), processes, describeProcess(found));
    }

    private static String describeProcess(ObservedProcess found) {
        return "process " + found.pid().number();
    }

    @Override
    public ProgramState status(BinaryName program) {
        return supervisor.state(program);
    }

    @Override
    public void requireLaunchable(ProgramSpec spec, List<NodePath> paths) {
        requireSupported(spec, paths);
        root().resolveWritable(spec.launch().path());
        requireAgentUser(spec);
    }

    @Override
    public void checkUpgrade(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        checks.run(UpgradeAction.START_NODE, () -> requireAgentUser(planned.spec()));
        super.checkUpgrade(planned, checks, deadline);
    }

    private static void requireAgentUser(ProgramSpec spec) {
        String user = spec.launch().user();
        if (!user.isEmpty() && !user.equals(USER)) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "This agent cannot run programs as " + user + ": run it as that user.");
        }
    }

    @Override
    public void reload() {
        // The supervisor reads launch specifications at each start: nothing to reload.
    }

    @Override
    public String stop(BinaryName program, StopSettings settings, Deadline deadline) {
        return supervisor.stop(program, settings, deadline);
    }

    @Override
    public void cancelStop(BinaryName program) {
        supervisor.cancelStop(program);
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        supervisor.start(spec.name(), spec.launch(), digest, configDigest, deadline);
    }

    @Override
    public void setDesiredRunning(ProgramSpec spec, Digest digest, Digest configDigest) {
        supervisor.setDesiredRunning(spec.name(), spec.launch(), digest, configDigest);
    }

    @Override
    public void resetRestartCounters(BinaryName program) {
        supervisor.resetRestartCounters(program);
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        return supervisor.outputTail(program, bytes);
    }

    @Override
    public String crashedLogTail(BinaryName program, int bytes) {
        return supervisor.crashedOutputTail(program, bytes);
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        specs.forEach(spec -> supervisor.supervise(spec.name()));
    }

    @Override
    public String describeLastCrash(BinaryName program) {
        return supervisor.describeLastCrash(program);
    }

    @Override
    public String describeStartFailure(BinaryName program) {
        return supervisor.describeStartFailure(program);
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return supervisor.isCrashLooping(program);
    }
}
