package drover.opsagent.docker;

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
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.recreate.SpecifiedLaunchFieldsLabel;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.SimulatedProcesses;
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
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A node in memory with one container, and the agents that come and go on it. */
public final class DockerNode {
    static final Path STATE = Path.of("/state");
    static final NodePath CONFIG = new NodePath("/etc/app/app.toml");
    static final BinaryName APP = new BinaryName("app");
    static final String OLD = "registry.test/app@" + Digest.of("old image").value();
    static final String NEW = "registry.test/app@" + Digest.of("new image").value();
    static final Digest OLD_DIGEST = Digest.of("old image");
    static final Digest NEW_DIGEST = Digest.of("new image");
    static final byte[] OLD_CONFIG = bytes("a = 1");
    static final byte[] NEW_CONFIG = bytes("a = 2");

    /** An upgrade keeps them, except the time, and a restore gives them back (D11). */
    static final FileAttributes CONFIG_ATTRIBUTES =
            new FileAttributes(
                    "rw-r-----",
                    "root",
                    "app",
                    Map.of("user.note", "6e6f7465"),
                    Instant.parse("2025-12-24T18:00:00.000000001Z"));

    private static final Path CONFIG_ON_HOST = Path.of("/srv/app/app.toml");

    final AutoAdvancingTicker ticker; // of the engine, too
    final SimulatedDisk disk;
    final SimulatedEngine engine;
    final List<String> violations = new ArrayList<>();
    LaunchSpec launchAfter = launch(Map.of("LEVEL", "new"));
    byte[] configAfter = NEW_CONFIG;
    String imageAfter = NEW;
    List<NodePath> programWrittenAfter = List.of();

    private DockerNode(AutoAdvancingTicker ticker, SimulatedDisk disk, SimulatedEngine engine) {
        this.ticker = ticker;
        this.disk = disk;
        this.engine = engine;
        engine.setStartObserver(this::checkNotMixed);
    }

    /** A node on which a container of the old image runs. */
    static DockerNode running(ProgramBehavior ofNew) {
        DockerNode node = found(ofNew);
        Agent agent = node.agent(0);
        agent.adopter.recordAndAdopt(agent.adopter.inspect(request("v1")));
        agent.boot();
        return node;
    }

    /** The same, with a container that no agent has taken over. */
    static DockerNode found(ProgramBehavior ofNew) {
        AutoAdvancingTicker ticker = new AutoAdvancingTicker();
        SimulatedEngine engine = new SimulatedEngine(ticker);
        engine.pushImage(
                OLD,
                json("{'Cmd': ['/app', '--old'], 'Env': ['PATH=/bin'], 'Volumes': {'/data': {}}}"),
                ProgramBehavior.RUNS);
        engine.pushImage(
                NEW,
                json("{'Cmd': ['/app', '--new'], 'Env': ['PATH=/bin'], 'Volumes': {'/data': {}}}"),
                ofNew);
        engine.pull(OLD, ticker.deadlineIn(Duration.ofSeconds(1)), _ -> {});
        ObjectNode body =
                json(
                        """
                        {'Image': '%s', 'Env': ['OWN=1'], 'Labels': {'team': 'a'},
                         'HostConfig': {'Binds': ['/srv/app:/etc/app'],
                            'NetworkMode': 'front', 'ShmSize': 64,
                            'RestartPolicy': {'Name': 'always', 'MaximumRetryCount': 0}},
                         'NetworkingConfig': {'EndpointsConfig': {'front':
                            {'Aliases': ['app'], 'IPAMConfig': {'IPv4Address': '10.0.0.9'}}}}}
                        """
                                .formatted(OLD));
        String id = engine.create("app", body);
        engine.connectToNetwork("back", id, json("{'Aliases': ['store']}"));
        engine.start(id);
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(CONFIG_ON_HOST, OLD_CONFIG, CONFIG_ATTRIBUTES);
        disk.putDurableFile(STATE.resolve("keep"), OLD_CONFIG, FileAttributes.PRIVATE);
        return new DockerNode(ticker, disk, engine);
    }

    /** To take the container over, as a version of this name. */
    static AdoptionRequest request(String version) {
        return request(version, launch(Map.of()));
    }

    static AdoptionRequest request(String version, LaunchSpec launch) {
        ProgramProfile program = new ProgramProfile(spec(launch), List.of(CONFIG));
        return new AdoptionRequest(program, version, "", List.of());
    }

    static ProgramSpec spec(LaunchSpec launch) {
        return new ProgramSpec(APP, "docker", launch, List.of());
    }

    static LaunchSpec launch(Map<String, String> environment) {
        return new LaunchSpec(
                new NodePath("/app"), "app", List.of(), environment, "", ProgramDigestSource.EXE);
    }

    static Digest configDigest(byte[] config, LaunchSpec launch) {
        return ConfigDigest.of(Map.of(CONFIG, Digest.of(config)), launch.digest());
    }

    static Digest digestOf(String pinned) {
        return ImageDigests.findPinned(pinned).orElseThrow();
    }

    /** The upgrade to what comes after. */
    CommandWithContents upgrade(long attempt) {
        return delivery(
                attempt,
                new Work.Upgrade(
                        new ProgramSpec(APP, "docker", launchAfter, List.of(), programWrittenAfter),
                        "v2",
                        new Artifact(imageAfter, digestOf(imageAfter), 0),
                        List.of(new ConfigFile(CONFIG, Digest.of(configAfter))),
                        OLD_DIGEST,
                        "",
                        configDigest(configAfter, launchAfter)));
    }

