package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.ProcessRuntime;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
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

/** A node in memory, and the agents that come and go on it. */
public final class SimulatedNode {
    public static final Path ROOT = Path.of("/node");
    public static final Path STATE = Path.of("/state");
    public static final NodePath PROGRAM = new NodePath("/bin/app");
    public static final NodePath CONFIG = new NodePath("/etc/app.toml");
    public static final NodePath PEERS = new NodePath("/etc/peers.toml");
    static final BinaryName APP = new BinaryName("app");
    public static final String URL = "http://artifacts.example/app-2";
    public static final String OLD_URL = "http://artifacts.example/app-1";
    public static final byte[] OLD = bytes("old program");
    public static final byte[] NEW = bytes("new program, longer");
    public static final byte[] OLD_CONFIG = bytes("a = 1");
    public static final byte[] NEW_CONFIG = bytes("a = 2");
    public static final byte[] OLD_PEERS = bytes("p = 1");
    public static final byte[] NEW_PEERS = bytes("p = 2");
    private static final String ADDED = " # started";

    /** Attributes that an upgrade keeps, except the time, and a restore gives back (D11). */
    static final FileAttributes PROGRAM_ATTRIBUTES =
            new FileAttributes(
                    "rwxr-s---",
                    "root",
                    "app",
                    Map.of("security.capability", "0100000200"),
                    Instant.parse("2025-12-24T17:00:00.000000001Z"));

    static final FileAttributes CONFIG_ATTRIBUTES =
            new FileAttributes(
                    "rw-r-S---",
                    "root",
                    "app",
                    Map.of("user.note", "6e6f7465", "security.selinux", "6c6162656c"),
                    Instant.parse("2025-12-24T18:00:00.000000001Z"));

    static final FileAttributes PEERS_ATTRIBUTES =
            new FileAttributes(
                    "rw-rw-r--",
                    "app",
                    "peers",
                    Map.of(),
                    Instant.parse("2025-12-24T19:00:00.000000001Z"));

    public final AutoAdvancingTicker ticker;
    public final SimulatedDisk disk;
    public final SimulatedProcesses processes;
    public final List<String> violations = new ArrayList<>();

    /** Starts of the new program since the machine last lost power. */
    public final List<String> spawned;

    private SimulatedNode(
            SimulatedDisk disk,
            SimulatedProcesses processes,
            AutoAdvancingTicker ticker,
            List<String> spawned) {
        this.disk = disk;
        this.processes = processes;
        this.ticker = ticker;
        this.spawned = spawned;
        processes.addStartObserver(
                order -> {
                    Digest program = disk.digest(order.program());
                    String launch = String.valueOf(order.environment().get("LAUNCH"));
                    checkNotMixed(program, launch);
                    spawned.add(program.shortHex());
                    if (!processes.allProcesses().isEmpty()) {
                        violations.add("a second copy was started");
                    }
                    if (changesConfig) {
                        addToConfig();
                    }
                });
    }

    /** A node on which the old version runs. */
    public static SimulatedNode running(
            Map<Digest, SimulatedProcesses.ProgramBehavior> behaviours) {
        AutoAdvancingTicker ticker = new AutoAdvancingTicker();
        SimulatedDisk disk = new SimulatedDisk();
        SimulatedProcesses processes =
                new SimulatedProcesses(
                        disk,
                        ticker,
                        digest ->
                                behaviours.getOrDefault(
                                        digest, SimulatedProcesses.ProgramBehavior.RUNS));
        disk.putDurableFile(ROOT.resolve("bin/app"), OLD, PROGRAM_ATTRIBUTES);
        disk.putDurableFile(ROOT.resolve("etc/app.toml"), OLD_CONFIG, CONFIG_ATTRIBUTES);
        disk.putDurableFile(ROOT.resolve("etc/peers.toml"), OLD_PEERS, PEERS_ATTRIBUTES);
        disk.putDurableFile(STATE.resolve("keep"), OLD, FileAttributes.PRIVATE);
        SimulatedNode node = new SimulatedNode(disk, processes, ticker, new ArrayList<>());
        Agent agent = node.agent(0);
        agent.state.saveRecord(
                new NodeProfile(
                        List.of(new ProgramProfile(spec("old"), List.of(CONFIG, PEERS))),
                        List.of(new KnownVersion(Digest.of(OLD), "v1", ""))));
        agent.runtime.setDesiredRunning(spec("old"), Digest.of(OLD), oldConfigDigest());
        agent.boot();
        return node;
    }

