package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.DiscoveredProgram;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.runtime.files.ExecutedFileCheck;
import drover.opsagent.runtime.files.FilePreflightTrials;
import drover.opsagent.runtime.files.FileRuntime;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.systemd.SystemdUnits.SystemdCallFailed;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Programs as service units of this machine's systemd, their files under the node's root. Systemd
 * supervises; the agent stops and starts on purpose, proves what runs, and starts again only what
 * systemd will not.
 */
public final class SystemdRuntime extends FileRuntime {
    /** Its name in profiles and flags. */
    public static final String SYSTEMD = "systemd";

    private final SystemdUnits units;
    private final RuntimeContext ports;
    private final AllowedUnitsAndGateDirectories settings;
    private final StartGate gate;
    private final UnitStatusCache statusCache;
    private final UnitController controller;
    private final UnitSupervisor supervisor;
    private final Map<String, PersistedUnitState> managedUnits = new ConcurrentHashMap<>();

    /**
     * Builds the runtime on its ports.
     *
     * @throws IllegalArgumentException when a setting is not understood
     */
    public SystemdRuntime(RuntimeContext ports, SystemdUnits units) {
        super(SYSTEMD, ports);
        this.units = units;
        this.ports = ports;
        this.settings = AllowedUnitsAndGateDirectories.parse(ports.settings());
        this.statusCache = new UnitStatusCache(units, ports.processes(), ports.ticker());
        this.gate = settings.createGate(ports.state().files());
        this.controller =
                new UnitController(
                        units,
                        statusCache,
                        gate,
                        ports.processes(),
                        ports.ticker(),
                        ports.settlingTime());
        UnitRunMeasurer measure = new UnitRunMeasurer(this, ports);
        this.supervisor = new UnitSupervisor(statusCache, controller, measure, ports);
    }

    @Override
    public void requireLaunchable(ProgramSpec spec, List<NodePath> paths) {
        requireSupported(spec, paths);
        root().resolveWritable(spec.launch().path());
        throwIfRefused(UnitRules.findRefusal(spec.launch(), settings.units()));
        UnitName unit = new UnitName(spec.launch().service());
        if (!ports.policy().mayControlUnit(unit.value())) {
            throwIfRefused(
                    "This node's policy lists no unit "
                            + unit.value()
                            + ": leave the node out, or let its owner list it.");
        }
        for (NodePath path : paths) {
            throwIfRefused(
                    UnitRules.findRefusal(
                            unit, settings.directory(), root().resolveWritable(path)));
        }
        UnitIntentAndRun record = getOrCreateManagedUnit(spec.name()).loadRecord();
        if (record != null && !record.unit().equals(unit.value())) {
            throwIfRefused(
                    spec.name()
                            + " is "
                            + record.unit()
                            + " on this node: the unit's name stays in an upgrade, adopt the"
                            + " program anew under the other one.");
        }
        try {
            UnitProperties view = statusCache.refresh(unit);
            throwIfRefused(UnitRules.findRefusal(unit, view));
            throwIfRefused(gate.unsupportedReason(unit, view));
            if (units.members(view.controlGroup()).contains(ProcessHandle.current().pid())) {
                throwIfRefused(
                        unit + " is the unit that the agent runs in: name the program's own.");
            }
        } catch (SystemdCallFailed e) {
            throw UnitController.unavailableFailure(e);
        }
    }

    private static void throwIfRefused(String refusal) {
        if (!refusal.isEmpty()) {
            throw new ActionFailed(ReasonCode.PROGRAM_REFUSED, refusal);
        }
    }

    @Override
    public DiscoveredProgram discover(ProgramSpec spec, List<NodePath> files) {
        requireLaunchable(spec, files);
        UnitName unit = new UnitName(spec.launch().service());
        try {
            UnitProperties view = statusCache.refresh(unit);
            Processes.Pid main =
                    view.isUp() ? ports.processes().identify(view.mainPid()) : Processes.Pid.NONE;
            if (main.equals(Processes.Pid.NONE)) {
                throw notRunningFailure(unit, view);
            }
            Path file = pathOf(spec.launch().path());
            return new DiscoveredProgram(
                    "unit " + unit,
                    new ExecutedFileCheck(spec.launch(), file, installedDigest(spec))
                            .verifyRunningDigest(main, ports.processes(), unit.value()),
                    ports.processes().executablePath(main),
                    pathsOf(spec, files),
                    view.toDisplayLines());
        } catch (SystemdCallFailed e) {
            throw UnitController.unavailableFailure(e);
        } catch (Processes.NotInspectable e) {
            throw new ActionFailed(ReasonCode.NOT_INSPECTABLE, e.getMessage() + ".");
        } catch (Processes.ExitedBeforeInspection e) {
            throw notRunningFailure(unit, statusCache.refresh(unit));
        }
    }

    private static ActionFailed notRunningFailure(UnitName unit, UnitProperties view) {
        return new ActionFailed(
                ReasonCode.NOT_RUNNING,
                unit + " does not run, it is " + view.summary() + ": start it, then adopt it.");
    }

    @Override
    public void adopt(BinaryName program) {
        UnitName unit = findUnit(program);
        if (unit != null) {
            supervisor.adopt(program, unit, getOrCreateManagedUnit(program));
        }
    }

    @Override
    public ProgramState status(BinaryName program) {
        UnitName unit = findUnit(program);
        return unit == null
                ? new ProgramState.Down(false, 0)
                : supervisor.state(program, unit, getOrCreateManagedUnit(program));
    }

