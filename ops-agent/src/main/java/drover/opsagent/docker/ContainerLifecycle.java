package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.program.LaunchSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.RestartPolicy;
import drover.opsagent.docker.recreate.CreateContainerBody;
import drover.opsagent.docker.recreate.SpecifiedLaunchFieldsLabel;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ExitDescriber;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is done to the containers of a program: the one that bears its name, the one that will, and
 * those that did and are kept to go back to. Each operation may be repeated after a crash anywhere
 * in it, and none leaves two of them running: they share their volumes (D12).
 */
final class ContainerLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerLifecycle.class);
    private static final String ASIDE = ".drover-";
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int LAST_LINE_BYTES = 4 * 1024;
    private static final OptionalInt KILLED = OptionalInt.of(128 + 9); // SIGKILL
    private static final Duration KILL_TIME = Duration.ofSeconds(10); // killed ones end at once
    private static final int MOST_GRACE = 45; // seconds that a container may ask for itself

    private final ContainerEngine engine;
    private final StagedContainerCreator factory;
    private final Ticker ticker;
    private final Duration settle;

    ContainerLifecycle(ContainerEngine engine, Ticker ticker, Duration settle) {
        this.engine = engine;
        this.factory = new StagedContainerCreator(engine);
        this.ticker = ticker;
        this.settle = settle;
    }

    /**
     * The name that a container is kept under: its own for good, so that renaming is repeatable.
     */
    static String retainedName(String name, Container old) {
        return name + ASIDE + old.shortId();
    }

    /** The name of one that is not complete yet; no id begins like that. */
    static String stagedName(String name) {
        return name + ASIDE + "new";
    }

    /** The containers of a program besides the one that bears its name. */
    List<Container> findRetainedAndStaged(String name) {
        List<Container> aside = new ArrayList<>();
        for (String other : engine.containerNamesWithPrefix(name + ASIDE)) {
            engine.findContainer(other).ifPresent(aside::add);
        }
        return aside;
    }

    /**
     * Stops whatever of the program runs, having seen to it that no restart starts it again.
     *
     * @return a sentence for each container that had to be killed
     */
    String stop(
            ContainerRecordAndLock program, String name, StopSettings settings, Deadline deadline) {
        Optional<Container> current = engine.findContainer(name);
        ContainerRecord record = program.requireRecord().asNotDesired();
        if (current.isPresent() && current.get().restartPolicy().startsContainer()) {
            record = record.withDeferredPolicy(current.get().restartPolicy());
        }
        program.saveRecord(record);
        List<Container> all = new ArrayList<>(findRetainedAndStaged(name));
        current.ifPresent(all::add);
        List<String> killed = new ArrayList<>();
        for (Container container : all) {
            if (container.restartPolicy().startsContainer()) {
                engine.setRestartPolicy(container.id(), RestartPolicy.NO);
            }
            killed.add(stopGracefully(container, settings, deadline));
        }
        killed.removeIf(String::isEmpty);
        return String.join(" ", killed);
    }

    /**
     * Marks the present run as desired again after a stop that had no effect. If the engine carries
     * out a late stop, no restart policy starts the container: then the agent has to.
     */
    void cancelStop(ContainerRecordAndLock program, String name) {
        ContainerRecord record = program.requireRecord();
        if (!record.wanted()) {
            program.saveRecord(record.asDesired());
        }
        engine.findContainer(name).ifPresent(it -> restoreRestartPolicy(program, it.id()));
    }

    private String stopGracefully(Container container, StopSettings settings, Deadline deadline) {
        if (!container.isRunningOrRestarting()) {
            return "";
        }
        Duration timeout = settings.timeout().orElseGet(() -> defaultTimeout(container));
        Deadline grace = deadline.earlierByAtMost(KILL_TIME).atMost(timeout);
        String ifKilled =
                ExitDescriber.describeKill(
                        "Container " + container.name(),
                        grace.left(),
                        settings.signal()
                                .map(StopSignal::longName)
                                .orElseGet(container::stopSignal));
        // The engine's own stop sends SIGKILL after whole seconds.
        Deadline killsAfter = ticker.deadlineIn(Duration.ofSeconds(grace.left().toSeconds()));
        if (settings.signal().isPresent()) {
            // Not the engine's stop: before version 23 it ignores which signal is asked for.
            engine.signal(container.id(), settings.signal().get());
            awaitEnd(container, grace);
        } else {
            engine.stop(container.id(), grace.left());
        }
        if (isRunningOrRestarting(container)) {
            LOG.warn("Container does not stop and is killed container={}", container.name());
            engine.kill(container.id());
        }
        OptionalInt exitCode = awaitExitCode(container, deadline);
        return killsAfter.hasPassed() && exitCode.equals(KILLED) ? ifKilled : "";
    }

    private OptionalInt awaitExitCode(Container container, Deadline deadline) {
        while (true) { // ends at the deadline
            Optional<Container> now = engine.findContainer(container.id());
            if (now.isEmpty() || !now.get().isRunningOrRestarting()) {
                return now.map(Container::exitCode).orElse(OptionalInt.empty());
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.STOP_FAILED,
                        "Container " + container.name() + " does not end: end it by hand.");
            }
            ticker.pause(POLL);
        }
    }

    private void awaitEnd(Container container, Deadline grace) {
        while (!grace.hasPassed() && isRunningOrRestarting(container)) {
            ticker.pause(POLL);
        }
    }

    private static Duration defaultTimeout(Container container) {
        int own = container.config().path("StopTimeout").asInt(0);
        return own > 0
                ? Duration.ofSeconds(Math.min(own, MOST_GRACE))
                : StopSettings.DEFAULT_TIMEOUT;
    }

    private boolean isRunningOrRestarting(Container container) {
        return engine.findContainer(container.id())
                .filter(Container::isRunningOrRestarting)
                .isPresent();
    }

    /**
     * Makes a container of another image in place of the program's, which is kept aside. The new
     * one gets the name last, when it is complete.
     */
    void replace(ContainerRecordAndLock program, String name, String pinned, LaunchSpec launch) {
        Optional<Container> current = engine.findContainer(name);
        if (current.filter(it -> isReplacement(it, pinned, launch)).isPresent()) {
            return;
        }
        String oldId = current.map(Container::id).orElse(program.requireRecord().replaces());
        Container old =
                engine.findContainer(oldId.isEmpty() ? name : oldId)
                        .orElseThrow(() -> missingContainer(name));
        if (old.isRunningOrRestarting()) {
            throw new ActionFailed(
                    ReasonCode.STOP_FAILED, "Container " + name + " runs again: stop it.");
        }
        Optional<Container> staged = engine.findContainer(stagedName(name));
        String id;
        if (current.isEmpty() && staged.isPresent()) {
            id = staged.get().id();
        } else {
            ObjectNode body =
                    CreateContainerBody.of(old, factory.requireImage(old), pinned, launch);
            id = factory.createStaged(name, old, body, pinned);
        }
        if (current.isPresent()) {
            program.saveRecord(program.requireRecord().withReplacedId(old.id()));
            engine.rename(old.id(), retainedName(name, old));
        }
        engine.rename(id, name);
        LOG.info("Container replaced container={} image={}", name, pinned);
    }

    private static boolean isReplacement(Container container, String pinned, LaunchSpec launch) {
        return container.imageName().equals(pinned)
                && !container.label(CreateContainerBody.REPLACES).isEmpty()
                && SpecifiedLaunchFieldsLabel.matches(container, launch);
    }

    /** Starts the container, waits until it has stayed up, and gives its restart policy back. */
    void start(
            ContainerRecordAndLock program,
            String name,
            Digest digest,
            Digest config,
            Deadline deadline) {
        Container found = engine.findContainer(name).orElseThrow(() -> missingContainer(name));
        if (!ImageDigests.of(found, engine.findImage(found.imageId())).equals(digest)) {
            throw new ActionFailed(
                    ReasonCode.START_FAILED,
                    "Container " + name + " is of another image: find out who made it.");
        }
        program.backoff.reset();
        program.saveRecord(program.requireRecord().withStart(found, config));
        try {
            engine.start(found.id());
            awaitStableStart(found.id(), name, deadline);
        } catch (ActionFailed | EngineFailed e) {
            program.saveRecord(program.requireRecord().asNotDesired());
            throw e;
        }
        restoreRestartPolicy(program, found.id());
        LOG.info("Container started container={} containerId={}", name, found.id());
    }

    private void awaitStableStart(String id, String name, Deadline deadline) {
        Deadline settled = ticker.deadlineIn(settle);
        String run = "";
        while (!settled.hasPassed()) {
            Optional<Container> now = engine.findContainer(id);
            boolean up = now.filter(Container::isRunning).isPresent();
            String nowRun = now.map(Container::runId).orElse("");
            if (!up || !(run.isEmpty() || run.equals(nowRun))) {
                throw new ActionFailed(
                        ReasonCode.START_FAILED,
                        name
                                + " ended within "
                                + settle.toMillis() / 1000.0
                                + " s of its start "
                                + now.map(this::describeRunEnd)
                                        .orElseGet(
                                                () ->
                                                        ExitDescriber.describe(
                                                                OptionalInt.empty(), ""))
                                + ExitDescriber.ADVICE);
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        name + " did not settle in time: look at what slows the node.");
            }
            run = nowRun;
            ticker.pause(POLL);
        }
    }

    /** How the last run of a container ended that is down. */
    String describeRunEnd(Container container) {
        return ExitDescriber.describe(
                container.exitCode(),
                outputOrEmpty(() -> engine.logTail(container, LAST_LINE_BYTES)));
    }

    /** How the run before the current one ended: the engine no longer has its exit code. */
    String describeEarlierRunEnd(Container container) {
        return ExitDescriber.describe(
                OptionalInt.empty(),
                outputOrEmpty(() -> engine.earlierLogTail(container, LAST_LINE_BYTES)));
    }

    /** What cannot be read is left out, for example with the log driver {@code none}. */
    private static String outputOrEmpty(Supplier<String> log) {
        try {
            return log.get();
        } catch (EngineFailed e) {
            LOG.warn("The log of a container cannot be read reason={}", e.getMessage());
            return "";
        }
    }

    /** The last step: from here on the engine starts it again by itself, as it did before. */
    void restoreRestartPolicy(ContainerRecordAndLock program, String id) {
        RestartPolicy held = program.requireRecord().held();
        if (held.startsContainer()) {
            engine.setRestartPolicy(id, held);
        }
        program.saveRecord(
                program.requireRecord().withDeferredPolicy(RestartPolicy.NO).withReplacedId(""));
    }

    static ActionFailed missingContainer(String name) {
        return new ActionFailed(
                ReasonCode.DRIFTED,
                "There is no container " + name + " on this node: find out who removed it.");
    }
}
