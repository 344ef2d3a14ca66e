package drover.opsagent.docker;

import drover.model.ActionName;
import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.ProgramSpec;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Checks;
import drover.opsagent.runtime.Discovered;
import drover.opsagent.runtime.FileRuntime;
import drover.opsagent.runtime.PlannedUpgrade;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimePorts;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.Before;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Programs as containers of an engine on this machine. The artifact is an image pinned by its
 * digest; installing it makes a container like the present one of that image, which is kept aside.
 * Configuration is written on the machine's side of the directories that the container sees.
 */
public final class DockerRuntime extends FileRuntime {
    private static final Duration WORK = Duration.ofSeconds(60); // for an engine to start again
    private static final Duration BOOT = Duration.ofMinutes(5); // for one that starts after us

    private final Engine engine;
    private final DockerSettings settings;
    private final Ticker ticker;
    private final Patience patience;
    private final Containers containers;
    private final Programs programs;
    private final LocalPolicy policy;
    private final SavedContainers saved;

    /** Builds the runtime on an engine. */
    DockerRuntime(String name, RuntimePorts ports, Engine engine, DockerSettings settings) {
        super(name, ports);
        this.engine = engine;
        this.settings = settings;
        this.policy = ports.policy();
        this.ticker = ports.ticker();
        this.patience = new Patience(ticker);
        this.containers = new Containers(engine, ticker, ports.settle());
        this.saved = new SavedContainers(engine);
        this.programs = new Programs(ports.state(), engine, containers, ticker, this::digestOf);
    }

    @Override
    protected Path place(NodePath path) {
        return inRoot(path, programs.onMachine(path));
    }

    private Path inRoot(NodePath path, String onMachine) {
        Path file = Path.of(onMachine).normalize();
        Path root = root().directory();
        if (!file.startsWith(root)) {
            throw new PathRefused(
                    path + " lies at " + file + ", outside the agent's root: mount another place.");
        }
        return root().resolve(new NodePath("/" + root.relativize(file)));
    }

    @Override
    public String installed(ProgramSpec spec) {
        return look(() -> current(spec).map(it -> digest(spec, it).value()).orElse(""), "");
    }

    @Override
    public boolean isInstalled(ProgramSpec spec, Digest digest) {
        return look(
                () ->
                        current(spec)
                                .filter(it -> digest(spec, it).equals(digest))
                                .filter(it -> LaunchMark.isLaunchedAs(it, spec.launch()))
                                .isPresent(),
                false);
    }

    private Optional<Container> current(ProgramSpec spec) {
        return engine.container(spec.launch().service());
    }

    private Digest digest(ProgramSpec spec, Container container) {
        return programs.digest(spec.name(), container);
    }

    /** None: an image is no file of the node. */
    @Override
    public List<NodePath> programFiles(ProgramSpec spec) {
        return List.of();
    }

    @Override
    public Discovered discover(ProgramSpec spec, List<NodePath> files) {
        requireOwn(spec, List.of());
        settings.requireMayTouch(spec);
        requireListed(spec.launch().service());
        Suitability suitability = new Suitability(engine, settings, programs);
        return working(
                ticker.in(WORK),
                () ->
                        FoundContainer.running(engine, spec.launch())
                                .discovered(suitability, files, this::inRoot));
    }

    @Override
    public void adopt(BinaryName program) {
        Managed managed = programs.managed(program);
        managed.hands.lock();
        try {
            managed.load();
            look(() -> programs.see(program), Optional.empty());
        } finally {
            managed.hands.unlock();
        }
    }

    @Override
    public ProgramState status(BinaryName program) {
        return look(() -> programs.state(program), programs.down(program));
    }

    @Override
    public void preflight(ProgramSpec spec, List<NodePath> files) {
        requireOwn(spec, List.of());
        requireListed(spec.launch().service());
        Suitability suitability = new Suitability(engine, settings, programs);
        working(
                ticker.in(WORK),
                () -> {
                    suitability.require(spec);
                    return true;
                });
        requireOwn(spec, files);
    }

