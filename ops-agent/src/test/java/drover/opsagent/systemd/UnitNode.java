package drover.opsagent.systemd;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.adopt.ProgramAdopter;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AutoAdvancingTicker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A machine under a simulated systemd, and the agents that come and go on it. */
final class UnitNode {
    static final UnitName UNIT = new UnitName("app.service");
    static final BinaryName APP = new BinaryName("app");
    static final NodePath PROGRAM = new NodePath("/usr/bin/app");
    static final NodePath CONFIG = new NodePath("/etc/app.toml");
    static final NodePath UNIT_FILE = new NodePath("/etc/systemd/system/app.service");
    static final Path GATE = Path.of("/etc/systemd/system/app.service.d/zz-drover-gate.conf");
    static final byte[] OLD = bytes("old program");
    static final byte[] NEW = bytes("new program, longer");
    static final byte[] OLD_CONFIG = bytes("a = 1");
    static final byte[] NEW_CONFIG = bytes("a = 2");
    static final String OLD_UNIT = "ExecStart=/usr/bin/app\nRestart=always\n";
    static final String NEW_UNIT = OLD_UNIT + "LimitNOFILE=65536\n";

    /** An upgrade keeps attributes, except the time, and a restore gives them back (D11). */
    static final FileAttributes PROGRAM_ATTRIBUTES =
            new FileAttributes(
                    "rwxr-s---",
                    "root",
                    "app",
                    Map.of("security.capability", "0100000200"),
                    Instant.parse("2025-12-24T17:00:00.000000001Z"));

    static final FileAttributes CONFIG_ATTRIBUTES =
            new FileAttributes(
                    "rw-r-----",
                    "root",
                    "app",
                    Map.of("user.note", "6e6f7465"),
                    Instant.parse("2025-12-24T18:00:00.000000001Z"));

    static final FileAttributes UNIT_ATTRIBUTES =
            new FileAttributes(
                    "rw-r--r--",
                    "root",
                    "root",
                    Map.of("security.selinux", "6c6162656c"),
                    Instant.parse("2025-12-24T19:00:00.000000001Z"));

    private static final String URL = "http://artifacts.example/app-2";
    static final Path STATE = Path.of("/var/lib/drover-agent");

    final AutoAdvancingTicker ticker;
    final SimulatedDisk disk;
    final SimulatedProcesses processes;
    final SimulatedUnits units;
    final Map<String, String> settings = new TreeMap<>();
    final List<String> violations = new ArrayList<>();

    /** Starts of each program, by its brief digest. */
    final List<String> spawned;

    private UnitNode(
            AutoAdvancingTicker ticker,
            SimulatedDisk disk,
            SimulatedProcesses processes,
            SimulatedUnits units,
            List<String> spawned) {
        this.ticker = ticker;
        this.disk = disk;
        this.processes = processes;
        this.units = units;
        this.spawned = spawned;
        processes.addStartObserver(
                order -> {
                    checkNotMixed(order.environment().getOrDefault(SimulatedUnits.UNIT_FILE, ""));
                    spawned.add(disk.digest(order.program()).shortHex());
                    if (!processes.allProcesses().isEmpty()) {
                        violations.add("a second copy was started");
                    }
                });
    }

    /** A machine that has come up with the old version. */
    static UnitNode running() {
        return running(Map.of(), OLD_UNIT);
    }

    static UnitNode running(Map<Digest, ProgramBehavior> behaviours, String unitFile) {
        UnitNode node = found(behaviours, unitFile);
        Agent agent = node.agent(0);
        agent.adopter.recordAndAdopt(agent.adopter.inspect(request("v1")));
        return node;
    }

    /** The same, with a program that no agent has taken over. */
    static UnitNode found(Map<Digest, ProgramBehavior> behaviours, String unitFile) {
        AutoAdvancingTicker ticker = new AutoAdvancingTicker();
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(Path.of(PROGRAM.value()), OLD, PROGRAM_ATTRIBUTES);
        disk.putDurableFile(Path.of(CONFIG.value()), OLD_CONFIG, CONFIG_ATTRIBUTES);
        disk.putDurableFile(Path.of(UNIT_FILE.value()), bytes(unitFile), UNIT_ATTRIBUTES);
        disk.putDurableFile(STATE.resolve("keep"), OLD, FileAttributes.PRIVATE);
        SimulatedProcesses processes =
                new SimulatedProcesses(
                        disk,
                        ticker,
                        digest -> behaviours.getOrDefault(digest, ProgramBehavior.RUNS));
        SimulatedUnits units = new SimulatedUnits(disk, processes);
        UnitNode node = new UnitNode(ticker, disk, processes, units, new ArrayList<>());
        units.enable(UNIT);
        units.boot();
        return node;
    }

