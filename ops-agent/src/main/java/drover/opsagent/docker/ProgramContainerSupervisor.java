package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.Mount;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The programs of this node and their containers: what they are, and what is owed to them. */
final class ProgramContainerSupervisor {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramContainerSupervisor.class);

    /** How long after its failure an engine may still carry out a stop. */
    private static final Duration LATE_STOP = Duration.ofMinutes(2);

    private final StateDirectory state;
    private final ContainerEngine engine;
    private final ContainerLifecycle containers;
    private final Ticker ticker;
    private final Function<NodePath, String> digestOf;
    private final Map<String, ContainerRecordAndLock> managed = new ConcurrentHashMap<>();

    ProgramContainerSupervisor(
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

    ContainerRecordAndLock getOrCreateManagedContainer(BinaryName program) {
        return managed.computeIfAbsent(
                program.value(), name -> new ContainerRecordAndLock(state, name));
    }

    /** The name of a program's container; empty when the node has no such program. */
    String containerName(BinaryName program) {
        ProgramProfile profile = state.loadProfile().findProgram(program.value());
        return profile == null ? "" : profile.spec().launch().service();
    }

    /** The container that bears the program's name. */
    Optional<Container> findContainer(BinaryName program) {
        String service = containerName(program);
        return service.isEmpty() ? Optional.empty() : engine.findContainer(service);
    }

    Container requireContainer(BinaryName program) {
        return findContainer(program)
                .orElseThrow(
                        () ->
                                new ActionFailed(
                                        ReasonCode.DRIFTED,
                                        "There is no container "
                                                + containerName(program)
                                                + " on this node: find out who removed it."));
    }

    Digest runningDigest(BinaryName program, Container container) {
        return getOrCreateManagedContainer(program)
                .getOrComputeDigest(
                        container,
                        () -> ImageDigests.of(container, engine.findImage(container.imageId())));
    }

    /** Takes note of the container as it is; one that is new here is taken over as it is. */
    Optional<Container> observeAndRecordContainer(BinaryName program) {
        Optional<Container> current = findContainer(program);
        current.ifPresent(
                container -> {
                    ContainerRecordAndLock it = getOrCreateManagedContainer(program);
                    recordCrashIfNew(it, container);
                    Optional<ContainerRecord> record = it.record();
                    if (record.isEmpty()) {
                        // Its mounts first: they say where its files are.
                        it.saveRecord(ContainerRecord.ofAdopted(container, Digest.of("")));
                        it.saveRecord(ContainerRecord.ofAdopted(container, configDigest(program)));
                    } else if (!record.get().container().equals(container.id())) {
                        it.saveRecord(
                                record.get().withContainer(container, record.get().configDigest()));
                        it.saveRecord(
                                it.requireRecord().withContainer(container, configDigest(program)));
                    }
                });
        return current;
    }

    /** Keeps how a run ended that was not stopped on purpose, once per run. */
    private void recordCrashIfNew(ContainerRecordAndLock it, Container container) {
        String before = it.lastObservedRunId();
        boolean restarted = it.recordNewRestarts(container, ticker.nanos());
        boolean wanted = it.record().filter(ContainerRecord::wanted).isPresent();
        if (!container.isRunning() && wanted) {
            it.backoff.recordCrash(
                    container.runId(), ticker.nanos(), () -> containers.describeRunEnd(container));
        } else if (restarted) {
            it.backoff.recordCrash(
                    before, ticker.nanos(), () -> containers.describeEarlierRunEnd(container));
        }
    }

    /** Managed files as they are on the disk, and the launch specification. */
    private Digest configDigest(BinaryName program) {
        ProgramProfile profile = state.loadProfile().findProgram(program.value());
        return profile == null ? Digest.of("") : profile.configDigest(digestOf);
    }

    ProgramState programState(BinaryName program) {
        Optional<Container> current = findContainer(program);
        Optional<ContainerRecord> record = getOrCreateManagedContainer(program).record();
        if (current.isEmpty() || record.isEmpty() || !current.get().isRunning()) {
            return downState(program);
        }
        Container container = current.get();
        return new ProgramState.Up(
                container.runId(),
                runningDigest(program, container),
                record.get().configDigest(),
                getOrCreateManagedContainer(program)
                        .uptime(container, ticker.wallClock(), ticker.nanos()),
                Math.max(0, record.get().startsSince() + container.restartCount()));
    }

    ProgramState downState(BinaryName program) {
        return getOrCreateManagedContainer(program)
                .record()
                .map(it -> new ProgramState.Down(it.wanted(), Math.max(0, it.startsSince())))
                .orElse(new ProgramState.Down(false, 0));
    }

    /** Starts before an attempt must not be taken for a crash loop of that attempt (F1). */
    boolean resetCounters(BinaryName program) {
        ContainerRecordAndLock it = getOrCreateManagedContainer(program);
        it.lock.lock();
        try {
            int restarts = findContainer(program).map(Container::restartCount).orElse(0);
            it.record()
                    .ifPresent(
                            record -> it.saveIgnoringDiskFailure(record.withStartCount(-restarts)));
            return true;
        } finally {
            it.lock.unlock();
        }
    }

    /** A start that was interrupted after the program had settled still owes the restart policy. */
    void restorePolicyIfPending(BinaryName program) {
        ContainerRecordAndLock it = getOrCreateManagedContainer(program);
        boolean owes =
                it.record()
                        .filter(known -> known.wanted() && known.held().startsContainer())
                        .isPresent();
        if (owes) {
            findContainer(program)
                    .filter(Container::isRunning)
                    .ifPresent(up -> containers.restoreRestartPolicy(it, up.id()));
        }
    }

    /**
     * Engines start fallen containers by their restart policy; the agent does so only where there
     * is none, or where it owes the start.
     */
    void superviseProgram(BinaryName program) {
        ContainerRecordAndLock it = getOrCreateManagedContainer(program);
        if (!it.lock.tryLock()) {
            return; // the executor is at it
        }
        try {
            Optional<Container> current = observeAndRecordContainer(program);
            if (current.isPresent() && it.requireRecord().wanted()) {
                restorePolicyIfPending(program);
                if (current.get().isRunning()) {
                    it.clearPendingStartAfter(latestStop(program), ticker.nanos());
                }
                restartIfDue(it, current.get());
            }
        } catch (EngineFailed e) {
            LOG.debug("The engine is away program={}", program, e);
        } finally {
            it.lock.unlock();
        }
    }

    private Duration latestStop(BinaryName program) {
        ProgramProfile profile = state.loadProfile().findProgram(program.value());
        return profile == null
                ? LATE_STOP
                : LATE_STOP.plus(profile.spec().launch().stop().timeBeyondDefault());
    }

    private void restartIfDue(ContainerRecordAndLock it, Container container) {
        boolean ours = it.requireRecord().owed() || !container.restartPolicy().startsContainer();
        if (container.isRunningOrRestarting() || !ours || !it.backoff.isDue(ticker.nanos())) {
            return;
        }
        it.backoff.recordStart(ticker.nanos());
        it.saveRecord(it.requireRecord().withRestart());
        LOG.info("Container fell and is started again container={}", container.name());
        try {
            engine.start(container.id());
            it.saveIgnoringDiskFailure(it.requireRecord().withoutPendingStart());
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
    String hostPath(NodePath path) {
        Set<String> places = new TreeSet<>();
        for (ProgramProfile profile : state.loadProfile().programs()) {
            getOrCreateManagedContainer(profile.spec().name())
                    .record()
                    .flatMap(record -> Mount.findHostPath(record.mounts(), path))
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