    static CommandWithContents restore(long attempt, long of) {
        return delivery(
                attempt,
                new Work.Restore(
                        "app", of, OLD_DIGEST, configDigest(OLD_CONFIG, launch(Map.of()))));
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
                Map.of(Digest.of(NEW_CONFIG), NEW_CONFIG, Digest.of(OLD_CONFIG), OLD_CONFIG));
    }

    /** An independent copy: what would be there if the agent stopped now. */
    DockerNode snapshot() {
        return sameAfter(new DockerNode(ticker, disk.snapshot(), engine.snapshot()));
    }

    /** The machine after it lost power, with just these of the pending writes kept. */
    DockerNode afterPowerFailure(long kept) {
        DockerNode left =
                sameAfter(new DockerNode(ticker, disk.afterPowerFailure(kept), engine.snapshot()));
        left.engine.restartEngine();
        return left;
    }

    private DockerNode sameAfter(DockerNode copy) {
        copy.launchAfter = launchAfter;
        copy.configAfter = configAfter;
        copy.imageAfter = imageAfter;
        copy.programWrittenAfter = programWrittenAfter;
        return copy;
    }

    /** D3: what is started is all old or all new, whoever starts it. */
    private void checkNotMixed(Container container) {
        byte[] config = disk.readAll(CONFIG_ON_HOST);
        boolean old =
                container.imageName().equals(OLD)
                        && Digest.of(config).equals(Digest.of(OLD_CONFIG))
                        && !container.json().toString().contains("LEVEL");
        boolean young =
                container.imageName().equals(imageAfter)
                        && Digest.of(config).equals(Digest.of(configAfter))
                        && SpecifiedLaunchFieldsLabel.matches(container, launchAfter);
        if (!old && !young) {
            violations.add("mixed: " + container.imageName() + " " + text(config));
        }
    }

    Container app() {
        return engine.findContainer("app").orElseThrow();
    }

    /** Whether the first container is back as it was, alone, and runs. */
    boolean isOld() {
        return isRunningAs(OLD, OLD_CONFIG) && engine.allContainers().size() == 1;
    }

    boolean isNew() {
        return isRunningAs(imageAfter, configAfter)
                && SpecifiedLaunchFieldsLabel.matches(app(), launchAfter);
    }

    private boolean isRunningAs(String image, byte[] config) {
        List<Container> active =
                engine.allContainers().stream().filter(Container::isRunningOrRestarting).toList();
        return active.size() == 1
                && active.getFirst().name().equals("app")
                && active.getFirst().imageName().equals(image)
                && active.getFirst().restartPolicy().name().equals("always")
                && Digest.of(disk.readAll(CONFIG_ON_HOST)).equals(Digest.of(config))
                && disk.attributes(CONFIG_ON_HOST).equals(expectedAttributes(config));
    }

    private static FileAttributes expectedAttributes(byte[] config) {
        return Digest.of(config).equals(Digest.of(OLD_CONFIG))
                ? CONFIG_ATTRIBUTES
                : CONFIG_ATTRIBUTES.withoutTime();
    }

    Digest fingerprint() {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(disk.fileDigests())
                .forEach(
                        (path, digest) -> {
                            if (!path.endsWith("agent.json")) {
                                all.append(path).append(' ').append(digest).append(' ');
                            }
                        });
        FileAttributes attributes = disk.attributes(CONFIG_ON_HOST);
        all.append(attributes).append(' ').append(attributes.modified());
        engine.allContainers().forEach(it -> all.append(it.json()));
        return Digest.of(all.append(disk.pendingWriteCount()).toString());
    }

    /** A new agent process on this node. */
    Agent agent(int number) {
        return new Agent(number);
    }

    /** An agent as it is started, and started again. */
    final class Agent {
        final StateDirectory state;
        final DockerRuntime runtime;
        final ProgramAdopter adopter;
        final StatusSlot slot = new StatusSlot(ticker, () -> {});
        final CommandProcessor processor;

        Agent(int number) {
            state = new StateDirectory(STATE, new DurableFiles(disk, new Random(number)));
            runtime = runtime(Map.of());
            adopter = new ProgramAdopter(state, runtime);
            processor = new CommandProcessor(state, runtime, ticker, slot, true);
        }

        DockerRuntime runtime(Map<String, String> settings) {
            return new DockerRuntime(
                    "docker",
                    new RuntimeContext(
                            state,
                            Path.of("/"),
                            new SimulatedFetcher(Map.of()),
                            new SimulatedProcesses(
                                    disk, ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS),
                            ticker,
                            Duration.ofSeconds(1)),
                    engine,
                    DockerAccessSettings.of(settings));
        }

        /** What an agent does when it is started. */
        Agent boot() {
            processor.startIncarnation();
            processor.recoverOpenAttempt();
            supervise();
            return this;
        }

        void supervise() {
            runtime.supervise(
                    state.loadProfile().programs().stream().map(ProgramProfile::spec).toList());
        }

        Journal journal(long attempt) {
            return Objects.requireNonNull(new JournalStore(state).loadJournal(attempt));
        }
    }

    public static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.builder().build().readTree(text.replace('\'', '"'));
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