    public static ProgramSpec spec(String launch) {
        return new ProgramSpec(
                APP,
                "simulated",
                new LaunchSpec(
                        PROGRAM,
                        "",
                        List.of(),
                        Map.of("LAUNCH", launch),
                        "",
                        ProgramDigestSource.EXE),
                List.of());
    }

    public static Digest oldConfigDigest() {
        return configDigest(OLD_CONFIG, OLD_PEERS, "old");
    }

    static Digest newConfigDigest() {
        return configDigest(NEW_CONFIG, NEW_PEERS, "new");
    }

    private static Digest configDigest(byte[] config, byte[] peers, String launch) {
        return ConfigDigest.of(
                Map.of(CONFIG, Digest.of(config), PEERS, Digest.of(peers)),
                spec(launch).launch().digest());
    }

    /** The upgrade to the new program, configuration and launch. */
    public static CommandWithContents upgrade(long attempt) {
        return upgrade(attempt, new Artifact(URL, Digest.of(NEW), NEW.length));
    }

    /** The same with the program left as it is. */
    static CommandWithContents configOnly(long attempt) {
        return upgrade(attempt, new Artifact(URL, Digest.of(OLD), OLD.length));
    }

    public static CommandWithContents upgrade(long attempt, Artifact artifact) {
        return upgrade(attempt, artifact, spec("new"));
    }

    /** The same to a program that may write these files. */
    public static CommandWithContents upgrade(long attempt, List<NodePath> programWritten) {
        return upgrade(
                attempt,
                new Artifact(URL, Digest.of(NEW), NEW.length),
                spec("new", programWritten));
    }

    /** The same with the program left as it is. */
    static CommandWithContents configOnly(long attempt, List<NodePath> programWritten) {
        return upgrade(
                attempt,
                new Artifact(URL, Digest.of(OLD), OLD.length),
                spec("new", programWritten));
    }

    static ProgramSpec spec(String launch, List<NodePath> programWritten) {
        ProgramSpec plain = spec(launch);
        return new ProgramSpec(
                plain.name(), plain.runtime(), plain.launch(), plain.probes(), programWritten);
    }

    private static CommandWithContents upgrade(long attempt, Artifact artifact, ProgramSpec spec) {
        Work work =
                new Work.Upgrade(
                        spec,
                        "v2",
                        artifact,
                        List.of(
                                new ConfigFile(CONFIG, Digest.of(NEW_CONFIG)),
                                new ConfigFile(PEERS, Digest.of(NEW_PEERS))),
                        Digest.of(OLD),
                        oldConfigDigest().value(),
                        newConfigDigest());
        return delivery(attempt, work);
    }

    /** The upgrade to the new program, which is stopped like this and has so much time for it. */
    static CommandWithContents upgrade(long attempt, StopSettings stop) {
        LaunchSpec plain = spec("new").launch();
        LaunchSpec launch =
                new LaunchSpec(
                        plain.path(),
                        plain.service(),
                        plain.arguments(),
                        plain.environment(),
                        plain.user(),
                        plain.identity(),
                        stop);
        Map<NodePath, Digest> files =
                Map.of(CONFIG, Digest.of(OLD_CONFIG), PEERS, Digest.of(OLD_PEERS));
        return delivery(
                attempt,
                new Work.Upgrade(
                        new ProgramSpec(APP, "simulated", launch, List.of()),
                        "v2",
                        new Artifact(URL, Digest.of(NEW), NEW.length),
                        List.of(),
                        Digest.of(OLD),
                        oldConfigDigest().value(),
                        ConfigDigest.of(files, launch.digest())),
                Duration.ofSeconds(550).plus(stop.timeBeyondDefault()));
    }

    /** Another program under the same configuration and launch. */
    public static CommandWithContents programOnly(long attempt) {
        return delivery(
                attempt,
                new Work.Upgrade(
                        spec("old"),
                        "v2",
                        new Artifact(URL, Digest.of(NEW), NEW.length),
                        List.of(),
                        Digest.of(OLD),
                        oldConfigDigest().value(),
                        oldConfigDigest()));
    }

    /** A restore that says where the program of before may be had. */
    public static CommandWithContents restoreByAddress(long attempt, long ofAttempt) {
        return delivery(
                attempt,
                new Work.Restore(
                        "app",
                        ofAttempt,
                        Digest.of(OLD),
                        oldConfigDigest(),
                        new Work.PreviousArtifactToReinstall(
                                new Artifact(OLD_URL, Digest.of(OLD), 0), "v1", Digest.of(NEW))));
    }

