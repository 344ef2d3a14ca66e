package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.recreate.SpecifiedLaunchFieldsLabel;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.DiscoveredProgram;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.runtime.files.FileRuntime;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Programs as containers of an engine on this machine. The artifact is an image pinned by its
 * digest; installing it makes a container like the present one of that image, which is kept aside.
 * Configuration is written on the machine's side of the directories that the container sees.
 */
public final class DockerRuntime extends FileRuntime {
    private final ContainerEngine engine;
    private final Ticker ticker;
    private final EngineOperationRunner work;
    private final ContainerLifecycle containers;
    private final ProgramContainerSupervisor programs;
    private final ContainerUpgradeCheck suitability;
    private final ImageAcquirer images;
    private final ContainerBackups saved;

    /** Builds the runtime on an engine. */
    DockerRuntime(
            String name,
            RuntimeContext ports,
            ContainerEngine engine,
            DockerAccessSettings settings) {
        super(name, ports);
        this.engine = engine;
        this.ticker = ports.ticker();
        this.work = new EngineOperationRunner(ticker);
        this.containers = new ContainerLifecycle(engine, ticker, ports.settlingTime());
        this.programs =
                new ProgramContainerSupervisor(
                        ports.state(), engine, containers, ticker, this::digestOf);
        this.suitability = new ContainerUpgradeCheck(engine, settings, ports.policy(), programs);
        this.images = new ImageAcquirer(engine, settings, work);
        this.saved =
                new ContainerBackups(
                        ports.state(), programs, containers, new ContainerRestorer(engine), work);
    }

    @Override
    protected Path pathOf(NodePath path) {
        return requireInRoot(path, programs.hostPath(path));
    }

    /** The image holds the program with its permissions. */
    @Override
    protected boolean executesFile(ProgramSpec spec) {
        return false;
    }

    private Path requireInRoot(NodePath path, String onMachine) {
        Path file = Path.of(onMachine).normalize();
        Path root = root().directory();
        if (!file.startsWith(root)) {
            throw new PathRefused(
                    path + " lies at " + file + ", outside the agent's root: mount another place.");
        }
        return root().resolveWritable(new NodePath("/" + root.relativize(file)));
    }

    @Override
    public String installedDigest(ProgramSpec spec) {
        return work.readOrElse(
                () -> findContainer(spec).map(it -> containerDigest(spec, it).value()).orElse(""),
                "");
    }

    @Override
    public boolean isInstalled(ProgramSpec spec, Digest digest) {
        return work.readOrElse(
                () ->
                        findContainer(spec)
                                .filter(it -> containerDigest(spec, it).equals(digest))
                                .filter(it -> SpecifiedLaunchFieldsLabel.matches(it, spec.launch()))
                                .isPresent(),
                false);
    }

    private Optional<Container> findContainer(ProgramSpec spec) {
        return engine.findContainer(spec.launch().service());
    }

    private Digest containerDigest(ProgramSpec spec, Container container) {
        return programs.runningDigest(spec.name(), container);
    }

    /** None: an image is no file of the node. */
    @Override
    public List<NodePath> programFiles(ProgramSpec spec) {
        return List.of();
    }

    @Override
    public DiscoveredProgram discover(ProgramSpec spec, List<NodePath> files) {
        requireSupported(spec, List.of());
        suitability.requireAllowed(spec);
        return work.callAction(
                work.restartDeadline(),
                () ->
                        DiscoveredContainer.inspectRunning(engine, spec.launch())
                                .toDiscoveredProgram(suitability, files, this::requireInRoot));
    }

    @Override
    public void adopt(BinaryName program) {
        ContainerRecordAndLock managed = programs.getOrCreateManagedContainer(program);
        managed.lock.lock();
        try {
            managed.loadRecord();
            work.readOrElse(() -> programs.observeAndRecordContainer(program), Optional.empty());
        } finally {
            managed.lock.unlock();
        }
    }

    @Override
    public ProgramState status(BinaryName program) {
        return work.readOrElse(() -> programs.programState(program), programs.downState(program));
    }

    @Override
    public void requireLaunchable(ProgramSpec spec, List<NodePath> files) {
        requireSupported(spec, List.of());
        suitability.requireAllowed(spec);
        work.runAction(work.restartDeadline(), () -> suitability.requireUpgradable(spec));
        requireSupported(spec, files);
    }

    /** The artifact is no file: the engine asks its registry. What may be replaced shows first. */
    @Override
    public void checkUpgrade(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        checks.run(
                UpgradeAction.INSTALL_ARTIFACT, () -> requireLaunchable(planned.spec(), List.of()));
        preflightChecks().checkStateDirectory(checks);
        if (planned.shouldDownload()) {
            images.checkAvailability(planned, checks, deadline);
        }
        preflightChecks()
                .checkReplaceable(UpgradeAction.WRITE_CONFIGS, planned.toWrite(), 0, checks);
        checks.run(UpgradeAction.STOP_NODE, () -> requireStoppable(planned.spec().name()));
    }

