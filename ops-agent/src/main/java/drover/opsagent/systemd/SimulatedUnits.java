package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.program.StopSignal;
import drover.opsagent.disk.Disk;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.time.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * A systemd without an operating system. It reads unit files of a {@link Disk}, at a reload and no
 * sooner, and runs them as {@link SimulatedProcesses}; it knows {@code ExecStart}, {@code Type},
 * {@code Restart}, {@code KillMode} and the start gate. It lives apart from the agent.
 */
public final class SimulatedUnits implements SystemdUnits {
    /** The environment variable in which a process finds the digest of its loaded unit file. */
    public static final String UNIT_FILE = "UNIT_FILE";

    /** Option of a simulated unit file: how long the program takes to stop. */
    public static final String STOP_SECONDS = "X-SimulatedStopSeconds";

    private static final int START_LIMIT = 5; // systemd's own, within ten seconds

    private static final Comparator<UnitName> BY_NAME = Comparator.comparing(UnitName::value);

    private final Disk disk;
    private final SimulatedProcesses processes;
    private final Map<UnitName, LoadedUnitFile> loaded = new HashMap<>();
    private final Map<UnitName, SimulatedUnitState> running = new TreeMap<>(BY_NAME);
    private final Set<UnitName> enabled = new HashSet<>();
    private final Set<String> deniedUsers = new HashSet<>();
    private int invocations;
    private boolean unresponsive;
    private boolean stopsDenied;

    /** A unit file as it was read. */
    private record LoadedUnitFile(Map<String, String> options, String digest, boolean gated) {
        String option(String name, String otherwise) {
            return options.getOrDefault(name, otherwise);
        }
    }

    /** How a unit stands. */
    private record SimulatedUnitState(
            String active,
            Pid main,
            List<Pid> all,
            String invocation,
            int restarts,
            boolean killed) {
        static final SimulatedUnitState NEVER =
                new SimulatedUnitState("inactive", Pid.NONE, List.of(), "", 0, false);

        SimulatedUnitState withActive(String state) {
            return new SimulatedUnitState(state, main, all, invocation, restarts, killed);
        }

        SimulatedUnitState asEnded(String state) {
            return new SimulatedUnitState(state, Pid.NONE, all, "", restarts, false);
        }

        SimulatedUnitState asKilled() {
            return new SimulatedUnitState("failed", Pid.NONE, all, "", restarts, true);
        }
    }

    /** A machine whose units are in {@code /etc/systemd/system} of the disk; none runs. */
    public SimulatedUnits(Disk disk, SimulatedProcesses processes) {
        this.disk = disk;
        this.processes = processes;
        readUnitFiles();
    }

    /** The same units over other processes and another disk. */
    public synchronized SimulatedUnits snapshot(Disk otherDisk, SimulatedProcesses others) {
        SimulatedUnits copy = new SimulatedUnits(otherDisk, others);
        copy.loaded.clear();
        copy.loaded.putAll(loaded);
        copy.running.putAll(running);
        copy.enabled.addAll(enabled);
        copy.deniedUsers.addAll(deniedUsers);
        copy.invocations = invocations;
        copy.stopsDenied = stopsDenied;
        return copy;
    }

    /** Starts the unit with the machine. */
    public synchronized void enable(UnitName unit) {
        enabled.add(unit);
    }

    /** Rejects each stop and signal from now on, or none again. */
    public synchronized void setStopsDenied(boolean now) {
        stopsDenied = now;
    }

    /** Answers nothing from now on, or again. */
    public synchronized void setUnresponsive(boolean now) {
        unresponsive = now;
    }

    /** The machine has come up again: unit files are read, and enabled units started. */
    public synchronized void boot() {
        running.clear();
        readUnitFiles();
        enabled.forEach(this::startIfAllowed);
    }

    private void readUnitFiles() {
        loaded.clear();
        for (Path file : disk.list(StartGate.UNITS)) {
            String name = String.valueOf(file.getFileName());
            if (UnitName.isValidServiceName(name) && disk.kind(file) == Disk.EntryKind.FILE) {
                UnitName unit = new UnitName(name);
                loaded.put(unit, readUnitFile(file, gateFile(unit)));
            }
        }
    }