    @Override
    public void reload() {
        try {
            units.reload(ports.ticker().deadlineIn(UnitController.RELOAD_TIME));
        } catch (SystemdCallFailed e) {
            throw UnitController.unavailableFailure(e);
        }
    }

    @Override
    public void checkUpgrade(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        super.checkUpgrade(planned, checks, deadline);
        boolean rewritten =
                planned.upgrade().files().stream()
                        .anyMatch(
                                it ->
                                        root().resolveWritable(it.path())
                                                .startsWith(settings.directory()));
        if (!rewritten) {
            checks.run(UpgradeAction.START_NODE, () -> requireUnitStartsProgram(planned.spec()));
        }
    }

    @Override
    protected boolean executesFile(ProgramSpec spec) {
        return refreshProperties(spec)
                .executablePath()
                .equals(pathOf(spec.launch().path()).toString());
    }

    @Override
    protected String describeStartingUser(ProgramSpec spec) {
        String user = refreshProperties(spec).user();
        return user.isEmpty() ? super.describeStartingUser(spec) : "user " + user;
    }

    @Override
    protected boolean isExecutable(ProgramSpec spec, Path file) {
        UnitProperties unit = refreshProperties(spec);
        return super.isExecutable(spec, file)
                && units.isExecutableBy(unit.user(), unit.groups(), file);
    }

    private UnitProperties refreshProperties(ProgramSpec spec) {
        try {
            return statusCache.refresh(new UnitName(spec.launch().service()));
        } catch (SystemdCallFailed e) {
            throw UnitController.unavailableFailure(e);
        }
    }

    /** The unit starts the very file that is installed, or an upgrade would change nothing. */
    private void requireUnitStartsProgram(ProgramSpec spec) {
        try {
            UnitName unit = new UnitName(spec.launch().service());
            throwIfRefused(
                    UnitRules.findRefusal(
                            unit,
                            statusCache.refresh(unit),
                            spec.launch(),
                            pathOf(spec.launch().path())));
        } catch (SystemdCallFailed e) {
            throw UnitController.unavailableFailure(e);
        }
    }

    @Override
    protected void requireStoppable(BinaryName program, FilePreflightTrials checks) {
        super.requireStoppable(program, checks);
        UnitName unit = requireUnit(program);
        try {
            gate.requireClosable(unit);
        } catch (DiskFailure e) {
            throw checks.notReplaceableFailure("the start gate of " + unit, e);
        }
    }

    @Override
    public String stop(BinaryName program, StopSettings settings, Deadline deadline) {
        UnitName unit = requireUnit(program);
        supervisor.adopt(program, unit, getOrCreateManagedUnit(program));
        return controller.stop(unit, getOrCreateManagedUnit(program), settings, deadline);
    }

    @Override
    public void cancelStop(BinaryName program) {
        controller.cancelStop(requireUnit(program), getOrCreateManagedUnit(program));
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        UnitName unit = new UnitName(spec.launch().service());
        controller.start(unit, getOrCreateManagedUnit(spec.name()), digest, configDigest, deadline);
    }

    @Override
    public void setDesiredRunning(ProgramSpec spec, Digest digest, Digest configDigest) {
        UnitName unit = new UnitName(spec.launch().service());
        controller.setDesiredRunning(
                unit, getOrCreateManagedUnit(spec.name()), digest, configDigest);
    }

    @Override
    public void allowStarts(BinaryName program) {
        UnitName unit = findUnit(program);
        if (unit != null) {
            controller.allowStarts(unit);
        }
    }

    @Override
    public void resetRestartCounters(BinaryName program) {
        UnitName unit = findUnit(program);
        if (unit != null) {
            supervisor.resetRestartCounters(unit, getOrCreateManagedUnit(program));
        }
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        UnitName unit = findUnit(program);
        return unit == null
                ? ""
                : controller.outputTail(unit, getOrCreateManagedUnit(program), bytes);
    }

    @Override
    public String crashedLogTail(BinaryName program, int bytes) {
        UnitName unit = findUnit(program);
        return unit == null
                ? ""
                : controller.crashedOutputTail(unit, getOrCreateManagedUnit(program), bytes);
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        for (ProgramSpec spec : specs) {
            UnitName unit = findUnit(spec.name());
            if (unit != null) {
                supervisor.supervise(spec.name(), unit, getOrCreateManagedUnit(spec.name()));
            }
        }
    }

    @Override
    public String describeLastCrash(BinaryName program) {
        return getOrCreateManagedUnit(program).backoff.describeLastCrash(ports.ticker().nanos());
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return getOrCreateManagedUnit(program).backoff.isCrashLooping(ports.ticker().nanos());
    }

    private UnitName requireUnit(BinaryName program) {
        UnitName unit = findUnit(program);
        if (unit == null) {
            throw new ActionFailed(
                    ReasonCode.PROGRAM_REFUSED,
                    program + " has no unit on this node: adopt it under its unit's name.");
        }
        return unit;
    }

    /** The unit that was taken over; before that, the one that the profile names. */
    private @Nullable UnitName findUnit(BinaryName program) {
        UnitIntentAndRun record = getOrCreateManagedUnit(program).loadRecord();
        ProgramProfile profile = state().loadProfile().findProgram(program.value());
        String name =
                record != null
                        ? record.unit()
                        : profile != null ? profile.spec().launch().service() : "";
        return UnitName.isValidServiceName(name) ? new UnitName(name) : null;
    }

    private PersistedUnitState getOrCreateManagedUnit(BinaryName program) {
        return managedUnits.computeIfAbsent(
                program.value(), name -> new PersistedUnitState(state(), name));
    }
}
