package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.ImageDigest;
import drover.opsagent.docker.engine.Mount;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.files.InstalledConfigDigest;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The programs of this node and their containers: what they are, and what is owed to them. */
final class ProgramContainers {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramContainers.class);

    private final StateDirectory state;
    private final ContainerEngine engine;
    private final ContainerLifecycle containers;
    private final Ticker ticker;
    private final Function<NodePath, String> digestOf;
    private final Map<String, ManagedContainer> managed = new ConcurrentHashMap<>();

    ProgramContainers(
            StateDirectory state,
            ContainerEngine engine,
            ContainerLifecycle containers,
            Ticker ticker,
            Function<NodePath, String> digestOf) {
        this.state = state;
        this.engine = engine;
        this.containers = containers;
        this.ticker = ticker;
        this.digestOf = digestOf;
    }

    ManagedContainer managed(BinaryName program) {
        return managed.computeIfAbsent(program.value(), name -> new ManagedContainer(state, name));
    }

    /** The name of a program's container; empty when the node has no such program. */
    String service(BinaryName program) {
        ProgramProfile profile = state.profile().program(program.value());
        return profile == null ? "" : profile.spec().launch().service();
    }

    /** The container that bears the program's name. */
    Optional<Container> current(BinaryName program) {
        String service = service(program);
        return service.isEmpty() ? Optional.empty() : engine.container(service);
    }

    Container require(BinaryName program) {
        return current(program)
                .orElseThrow(
                        () ->
                                new ActionFailed(
                                        ReasonCode.DRIFTED,
                                        "There is no container "
                                                + service(program)
                                                + " on this node: find out who removed it."));
    }

    Digest digest(BinaryName program, Container container) {
        return managed(program)
                .digest(
                        container,
                        () -> ImageDigest.of(container, engine.image(container.imageId())));
    }

    /** Takes note of the container as it is; one that is new here is taken over as it is. */
    Optional<Container> observe(BinaryName program) {
        Optional<Container> current = current(program);
        current.ifPresent(
                container -> {
                    ManagedContainer it = managed(program);
                    recordEnd(it, container);
                    Optional<ContainerRecord> record = it.record();
                    if (record.isEmpty()) {
                        // Its mounts first: they say where its files are.
                        it.save(ContainerRecord.adopted(container, Digest.of("")));
                        it.save(ContainerRecord.adopted(container, configDigest(program)));
                    } else if (!record.get().container().equals(container.id())) {
                        it.save(record.get().observedAs(container, record.get().configDigest()));
                        it.save(it.requireRecord().observedAs(container, configDigest(program)));
                    }
                });
        return current;
    }

    /** Keeps how a run ended that was not stopped on purpose, once per run. */
    private void recordEnd(ManagedContainer it, Container container) {
        String before = it.observedRun();
        boolean restarted = it.observe(container, ticker.nanos());
        boolean wanted = it.record().filter(ContainerRecord::wanted).isPresent();
        if (!container.isRunning() && wanted) {
            it.backoff.recordEnd(
                    container.runId(), ticker.nanos(), () -> containers.runEnd(container));
        } else if (restarted) {
            it.backoff.recordEnd(before, ticker.nanos(), () -> containers.earlierRunEnd(container));
        }
    }

    /** Managed files as they are on the disk, and the launch specification. */
    private Digest configDigest(BinaryName program) {
        ProgramProfile profile = state.profile().program(program.value());
        return profile == null ? Digest.of("") : InstalledConfigDigest.of(profile, digestOf);
    }

    ProgramState state(BinaryName program) {
        Optional<Container> current = current(program);
        Optional<ContainerRecord> record = managed(program).record();
        if (current.isEmpty() || record.isEmpty() || !current.get().isRunning()) {
            return down(program);
        }
        Container container = current.get();
        return new ProgramState.Up(
                container.runId(),
                digest(program, container),
                record.get().configDigest(),
                managed(program).upFor(container, ticker.wallClock(), ticker.nanos()),
                Math.max(0, record.get().startsSince() + container.restarts()));
    }

    ProgramState down(BinaryName program) {
        return managed(program)
                .record()
                .map(it -> new ProgramState.Down(it.wanted(), Math.max(0, it.startsSince())))
                .orElse(new ProgramState.Down(false, 0));
    }

    /** Starts before an attempt must not be taken for a crash loop of that attempt (F1). */
    boolean resetCounters(BinaryName program) {
        ManagedContainer it = managed(program);
        it.lock.lock();
        try {
            int restarts = current(program).map(Container::restarts).orElse(0);
            it.record().ifPresent(record -> it.saveCounters(record.withStarts(-restarts)));
            return true;
        } finally {
            it.lock.unlock();
        }
    }

    /** A start that was interrupted after the program had settled still owes the restart policy. */
    void restorePendingPolicies(BinaryName program) {
        ManagedContainer it = managed(program);
        boolean owes =
                it.record().filter(known -> known.wanted() && known.held().starts()).isPresent();
        if (owes) {
            current(program)
                    .filter(Container::isRunning)
                    .ifPresent(up -> containers.restoreRestartPolicy(it, up.id()));
        }
    }

    /**
     * Engines start fallen containers by their restart policy; the agent does so only where there
     * is none, or where it owes the start.
     */
    void supervise(BinaryName program) {
        ManagedContainer it = managed(program);
        if (!it.lock.tryLock()) {
            return; // the executor is at it
        }
        try {
            Optional<Container> current = observe(program);
            if (current.isPresent() && it.requireRecord().wanted()) {
                restorePendingPolicies(program);
                restart(it, current.get());
            }
        } catch (EngineFailed e) {
            LOG.debug("The engine is away program={}", program, e);
        } finally {
            it.lock.unlock();
        }
    }

    private void restart(ManagedContainer it, Container container) {
        boolean ours = it.requireRecord().owed() || !container.restartPolicy().starts();
        if (container.isActive() || !ours || !it.backoff.isDue(ticker.nanos())) {
            return;
        }
        it.backoff.started(ticker.nanos());
        it.save(it.requireRecord().restarted());
        LOG.info("Container fell and is started again container={}", container.name());
        try {
            engine.start(container.id());
        } catch (EngineFailed e) {
            LOG.warn("Container cannot be started container={}", container.name(), e);
        }
    }

    /**
     * Where a file is on this machine.
     *
     * @throws PathRefused when no container sees a directory of the machine there, or two see
     *     different ones
     */
    String onMachine(NodePath path) {
        Set<String> places = new TreeSet<>();
        for (ProgramProfile profile : state.profile().programs()) {
            managed(profile.spec().name())
                    .record()
                    .flatMap(record -> Mount.hostPath(record.mounts(), path))
                    .ifPresent(places::add);
        }
        if (places.isEmpty()) {
            throw new PathRefused(
                    path
                            + " is in no directory of the machine that the container sees: bind-mount"
                            + " one there.");
        }
        if (places.size() > 1) {
            throw new PathRefused(
                    path + " means another file in each container: mount them at different paths.");
        }
        return places.iterator().next();
    }
}