    /** To take the program over, as a version of this name. */
    static AdoptionRequest request(String version) {
        ProgramProfile program = new ProgramProfile(spec(), List.of(CONFIG, UNIT_FILE));
        return new AdoptionRequest(program, version, "", List.of());
    }

    static ProgramSpec spec() {
        return spec(UNIT.value());
    }

    static ProgramSpec spec(String service) {
        return new ProgramSpec(
                APP,
                "systemd",
                new LaunchSpec(PROGRAM, service, List.of(), Map.of(), "", ProgramDigestSource.EXE),
                List.of());
    }

    static Digest oldConfigDigest() {
        return configDigest(OLD_CONFIG, OLD_UNIT);
    }

    static Digest newConfigDigest() {
        return configDigest(NEW_CONFIG, NEW_UNIT);
    }

    private static Digest configDigest(byte[] config, String unit) {
        return ConfigDigest.of(
                Map.of(CONFIG, Digest.of(config), UNIT_FILE, Digest.of(unit)),
                spec().launch().digest());
    }

    /** The upgrade to the new program, configuration and unit file. */
    static CommandWithContents upgrade(long attempt) {
        return upgrade(attempt, spec());
    }

    static CommandWithContents upgrade(long attempt, ProgramSpec spec) {
        return delivery(
                attempt,
                new Work.Upgrade(
                        spec,
                        "v2",
                        new Artifact(URL, Digest.of(NEW), NEW.length),
                        List.of(
                                new ConfigFile(CONFIG, Digest.of(NEW_CONFIG)),
                                new ConfigFile(UNIT_FILE, Digest.of(NEW_UNIT))),
                        Digest.of(OLD),
                        oldConfigDigest().value(),
                        newConfigDigest()));
    }

    static CommandWithContents restore(long attempt, long of) {
        return delivery(attempt, new Work.Restore("app", of, Digest.of(OLD), oldConfigDigest()));
    }

    static CommandWithContents clear(long attempt) {
        return delivery(attempt, new Work.ClearFailure("repaired by hand"));
    }

    private static CommandWithContents delivery(long attempt, Work work) {
        return new CommandWithContents(
                new ParsedCommand(
                        "node-1",
                        "rollout-1",
                        attempt,
                        1,
                        Digest.of("body " + attempt).value(),
                        List.of(),
                        new ParsedCommand.WorkParseResult.Valid(work)),
                Duration.ofSeconds(550),
                Map.of(Digest.of(NEW_CONFIG), NEW_CONFIG, Digest.of(NEW_UNIT), bytes(NEW_UNIT)));
    }

    UnitNode snapshot() {
        SimulatedDisk copy = disk.snapshot();
        SimulatedProcesses others = processes.snapshot(copy);
        return new UnitNode(
                ticker, copy, others, units.snapshot(copy, others), new ArrayList<>(spawned));
    }

    /** The machine after it lost power and came up again, before any agent is started on it. */
    UnitNode afterPowerFailure(long kept) {
        SimulatedDisk left = disk.afterPowerFailure(kept);
        SimulatedProcesses none = processes.snapshot(left);
        none.reboot();
        SimulatedUnits others = units.snapshot(left, none);
        UnitNode node = new UnitNode(ticker, left, none, others, new ArrayList<>());
        others.boot();
        return node;
    }

    /** D3 D12: what is started is all old or all new, whoever starts it. */
    private void checkNotMixed(String loadedUnit) {
        String program = disk.digest(Path.of(PROGRAM.value())).value();
        String config = disk.digest(Path.of(CONFIG.value())).value();
        String unit = disk.digest(Path.of(UNIT_FILE.value())).value();
        String found = program + config + unit + loadedUnit;
        if (!found.equals(whole(OLD, OLD_CONFIG, OLD_UNIT))
                && !found.equals(whole(NEW, NEW_CONFIG, NEW_UNIT))) {
            violations.add("a mixed version was started");
        }
    }