    public static CommandWithContents restore(long attempt, long ofAttempt) {
        return delivery(
                attempt, new Work.Restore("app", ofAttempt, Digest.of(OLD), oldConfigDigest()));
    }

    public static CommandWithContents delivery(long attempt, Work work) {
        return delivery(attempt, work, Duration.ofSeconds(550));
    }

    private static CommandWithContents delivery(long attempt, Work work, Duration budget) {
        return new CommandWithContents(
                new ParsedCommand(
                        "node-1",
                        "rollout-1",
                        attempt,
                        1,
                        Digest.of("body " + attempt).value(),
                        List.of(),
                        new ParsedCommand.WorkParseResult.Valid(work)),
                budget,
                Map.of(
                        Digest.of(NEW_CONFIG), NEW_CONFIG,
                        Digest.of(NEW_PEERS), NEW_PEERS));
    }

    /** An independent copy: what would be there if everything stopped now. */
    public SimulatedNode snapshot() {
        SimulatedDisk copy = disk.snapshot();
        return new SimulatedNode(copy, processes.snapshot(copy), ticker, new ArrayList<>(spawned));
    }

    /** The machine after it lost power, with just these of the pending writes kept. */
    public SimulatedNode afterPowerFailure(long kept) {
        SimulatedDisk left = disk.afterPowerFailure(kept);
        SimulatedProcesses none = processes.snapshot(left);
        none.reboot();
        return new SimulatedNode(left, none, ticker, new ArrayList<>());
    }

    /** What is on the node, agents' counters left aside. */
    public Digest fingerprint() {
        StringBuilder all = new StringBuilder();
        disk.fileDigests().forEach((path, digest) -> append(all, path, digest.value()));
        appendAttributes(all);
        return fingerprint(all.append(disk.pendingWriteCount()));
    }

    /**
     * The same for an agent that nothing stops any more. A temporary file that another left is to
     * it one more in that directory: the name was drawn by chance, and nobody looks into it ({@link
     * TemporaryFileGuardDisk}). What could still be lost is not lost.
     */
    Digest fingerprintForTheLast() {
        StringBuilder all = new StringBuilder();
        disk.fileDigests()
                .forEach(
                        (path, digest) -> {
                            boolean temporary = TemporaryFileGuardDisk.isTemporary(path);
                            append(
                                    all,
                                    TemporaryFileGuardDisk.place(path),
                                    temporary ? "" : digest.value());
                        });
        appendAttributes(all);
        return fingerprint(all);
    }

    private void appendAttributes(StringBuilder all) {
        for (NodePath path : List.of(PROGRAM, CONFIG, PEERS)) {
            if (disk.kind(inRoot(path)) != Disk.EntryKind.FILE) {
                continue; // its digest is missing, too
            }
            FileAttributes attributes = disk.attributes(inRoot(path));
            all.append(attributes).append(' ').append(attributes.modified()).append(' ');
        }
    }

    private static Path inRoot(NodePath path) {
        return ROOT.resolve(path.value().substring(1));
    }

    private static void append(StringBuilder all, String path, String content) {
        if (!path.endsWith("agent.json")) {
            all.append(path).append(' ').append(content).append(' ');
        }
    }

    private Digest fingerprint(StringBuilder all) {
        all.append(processes.bootId()).append(new TreeMap<>(strings(processes.allProcesses())));
        return Digest.of(all.append(spawned).toString());
    }

    private static Map<String, String> strings(Map<?, ?> map) {
        Map<String, String> strings = new TreeMap<>();
        map.forEach((key, value) -> strings.put(key.toString(), value.toString()));
        return strings;
    }

    /** D3: what is started is all old or all new. */
    private void checkNotMixed(Digest program, String launch) {
        Digest config = writtenDigest("etc/app.toml");
        Digest peers = disk.digest(ROOT.resolve("etc/peers.toml"));
        boolean oldConfig =
                config.equals(Digest.of(OLD_CONFIG))
                        && peers.equals(Digest.of(OLD_PEERS))
                        && launch.equals("old");
        boolean newConfig =
                config.equals(Digest.of(NEW_CONFIG))
                        && peers.equals(Digest.of(NEW_PEERS))
                        && launch.equals("new");
        boolean oldProgram = program.equals(Digest.of(OLD));
        if (!(oldProgram && oldConfig) && !(newConfig && program.equals(newProgram()))) {
            violations.add("mixed: " + program.shortHex() + " " + config.shortHex() + " " + launch);
        }
    }

