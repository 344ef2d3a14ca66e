package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Checks;
import drover.opsagent.runtime.Discovered;
import drover.opsagent.runtime.ExecutedFile;
import drover.opsagent.runtime.FileRuntime;
import drover.opsagent.runtime.PlannedUpgrade;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimePorts;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.systemd.Units.UnitsUnavailable;
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

    private final Units units;
    private final RuntimePorts ports;
    private final SystemdSettings settings;
    private final StartGate gate;
    private final UnitLooks looks;
    private final UnitCare care;
    private final UnitWatch watch;
    private final Map<String, KeptUnit> kept = new ConcurrentHashMap<>();

    /**
     * Builds the runtime on its ports.
     *
     * @throws IllegalArgumentException when a setting is not understood
     */
    public SystemdRuntime(RuntimePorts ports, Units units) {
        super(SYSTEMD, ports);
        this.units = units;
        this.ports = ports;
        this.settings = SystemdSettings.of(ports.settings());
        this.looks = new UnitLooks(units, ports.processes(), ports.ticker());
        this.gate = settings.gate(ports.state().files());
        this.care =
                new UnitCare(units, looks, gate, ports.processes(), ports.ticker(), ports.settle());
        UnitMeasure measure = new UnitMeasure(this, ports);
        this.watch = new UnitWatch(looks, care, measure, ports);
    }

    @Override
    public void preflight(ProgramSpec spec, List<NodePath> paths) {
        requireOwn(spec, paths);
        root().resolve(spec.launch().path());
        require(UnitRules.refusal(spec.launch(), settings.units()));
        UnitName unit = new UnitName(spec.launch().service());
        if (!ports.policy().mayControlUnit(unit.value())) {
            require(
                    "This node's policy lists no unit "
                            + unit.value()
                            + ": leave the node out, or let its owner list it.");
        }
        for (NodePath path : paths) {
            require(UnitRules.refusal(unit, settings.directory(), root().resolve(path)));
        }
        UnitRecord record = kept(spec.name()).record();
        if (record != null && !record.unit().equals(unit.value())) {
            require(
                    spec.name()
                            + " is "
                            + record.unit()
                            + " on this node: the unit's name stays in an upgrade, adopt the"
                            + " program anew under the other one.");
        }
        try {
            UnitView view = looks.now(unit);
            require(UnitRules.refusal(unit, view));
            require(gate.refusal(unit, view));
            if (units.members(view.controlGroup()).contains(ProcessHandle.current().pid())) {
                require(unit + " is the unit that the agent runs in: name the program's own.");
            }
        } catch (UnitsUnavailable e) {
            throw UnitCare.unavailable(e);
        }
    }

    private static void require(String refusal) {
        if (!refusal.isEmpty()) {
            throw new ActionFailed(ReasonCode.PROGRAM_REFUSED, refusal);
        }
    }

    @Override
    public Discovered discover(ProgramSpec spec, List<NodePath> files) {
        preflight(spec, files);
        UnitName unit = new UnitName(spec.launch().service());
        try {
            UnitView view = looks.now(unit);
            Processes.Pid main =
                    view.isUp() ? ports.processes().identify(view.mainPid()) : Processes.Pid.NONE;
            if (main.equals(Processes.Pid.NONE)) {
                throw notRunning(unit, view);
            }
            Path file = place(spec.launch().path());
            return new Discovered(
                    "unit " + unit,
                    new ExecutedFile(spec.launch(), file, installed(spec))
                            .provedBy(main, ports.processes(), unit.value()),
                    ports.processes().program(main),
                    places(spec, files),
                    view.forPeople());
        } catch (UnitsUnavailable e) {
            throw UnitCare.unavailable(e);
        } catch (Processes.Gone e) {
            throw notRunning(unit, looks.now(unit));
        }
    }

    private static ActionFailed notRunning(UnitName unit, UnitView view) {
        return new ActionFailed(
                ReasonCode.NOT_RUNNING,
                unit + " does not run, it is " + view.standing() + ": start it, then adopt it.");
    }

    @Override
    public void adopt(BinaryName program) {
        UnitName unit = unitOf(program);
        if (unit != null) {
            watch.adopt(program, unit, kept(program));
        }
    }

    @Override
    public ProgramState status(BinaryName program) {
        UnitName unit = unitOf(program);
        return unit == null
                ? new ProgramState.Down(false, 0)
                : watch.state(program, unit, kept(program));
    }

    @Override
    public void reload() {
        try {
            units.reload(ports.ticker().in(UnitCare.RELOAD_TIME));
        } catch (UnitsUnavailable e) {
            throw UnitCare.unavailable(e);
        }
    }

    @Override
    public void check(PlannedUpgrade planned, Checks checks, Deadline deadline) {
        super.check(planned, checks, deadline);
        boolean rewritten =
                planned.work().files().stream()
                        .anyMatch(it -> root().resolve(it.path()).startsWith(settings.directory()));
        if (!rewritten) {
            checks.on(UpgradeAction.START_NODE, () -> requireOwnFile(planned.spec()));
        }
    }

    /** The unit starts the very file that is installed, or an upgrade would change nothing. */
    private void requireOwnFile(ProgramSpec spec) {
        try {
            UnitName unit = new UnitName(spec.launch().service());
            require(
                    UnitRules.refusal(
                            unit, looks.now(unit), spec.launch(), place(spec.launch().path())));
        } catch (UnitsUnavailable e) {
            throw UnitCare.unavailable(e);
        }
    }

    @Override
    public void stop(BinaryName program, Deadline deadline) {
        UnitName unit = known(program);
        watch.adopt(program, unit, kept(program));
        care.stop(unit, kept(program), deadline);
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        UnitName unit = new UnitName(spec.launch().service());
        care.start(unit, kept(spec.name()), digest, configDigest, deadline);
    }

    @Override
    public void want(ProgramSpec spec, Digest digest, Digest configDigest) {
        UnitName unit = new UnitName(spec.launch().service());
        care.want(unit, kept(spec.name()), digest, configDigest);
    }

    @Override
    public void release(BinaryName program) {
        UnitName unit = unitOf(program);
        if (unit != null) {
            care.release(unit);
        }
    }

    @Override
    public void countAnew(BinaryName program) {
        UnitName unit = unitOf(program);
        if (unit != null) {
            watch.countAnew(unit, kept(program));
        }
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        UnitName unit = unitOf(program);
        try {
            return unit == null ? "" : units.journalTail(unit, bytes);
        } catch (UnitsUnavailable e) {
            return ""; // what it said is worth less than going on
        }
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        for (ProgramSpec spec : specs) {
            UnitName unit = unitOf(spec.name());
            if (unit != null) {
                watch.supervise(spec.name(), unit, kept(spec.name()));
            }
        }
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return kept(program).pace.isLooping(ports.ticker().nanos());
    }

    private UnitName known(BinaryName program) {
        UnitName unit = unitOf(program);
        if (unit == null) {
            throw new ActionFailed(
                    ReasonCode.PROGRAM_REFUSED,
                    program + " has no unit on this node: adopt it under its unit's name.");
        }
        return unit;
    }

    /** The unit that was taken over; before that, the one that the profile names. */
    private @Nullable UnitName unitOf(BinaryName program) {
        UnitRecord record = kept(program).record();
        ProgramProfile profile = state().profile().program(program.value());
        String name =
                record != null
                        ? record.unit()
                        : profile != null ? profile.spec().launch().service() : "";
        return UnitName.isPlain(name) ? new UnitName(name) : null;
    }

    private KeptUnit kept(BinaryName program) {
        return kept.computeIfAbsent(program.value(), name -> new KeptUnit(state(), name));
    }
}
