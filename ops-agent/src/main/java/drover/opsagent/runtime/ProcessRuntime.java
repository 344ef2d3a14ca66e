package drover.opsagent.runtime;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.runtime.Processes.Seen;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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
    public ProcessRuntime(String name, RuntimePorts ports) {
        super(name, ports);
        this.processes = ports.processes();
        this.supervisor =
                new Supervisor(
                        ports.state(), root(), ports.processes(), ports.ticker(), ports.settle());
    }

    @Override
    public void adopt(BinaryName program) {
        supervisor.adopt(program);
        ProgramProfile profile = state().profile().program(program.value());
        if (profile != null && !supervisor.hasStarted(program)) {
            takeOver(profile);
        }
    }

    /** One that was running when the node was taken in; what somebody ended stays ended. */
    private void takeOver(ProgramProfile profile) {
        ProgramSpec spec = profile.spec();
        try {
            Seen found = foreign(spec);
            Digest running = executed(spec, found);
            supervisor.takeOver(
                    spec.name(),
                    spec.launch(),
                    found.pid(),
                    running,
                    ConfigMeasure.of(profile, this::digestOf));
        } catch (ActionFailed | PathRefused | Processes.Gone e) {
            LOG.info("Program not taken over program={} reason={}", spec.name(), e.getMessage());
        }
    }

    @Override
    public Discovered discover(ProgramSpec spec, List<NodePath> files) {
        preflight(spec, files);
        try {
            Seen found = foreign(spec);
            SortedMap<String, String> standing = new TreeMap<>();
            standing.put("up for", processes.upFor(found.pid()).toSeconds() + " s");
            standing.put("command", String.join(" ", found.command()));
            standing.put("user", found.user());
            return new Discovered(
                    what(found),
                    executed(spec, found),
                    found.program(),
                    places(spec, files),
                    standing);
        } catch (Processes.Gone e) {
            throw new ActionFailed(
                    ReasonCode.NOT_RUNNING, "The program has just ended: start it first.");
        }
    }

    private Seen foreign(ProgramSpec spec) {
        Path file = root().resolve(spec.launch().path());
        List<String> command = LaunchLine.command(spec.launch(), file, root().directory());
        return ForeignProcess.among(processes.seen(), spec.launch(), file, command, USER);
    }

    private Digest executed(ProgramSpec spec, Seen found) {
        Path file = root().resolve(spec.launch().path());
        return new ExecutedFile(spec.launch(), file, installed(spec))
                .provedBy(found.pid(), processes, what(found));
    }

    private static String what(Seen found) {
        return "process " + found.pid().number();
    }

    @Override
    public ProgramState status(BinaryName program) {
        return supervisor.state(program);
    }

    @Override
    public void preflight(ProgramSpec spec, List<NodePath> paths) {
        requireOwn(spec, paths);
        root().resolve(spec.launch().path());
        requireUser(spec);
    }

    @Override
    public void check(PlannedUpgrade planned, Checks checks, Deadline deadline) {
        checks.on(UpgradeAction.START_NODE, () -> requireUser(planned.spec()));
        super.check(planned, checks, deadline);
    }

    private static void requireUser(ProgramSpec spec) {
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
    public void stop(BinaryName program, Deadline deadline) {
        supervisor.stop(program, deadline);
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        supervisor.start(spec.name(), spec.launch(), digest, configDigest, deadline);
    }

    @Override
    public void want(ProgramSpec spec, Digest digest, Digest configDigest) {
        supervisor.want(spec.name(), spec.launch(), digest, configDigest);
    }

    @Override
    public void countAnew(BinaryName program) {
        supervisor.countAnew(program);
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        Path log = state().run(program.value()).resolve(LaunchLine.LOG);
        Disk disk = state().files().disk();
        if (disk.kind(log) != Disk.Kind.FILE) {
            return "";
        }
        try (InputStream in = disk.read(log)) {
            in.skipNBytes(Math.max(0, disk.size(log) - bytes));
            return new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        specs.forEach(spec -> supervisor.supervise(spec.name()));
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return supervisor.isCrashLooping(program);
    }
}