    private Digest newProgram() {
        return configOnly ? Digest.of(OLD) : Digest.of(NEW);
    }

    boolean configOnly;

    /** Whether programs add to their configuration file at each start (B15). */
    boolean changesConfig;

    private void addToConfig() {
        Path config = ROOT.resolve("etc/app.toml");
        String longer = text(disk.readAll(config)) + ADDED;
        disk.putDurableFile(config, bytes(longer), disk.attributes(config).withoutTime());
    }

    /** The digest of a file as Drover wrote it, without what programs added. */
    private Digest writtenDigest(String file) {
        String content = text(disk.readAll(ROOT.resolve(file)));
        return Digest.of(changesConfig ? content.replace(ADDED, "") : content);
    }

    /** D1 D11: every file is old or new, never anything else, with its attributes. */
    void checkWhole() {
        requireOneOf("bin/app", OLD, NEW);
        requireOneOf("etc/app.toml", OLD_CONFIG, NEW_CONFIG);
        requireOneOf("etc/peers.toml", OLD_PEERS, NEW_PEERS);
        if (!hasAttributes()) {
            violations.add("attributes were lost");
        }
    }

    /**
     * D11: whether each file has its attributes; one with the old content has its old time, too.
     */
    private boolean hasAttributes() {
        return hasAttributes(PROGRAM, OLD, PROGRAM_ATTRIBUTES)
                && hasAttributes(CONFIG, OLD_CONFIG, CONFIG_ATTRIBUTES)
                && hasAttributes(PEERS, OLD_PEERS, PEERS_ATTRIBUTES);
    }

    private boolean hasAttributes(NodePath path, byte[] old, FileAttributes before) {
        Digest content = disk.digest(inRoot(path));
        return disk.attributes(inRoot(path))
                .equals(content.equals(Digest.of(old)) ? before : before.withoutTime());
    }

    private void requireOneOf(String file, byte[] first, byte[] second) {
        Digest found = writtenDigest(file);
        if (!found.equals(Digest.of(first)) && !found.equals(Digest.of(second))) {
            violations.add(file + " is neither old nor new");
        }
    }

    /** Whether all of the node is as named, and runs so. */
    public boolean isAll(byte[] program, byte[] config, byte[] peers, String launch) {
        NodeProfile profile = agent(9).state.loadProfile();
        ProgramProfile app = profile.findProgram("app");
        return disk.digest(ROOT.resolve("bin/app")).equals(Digest.of(program))
                && writtenDigest("etc/app.toml").equals(Digest.of(config))
                && disk.digest(ROOT.resolve("etc/peers.toml")).equals(Digest.of(peers))
                && app != null
                && launch.equals(app.spec().launch().environment().get("LAUNCH"))
                && List.copyOf(processes.allProcesses().values())
                        .equals(List.of(Digest.of(program)));
    }

    /** A new agent process on this node. */
    public Agent agent(int number) {
        return new Agent(number);
    }

    /** An agent as it is started, and started again. */
    public final class Agent {
        public final StateDirectory state;
        public final ProcessRuntime runtime;
        public final CommandProcessor processor;
        public final StatusSlot slot;

        Agent(int number) {
            TemporaryFileGuardDisk own = new TemporaryFileGuardDisk(disk, violations);
            state = new StateDirectory(STATE, new DurableFiles(own, new Random(number)));
            runtime =
                    new ProcessRuntime(
                            "simulated",
                            new RuntimeContext(
                                    state,
                                    ROOT,
                                    new SimulatedFetcher(Map.of(URL, NEW, OLD_URL, OLD)),
                                    processes,
                                    ticker,
                                    Duration.ofSeconds(1)));
            slot = new StatusSlot(ticker, () -> {});
            processor = new CommandProcessor(state, runtime, ticker, slot, true);
        }

        /** What an agent does when it is started. */
        public Agent boot() {
            processor.startIncarnation();
            processor.recoverOpenAttempt();
            runtime.supervise(
                    state.loadProfile().programs().stream().map(ProgramProfile::spec).toList());
            return this;
        }

        public @Nullable Journal journal(long attempt) {
            return new JournalStore(state).loadJournal(attempt);
        }
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
