package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ConfigMeasure;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.script.ReasonCode;
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
final class Programs {
    private static final Logger LOG = LoggerFactory.getLogger(Programs.class);

    private final StateDirectory state;
    private final Engine engine;
    private final Containers containers;
    private final Ticker ticker;
    private final Function<NodePath, String> digestOf;
    private final Map<String, Managed> managed = new ConcurrentHashMap<>();

    Programs(
            StateDirectory state,
            Engine engine,
            Containers containers,
            Ticker ticker,
            Function<NodePath, String> digestOf) {
        this.state = state;
        this.engine = engine;
        this.containers = containers;
        this.ticker = ticker;
        this.digestOf = digestOf;
    }

    Managed managed(BinaryName program) {
        return managed.computeIfAbsent(program.value(), name -> new Managed(state, name));
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
    Optional<Container> see(BinaryName program) {
        Optional<Container> current = current(program);
        current.ifPresent(
                container -> {
                    Managed it = managed(program);
                    it.observe(container, ticker.nanos());
                    Optional<ContainerRecord> record = it.record();
                    if (record.isEmpty()) {
                        // Its mounts first: they say where its files are.
                        it.keep(ContainerRecord.found(container, Digest.of("")));
                        it.keep(ContainerRecord.found(container, measured(program)));
                    } else if (!record.get().container().equals(container.id())) {
                        it.keep(record.get().seenAs(container, record.get().configDigest()));
                        it.keep(it.known().seenAs(container, measured(program)));
                    }
                });
        return current;
    }

    /** Managed files as they are on the disk, and the launch specification. */
    private Digest measured(BinaryName program) {
        ProgramProfile profile = state.profile().program(program.value());
        return profile == null ? Digest.of("") : ConfigMeasure.of(profile, digestOf);
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
    boolean countAnew(BinaryName program) {
        Managed it = managed(program);
        it.hands.lock();
        try {
            int restarts = current(program).map(Container::restarts).orElse(0);
            it.record().ifPresent(record -> it.note(record.withStarts(-restarts)));
            return true;
        } finally {
            it.hands.unlock();
        }
    }

    /** A start that was interrupted after the program had settled still owes the restart policy. */
    void giveBackWhatIsOwed(BinaryName program) {
        Managed it = managed(program);
        boolean owes =
                it.record().filter(known -> known.wanted() && known.held().starts()).isPresent();
        if (owes) {
            current(program)
                    .filter(Container::isRunning)
                    .ifPresent(up -> containers.giveBack(it, up.id()));
        }
    }

    /**
     * Engines start fallen containers by their restart policy; the agent does so only where there
     * is none, or where it owes the start.
     */
    void supervise(BinaryName program) {
        Managed it = managed(program);
        if (!it.hands.tryLock()) {
            return; // the executor is at it
        }
        try {
            Optional<Container> current = see(program);
            if (current.isPresent() && it.known().wanted()) {
                giveBackWhatIsOwed(program);
                startAgain(it, current.get());
            }
        } catch (EngineFailed e) {
            LOG.debug("The engine is away program={}", program, e);
        } finally {
            it.hands.unlock();
        }
    }

    private void startAgain(Managed it, Container container) {
        boolean ours = it.known().owed() || !container.restartPolicy().starts();
        if (container.isActive() || !ours || !it.pace.isDue(ticker.nanos())) {
            return;
        }
        it.pace.started(ticker.nanos());
        it.keep(it.known().again());
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
                    .flatMap(record -> Mount.onMachine(record.mounts(), path))
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