    /** Waits for an engine that starts after the agent: an open attempt needs it. */
    @Override
    public void syncInterruptedWrites(List<NodePath> files) {
        work.awaitEngine(() -> engine.containerNamesWithPrefix(""));
        super.syncInterruptedWrites(files);
    }

    @Override
    public void backup(
            Path backup,
            ProgramProfile previous,
            PreUpgradeState.Recorded before,
            Deadline deadline) {
        if (!isBackedUp(backup)) {
            saved.saveDescription(backup, previous.spec().name(), deadline);
        }
        super.backup(backup, previous, before, deadline);
    }

    @Override
    public void acquire(Artifact artifact, Path staged, Deadline deadline, IntConsumer percent) {
        images.acquire(artifact, deadline, percent);
    }

    @Override
    public void verify(Artifact artifact, Path staged) {
        images.verify(artifact);
    }

    @Override
    public boolean isAcquired(Artifact artifact, Path staged) {
        return images.isAcquired(artifact);
    }

    /** The engine keeps images where it keeps them; getting one is what needs the room. */
    @Override
    public long requiredInstallBytes(Path staged) {
        return 0;
    }

    @Override
    public void install(ProgramSpec spec, Artifact artifact, Path staged) {
        ImagePullRules.requirePinned(artifact);
        changeLocked(
                spec.name(),
                work.restartDeadline(),
                managed ->
                        containers.replace(
                                managed, spec.launch().service(), artifact.url(), spec.launch()));
    }

    @Override
    public void reload() {
        // An engine has no definitions of its own that it would have to read again.
    }

    @Override
    public String stop(BinaryName program, StopSettings settings, Deadline deadline) {
        StringBuilder killed = new StringBuilder();
        changeLocked(
                program,
                deadline,
                managed ->
                        killed.append(
                                containers.stop(
                                        managed,
                                        programs.containerName(program),
                                        settings,
                                        deadline)));
        return killed.toString();
    }

    @Override
    public void cancelStop(BinaryName program) {
        changeLocked(
                program,
                work.restartDeadline(),
                managed -> containers.cancelStop(managed, programs.containerName(program)));
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        String name = spec.launch().service();
        try {
            changeLocked(
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
    public void setDesiredRunning(ProgramSpec spec, Digest digest, Digest configDigest) {
        changeLocked(
                spec.name(),
                work.restartDeadline(),
                managed -> {
                    managed.backoff.reset();
                    // First: supervision starts it also if the engine does not respond now.
                    managed.saveRecord(managed.requireRecord().withPendingStart(configDigest));
                    Container now = programs.requireContainer(spec.name());
                    containers.restoreRestartPolicy(managed, now.id());
                });
    }

    @Override
    public void resetRestartCounters(BinaryName program) {
        work.readOrElse(() -> programs.resetCounters(program), false);
    }

    @Override
    public void requireRestorable(Path backup, PreUpgradeState.Recorded before) {
        super.requireRestorable(backup, before);
        saved.requireRestorable(
                backup, loadBackedUpProfile(backup).spec().launch().service(), before);
    }

    @Override
    public ProgramProfile restoreFiles(Path backup, PreUpgradeState.Recorded before) {
        requireFilesRestorable(backup, before);
        ProgramSpec spec = loadBackedUpProfile(backup).spec();
        saved.requireRestorable(backup, spec.launch().service(), before);
        saved.restore(backup, spec.name(), spec.launch().service(), before);
        return super.restoreFiles(backup, before);
    }

    /** Removes also the containers that no backup needs any more, never their volumes. */
    @Override
    public void deleteTempFilesNextTo(List<NodePath> files) {
        super.deleteTempFilesNextTo(files);
        new RetainedContainerPruner(engine, containers, state()).removeUnneeded();
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        return engine.findContainer(programs.containerName(program))
                .map(it -> engine.logTail(it, bytes))
                .orElse("");
    }

    @Override
    public String crashedLogTail(BinaryName program, int bytes) {
        return engine.findContainer(programs.containerName(program))
                .map(
                        it ->
                                it.isRunning()
                                        ? engine.earlierLogTail(it, bytes)
                                        : engine.logTail(it, bytes))
                .orElse("");
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        specs.forEach(spec -> programs.superviseProgram(spec.name()));
    }

    @Override
    public String describeLastCrash(BinaryName program) {
        return programs.getOrCreateManagedContainer(program)
                .backoff
                .describeLastCrash(ticker.nanos());
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return programs.getOrCreateManagedContainer(program).backoff.isCrashLooping(ticker.nanos());
    }

    private void changeLocked(
            BinaryName program,
            Deadline deadline,
            EngineOperationRunner.LockedContainerChange change) {
        work.changeLocked(programs.getOrCreateManagedContainer(program), deadline, change);
    }
}
