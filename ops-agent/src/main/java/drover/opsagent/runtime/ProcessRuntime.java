package drover.opsagent.runtime;

import drover.model.ActionName;
import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.ProgramSpec;
import drover.opsagent.disk.Disk;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Programs as processes under the agent's own supervision, their files under the node's root. On
 * the machine's own ports it is the runtime {@code process}, on simulated ones {@code simulated}:
 * the code that is proved is the code that runs.
 */
public final class ProcessRuntime extends FileRuntime {
    /** Its name on a machine. */
    public static final String PROCESS = "process";

    private final Supervisor supervisor;

    /** Builds the runtime on its ports. */
    public ProcessRuntime(String name, RuntimePorts ports) {
        super(name, ports);
        this.supervisor =
                new Supervisor(
                        ports.state(), root(), ports.processes(), ports.ticker(), ports.settle());
    }

    @Override
    public void adopt(BinaryName program) {
        supervisor.adopt(program);
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
        checks.on(ActionName.START_NODE, () -> requireUser(planned.spec()));
        super.check(planned, checks, deadline);
    }

    private static void requireUser(ProgramSpec spec) {
        String user = spec.launch().user();
        if (!user.isEmpty() && !user.equals(System.getProperty("user.name"))) {
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