    private void requireListed(String container) {
        if (!policy.mayControlContainer(container)) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "This node's policy lists no container "
                            + container
                            + ": leave the node out, or let its owner list it.");
        }
    }

    /** The artifact is no file: the engine asks its registry. What may be replaced shows first. */
    @Override
    public void check(PlannedUpgrade planned, Checks checks, Deadline deadline) {
        checks.on(ActionName.INSTALL_ARTIFACT, () -> preflight(planned.spec(), List.of()));
        checks().state(checks);
        if (!planned.installed()) {
            ImageCheck image = new ImageCheck(engine, settings);
            checks.on(
                    ActionName.ACQUIRE_ARTIFACT,
                    () ->
                            working(
                                    deadline,
                                    () -> {
                                        image.require(planned, deadline);
                                        return true;
                                    }));
        }
        checks().replaceable(ActionName.WRITE_CONFIGS, written(planned), checks);
    }

    /** Waits for an engine that starts after the agent: an open attempt needs it. */
    @Override
    public void settle(List<NodePath> files) {
        working(ticker.in(BOOT), () -> engine.namesBeginning(""));
        super.settle(files);
    }

    @Override
    public void backup(
            Path backup, ProgramProfile previous, Before.Taken before, Deadline deadline) {
        if (!isBackedUp(backup)) {
            BinaryName program = previous.spec().name();
            SavedContainer saved =
                    working(
                            deadline,
                            () -> {
                                programs.giveBackWhatIsOwed(program);
                                Container now = programs.require(program);
                                return SavedContainer.of(now, programs.digest(program, now));
                            });
            state().save(savedFile(backup), saved);
        }
        super.backup(backup, previous, before, deadline);
    }

    private static Path savedFile(Path backup) {
        return backup.resolve("container.json");
    }

    @Override
    public void acquire(Artifact artifact, Path staged, Deadline deadline, IntConsumer percent) {
        Images.requirePinned(artifact);
        settings.requireMayPull(artifact.url());
        try {
            patience.until(
                    deadline,
                    () -> {
                        engine.pull(artifact.url(), deadline, percent);
                        return true;
                    });
        } catch (EngineFailed e) {
            throw Images.notPulled(artifact, e);
        }
    }

    @Override
    public void verify(Artifact artifact, Path staged) {
        if (!isAcquired(artifact, staged)) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The engine has no image "
                            + artifact.digest().brief()
                            + ": look at the engine, retry.");
        }
    }

    @Override
    public boolean isAcquired(Artifact artifact, Path staged) {
        Images.requirePinned(artifact);
        return working(
                ticker.in(WORK),
                () ->
                        engine.image(artifact.url())
                                .filter(it -> ImageDigest.isOf(it, artifact.digest()))
                                .isPresent());
    }

    /** The engine keeps images where it keeps them; getting one is what needs the room. */
    @Override
    public long installBytes(Path staged) {
        return 0;
    }

    @Override
    public void install(ProgramSpec spec, Artifact artifact, Path staged) {
        Images.requirePinned(artifact);
        changing(
                spec.name(),
                ticker.in(WORK),
                managed ->
                        containers.replace(
                                managed, spec.launch().service(), artifact.url(), spec.launch()));
    }

    @Override
    public void reload() {
        // An engine has no definitions of its own that it would have to read again.
    }

    @Override
    public void stop(BinaryName program, Deadline deadline) {
        changing(
                program,
                deadline,
                managed -> containers.stop(managed, programs.service(program), deadline));
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        String name = spec.launch().service();
        try {
            changing(
                    spec.name(),
                    deadline,
                    managed -> containers.start(managed, name, digest, configDigest, deadline));
        } catch (ActionFailed e) {
            throw e.reason() == ReasonCode.ENGINE_FAILED
                    ? new ActionFailed(ReasonCode.START_FAILED, String.valueOf(e.getMessage()))
                    : e;
        }
    }

    @Override
    public void want(ProgramSpec spec, Digest digest, Digest configDigest) {
        changing(
                spec.name(),
                ticker.in(WORK),
                managed -> {
                    managed.pace.forget();
                    Container now = programs.require(spec.name());
                    managed.keep(managed.known().wantedWith(configDigest));
                    containers.giveBack(managed, now.id());
                });
    }

    @Override
    public void countAnew(BinaryName program) {
        look(() -> programs.countAnew(program), false);
    }

    @Override
    public void verifyBackup(Path backup, Before.Taken before) {
        super.verifyBackup(backup, before);
        ProgramSpec spec = backedUp(backup).spec();
        SavedContainer then = saved(backup);
        working(
                ticker.in(WORK),
                () -> {
                    saved.requireReturnable(spec.launch().service(), then, before.digest());
                    return true;
                });
    }

    private SavedContainer saved(Path backup) {
        Path file = savedFile(backup);
        if (state().files().disk().kind(file) != Disk.Kind.FILE) {
            throw new ActionFailed(
                    ReasonCode.BACKUP_MISMATCH,
                    "The backup has no container: nothing was written; repair the node by hand,"
                            + " then clear it.");
        }
        return state().load(file, SavedContainer.class);
    }

    @Override
    public ProgramProfile restore(Path backup, Before.Taken before) {
        verifyBackup(backup, before);
        ProgramSpec spec = backedUp(backup).spec();
        SavedContainer then = saved(backup);
        changing(
                spec.name(),
                ticker.in(WORK),
                managed -> {
                    saved.bringBack(managed, spec.launch().service(), then);
                    if (!before.wanted()) {
                        // No start follows that would give it back.
                        containers.giveBack(managed, managed.known().container());
                    }
                });
        return super.restore(backup, before);
    }

    /** Removes also the containers that no backup needs any more, never their volumes. */
    @Override
    public void sweep(List<NodePath> files) {
        super.sweep(files);
        new KeptContainers(engine, containers, state()).removeUnneeded();
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        return look(
                () ->
                        engine.container(programs.service(program))
                                .map(it -> engine.logTail(it.id(), bytes))
                                .orElse(""),
                "");
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        specs.forEach(spec -> programs.supervise(spec.name()));
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return programs.managed(program).pace.isLooping(ticker.nanos());
    }

    private interface Change {
        void on(Managed managed);
    }

    private void changing(BinaryName program, Deadline deadline, Change change) {
        Managed managed = programs.managed(program);
        managed.hands.lock();
        try {
            working(
                    deadline,
                    () -> {
                        change.on(managed);
                        return true;
                    });
        } finally {
            managed.hands.unlock();
        }
    }

    private <T> T working(Deadline deadline, Supplier<T> work) {
        try {
            return patience.until(deadline, work);
        } catch (EngineFailed e) {
            throw new ActionFailed(
                    ReasonCode.ENGINE_FAILED, e.what() + ": look at the engine, then retry.");
        }
    }

    private <T> T look(Supplier<T> work, T otherwise) {
        try {
            return patience.look(work);
        } catch (EngineFailed e) {
            return otherwise;
        }
    }
}
