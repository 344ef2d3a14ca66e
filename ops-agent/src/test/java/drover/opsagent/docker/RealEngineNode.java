package drover.opsagent.docker;

import drover.model.AttemptOutcome;
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
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.DockerEngine;
import drover.opsagent.docker.engine.EngineHttpClient;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** An agent's desk over a real engine and real files, for the container {@code app}. */
final class RealEngineNode {
    static final NodePath CONFIG = new NodePath("/etc/app/app.toml");
    static final BinaryName APP = new BinaryName("app");

    final StateDirectory state;
    final SystemTicker ticker = new SystemTicker();
    final ContainerEngine engine;
    final DockerRuntime runtime;
    final CommandProcessor processor;
    private final Path directory;

    /**
     * A node in a directory: {@code state} is the agent's, {@code etc} is what the container sees.
     *
     * @param reported told of each status
     */
    RealEngineNode(
            Path directory,
            Path socket,
            UnaryOperator<ContainerEngine> engines,
            Consumer<Journal> reported) {
        this.directory = directory;
        state =
                new StateDirectory(
                        directory.resolve("state"),
                        new DurableFiles(new LocalDisk(), new SecureRandom()));
        DockerAccessSettings settings =
                DockerAccessSettings.of(Map.of("socket", socket.toString()));
        engine =
                engines.apply(
                        new DockerEngine(
                                new EngineHttpClient(settings.socket()), settings.logins()));
        runtime =
                new DockerRuntime(
                        "docker",
                        new RuntimeContext(
                                state,
                                directory,
                                new SimulatedFetcher(Map.of()),
                                new LinuxProcesses(ticker),
                                ticker,
                                Duration.ofMillis(400)),
                        engine,
                        settings);
        StatusSlot[] slot = new StatusSlot[1];
        slot[0] =
                new StatusSlot(
                        ticker,
                        () -> {
                            var status = slot[0].currentStatus();
                            if (status != null) {
                                reported.accept(status.journal());
                            }
                        });
        processor = new CommandProcessor(state, runtime, ticker, slot[0], true);
    }

    static RealEngineNode of(RealEngine engine, Path directory) {
        return new RealEngineNode(directory, engine.socket(), it -> it, _ -> {});
    }

    /** Makes the node known to its agents. */
    RealEngineNode adopt() {
        ProgramAdopter adopter = new ProgramAdopter(state, runtime);
        adopter.recordAndAdopt(adopter.inspect(request("v1")));
        return this;
    }

    static AdoptionRequest request(String version) {
        ProgramProfile program = new ProgramProfile(spec(Map.of()), List.of(CONFIG));
        return new AdoptionRequest(program, version, "", List.of());
    }

    /** What an agent does when it is started. */
    RealEngineNode boot() {
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

    AttemptOutcome outcome(long attempt) {
        return journal(attempt).ending().outcome();
    }

    String config() throws IOException {
        return Files.readString(directory.resolve("etc/app.toml"));
    }

    static ProgramSpec spec(Map<String, String> environment) {
        return new ProgramSpec(
                APP,
                "docker",
                new LaunchSpec(
                        new NodePath("/bin/sh"),
                        "app",
                        List.of(),
                        environment,
                        "",
                        ProgramDigestSource.EXE),
                List.of());
    }

    /** An upgrade from one image to another, with this content of the configuration. */
    static CommandWithContents upgrade(
            long attempt, String from, String to, String config, Map<String, String> environment) {
        ProgramSpec spec = spec(environment);
        Digest content = Digest.of(config);
        return delivery(
                attempt,
                new Work.Upgrade(
                        spec,
                        to,
                        new Artifact(to, digest(to), 0),
                        List.of(new ConfigFile(CONFIG, content)),
                        digest(from),
                        "",
                        ConfigDigest.of(Map.of(CONFIG, content), spec.launch().digest())),
                Map.of(content, config.getBytes(StandardCharsets.UTF_8)));
    }

    static CommandWithContents restore(long attempt, long of, String image, String config) {
        return delivery(
                attempt,
                new Work.Restore(
                        "app",
                        of,
                        digest(image),
                        ConfigDigest.of(
                                Map.of(CONFIG, Digest.of(config)),
                                spec(Map.of()).launch().digest())),
                Map.of());
    }

    private static Digest digest(String pinned) {
        return ImageDigests.findPinned(pinned).orElseThrow();
    }

    private static CommandWithContents delivery(
            long attempt, Work work, Map<Digest, byte[]> contents) {
        return new CommandWithContents(
                new ParsedCommand(
                        "node-1",
                        "rollout-1",
                        attempt,
                        1,
                        Digest.of("body " + attempt).value(),
                        List.of(),
                        new ParsedCommand.WorkParseResult.Valid(work)),
                Duration.ofMinutes(5),
                contents);
    }
}