    private static Path gateFile(UnitName unit) {
        return StartGate.UNITS.resolve(unit + ".d").resolve(StartGate.FILE);
    }

    private LoadedUnitFile readUnitFile(Path file, Path gate) {
        byte[] bytes = disk.readAll(file);
        Map<String, String> options = new HashMap<>();
        new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.indexOf('=') > 0)
                .forEach(
                        line -> {
                            int equals = line.indexOf('=');
                            options.put(line.substring(0, equals), line.substring(equals + 1));
                        });
        boolean gated = disk.kind(gate) == Disk.EntryKind.FILE;
        return new LoadedUnitFile(options, Digest.of(bytes).value(), gated);
    }

    @Override
    public synchronized UnitProperties readProperties(UnitName unit) {
        requireResponsive();
        LoadedUnitFile file = loaded.get(unit);
        if (file == null) {
            return new UnitProperties(Map.of("LoadState", "not-found", "ActiveState", "inactive"));
        }
        SimulatedUnitState is = superviseAndGet(unit);
        Map<String, String> values = new HashMap<>();
        values.put("LoadState", "loaded");
        values.put("ActiveState", is.active());
        values.put("Result", is.active().equals("failed") ? "exit-code" : "success");
        values.put("Type", file.option("Type", "simple"));
        values.put("User", file.option("User", ""));
        values.put("ExecStart", "{ path=" + file.option("ExecStart", "") + " ; argv[]= ; }");
        values.put("Restart", file.option("Restart", "no"));
        values.put("RemainAfterExit", file.option("RemainAfterExit", "no"));
        values.put("TriggeredBy", file.option("TriggeredBy", ""));
        values.put("CanStart", file.option("CanStart", "yes"));
        values.put("UnitFileState", enabled.contains(unit) ? "enabled" : "disabled");
        values.put("MainPID", Long.toString(is.main().number()));
        values.put("NRestarts", Integer.toString(is.restarts()));
        values.put("InvocationID", is.invocation());
        values.put("ControlGroup", aliveProcesses(is).isEmpty() ? "" : controlGroup(unit));
        values.put("KillSignal", "15");
        if (is.killed()) {
            values.put("ExecMainCode", "2");
            values.put("ExecMainStatus", "9");
        }
        return new UnitProperties(values);
    }

    /** What systemd does by itself when a main process has ended. */
    private SimulatedUnitState superviseAndGet(UnitName unit) {
        SimulatedUnitState is = running.getOrDefault(unit, SimulatedUnitState.NEVER);
        if (is.active().equals("active") && !processes.isAlive(is.main())) {
            LoadedUnitFile file = loaded.get(unit);
            boolean again = file != null && file.option("Restart", "no").equals("always");
            running.put(unit, is.asEnded("failed"));
            if (again && is.restarts() < START_LIMIT) {
                spawn(unit, is.restarts() + 1);
            }
        }
        return running.getOrDefault(unit, SimulatedUnitState.NEVER);
    }

    @Override
    public synchronized void start(UnitName unit, Deadline deadline) {
        requireResponsive();
        startIfAllowed(unit);
    }

    private void startIfAllowed(UnitName unit) {
        LoadedUnitFile file = loaded.get(unit);
        boolean forbidden =
                file != null && file.gated() && disk.kind(gateFile(unit)) == Disk.EntryKind.FILE;
        if (file != null && !forbidden && !superviseAndGet(unit).active().equals("active")) {
            spawn(unit, 0);
        }
    }

    private void spawn(UnitName unit, int restarts) {
        LoadedUnitFile file = loaded.get(unit);
        if (file == null) {
            return;
        }
        SimulatedUnitState before = running.getOrDefault(unit, SimulatedUnitState.NEVER);
        String invocation = "invocation-" + ++invocations;
        List<Pid> all = new ArrayList<>(aliveProcesses(before));
        try {
            Pid main = processes.spawn(toLaunchRequest(unit, file, invocation));
            all.add(main);
            if (file.option("KillMode", "").equals("process")) {
                all.add(processes.spawn(toLaunchRequest(unit, file, invocation)));
            }
            running.put(
                    unit, new SimulatedUnitState("active", main, all, invocation, restarts, false));
        } catch (Processes.SpawnFailed e) {
            running.put(unit, new SimulatedUnitState("failed", Pid.NONE, all, "", restarts, false));
        }
    }

    private static Processes.LaunchRequest toLaunchRequest(
            UnitName unit, LoadedUnitFile file, String invocation) {
        Path program = Path.of(file.option("ExecStart", "/"));
        return new Processes.LaunchRequest(
                program,
                List.of(program.toString()),
                Map.of(UNIT_FILE, file.digest()),
                Path.of("/"),
                Path.of("/dev/null"),
                unit + ":" + invocation);
    }

    @Override
    public synchronized void stop(UnitName unit, Deadline deadline) {
        requireResponsive();
        SimulatedUnitState is = superviseAndGet(unit);
        if (!is.active().equals("active") || stopsDenied) {
            return;
        }
        awaitStop(unit, deadline);
        processes.terminate(is.main(), StopSignal.TERM);
        if (processes.isAlive(is.main())) {
            running.put(unit, is.withActive("deactivating"));
            throw new SystemdCallFailed("systemctl stop did not end in time");
        }
        running.put(unit, is.asEnded("inactive"));
    }

    private void awaitStop(UnitName unit, Deadline deadline) {
        LoadedUnitFile file = loaded.get(unit);
        String seconds = file == null ? "0" : file.option(STOP_SECONDS, "0");
        Duration needed = Duration.ofSeconds(Long.parseLong(seconds));
        if (needed.compareTo(deadline.left()) > 0) {
            deadline.ticker().pause(deadline.left());
            throw new SystemdCallFailed("systemctl stop did not end in time");
        }
        deadline.ticker().pause(needed);
    }

    @Override
    public synchronized void kill(UnitName unit) {
        requireResponsive();
        if (stopsDenied) {
            return;
        }
        SimulatedUnitState is = running.getOrDefault(unit, SimulatedUnitState.NEVER);
        aliveProcesses(is).forEach(processes::kill);
        boolean stopping = is.active().equals("active") || is.active().equals("deactivating");
        if (stopping && aliveProcesses(is).isEmpty()) {
            running.put(unit, is.asKilled());
        }
    }

    @Override
    public synchronized boolean isExecutableBy(String user, List<String> groups, Path file) {
        return !deniedUsers.contains(user);
    }

    /** From now on a user may execute no file. */
    public synchronized void denyExecution(String user) {
        deniedUsers.add(user);
    }

    @Override
    public synchronized void resetFailed(UnitName unit) {
        SimulatedUnitState is = running.getOrDefault(unit, SimulatedUnitState.NEVER);
        if (is.active().equals("failed")) {
            running.put(unit, new SimulatedUnitState("inactive", Pid.NONE, is.all(), "", 0, false));
        }
    }

    @Override
    public synchronized void reload(Deadline deadline) {
        requireResponsive();
        readUnitFiles();
    }

    @Override
    public synchronized List<Long> members(String controlGroup) {
        return running.entrySet().stream()
                .filter(entry -> controlGroup(entry.getKey()).equals(controlGroup))
                .flatMap(entry -> aliveProcesses(entry.getValue()).stream())
                .map(Pid::number)
                .toList();
    }

    @Override
    public String journalTail(UnitName unit, String invocation, int bytes) {
        return ""; // simulated programs say nothing
    }

    @Override
    public OptionalInt exitCodeIfNonZero(UnitName unit, String invocation) {
        return OptionalInt.empty();
    }

    private List<Pid> aliveProcesses(SimulatedUnitState is) {
        return is.all().stream().filter(processes::isAlive).toList();
    }

    private void requireResponsive() {
        if (unresponsive) {
            throw new SystemdCallFailed("systemd did not answer in time");
        }
    }

    private static String controlGroup(UnitName unit) {
        return "/system.slice/" + unit;
    }
}