    private static String whole(byte[] program, byte[] config, String unit) {
        String unitDigest = Digest.of(unit).value();
        return Digest.of(program).value() + Digest.of(config).value() + unitDigest + unitDigest;
    }

    /** Files with their modes, and how the unit stands; what the agent keeps for itself apart. */
    String fingerprint() {
        StringBuilder all = new StringBuilder();
        disk.fileDigests()
                .forEach(
                        (path, digest) -> {
                            if (!path.startsWith(STATE.toString())) {
                                all.append(path).append(' ').append(digest).append(' ');
                                FileAttributes attributes = disk.attributes(Path.of(path));
                                all.append(attributes).append(' ');
                                all.append(attributes.modified()).append('\n');
                            }
                        });
        all.append(units.readProperties(UNIT).values().get("ActiveState")).append('\n');
        all.append(processes.allProcesses().values().stream().map(Digest::shortHex).toList());
        return all.toString();
    }

    /** Everything that what follows could depend on. */
    String whole() {
        StringBuilder all = new StringBuilder(fingerprint());
        disk.fileDigests().forEach((path, digest) -> all.append(path).append(digest));
        return all.append(disk.pendingWriteCount()).append(spawned).toString();
    }

    boolean isOld() {
        return is(OLD, OLD_CONFIG, OLD_UNIT);
    }

    boolean isNew() {
        return is(NEW, NEW_CONFIG, NEW_UNIT);
    }

    /** D11: whether each file has its attributes; one with the old content has its time, too. */
    boolean hasAttributes() {
        return hasAttributes(PROGRAM, OLD, PROGRAM_ATTRIBUTES)
                && hasAttributes(CONFIG, OLD_CONFIG, CONFIG_ATTRIBUTES)
                && hasAttributes(UNIT_FILE, bytes(OLD_UNIT), UNIT_ATTRIBUTES);
    }

    private boolean hasAttributes(NodePath path, byte[] old, FileAttributes before) {
        Path file = Path.of(path.value());
        boolean isOld = disk.digest(file).equals(Digest.of(old));
        return disk.attributes(file).equals(isOld ? before : before.withoutTime());
    }

    private boolean is(byte[] program, byte[] config, String unit) {
        return disk.digest(Path.of(PROGRAM.value())).equals(Digest.of(program))
                && disk.digest(Path.of(CONFIG.value())).equals(Digest.of(config))
                && disk.digest(Path.of(UNIT_FILE.value())).equals(Digest.of(unit))
                && List.copyOf(processes.allProcesses().values())
                        .equals(List.of(Digest.of(program)));
    }

    Agent agent(int number) {
        return new Agent(number);
    }

    /** An agent as it is started, and started again. */
    final class Agent {
        final StateDirectory state;
        final SystemdRuntime runtime;
        final ProgramAdopter adopter;
        final CommandProcessor processor;
        final StatusSlot slot;

        Agent(int number) {
            state = new StateDirectory(STATE, new DurableFiles(disk, new Random(number)));
            runtime =
                    new SystemdRuntime(
                            new RuntimeContext(
                                    state,
                                    Path.of("/"),
                                    new SimulatedFetcher(Map.of(URL, NEW)),
                                    processes,
                                    ticker,
                                    Duration.ofSeconds(1),
                                    settings,
                                    LocalPolicy.WHOLE_ROOT),
                            units);
            adopter = new ProgramAdopter(state, runtime);
            slot = new StatusSlot(ticker, () -> {});
            processor = new CommandProcessor(state, runtime, ticker, slot, true);
        }

        Agent boot() {
            processor.startIncarnation();
            processor.recoverOpenAttempt();
            supervise();
            return this;
        }

        void supervise() {
            runtime.supervise(List.of(spec()));
        }

        ProgramState status() {
            return runtime.status(APP);
        }

        @Nullable Journal journal(long attempt) {
            return new JournalStore(state).loadJournal(attempt);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
