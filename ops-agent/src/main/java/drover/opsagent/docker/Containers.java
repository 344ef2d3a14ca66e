package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.program.LaunchSpec;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is done to the containers of a program: the one that bears its name, the one that will, and
 * those that did and are kept to go back to. Each operation may be repeated after a crash anywhere
 * in it, and none leaves two of them running: they share their volumes (D12).
 */
final class Containers {
    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);
    private static final String ASIDE = ".drover-";
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration GRACE = Duration.ofSeconds(20); // a third of stop_node's 60 s
    private static final int MOST_GRACE = 45; // seconds that a container may ask for itself

    private final Engine engine;
    private final Making making;
    private final Ticker ticker;
    private final Duration settle;

    Containers(Engine engine, Ticker ticker, Duration settle) {
        this.engine = engine;
        this.making = new Making(engine);
        this.ticker = ticker;
        this.settle = settle;
    }

    /**
     * The name that a container is kept under: its own for good, so that renaming is repeatable.
     */
    static String keptName(String name, Container old) {
        return name + ASIDE + old.shortId();
    }

    /** The name of one that is not complete yet; no id begins like that. */
    static String stagedName(String name) {
        return name + ASIDE + "new";
    }

    /** The containers of a program besides the one that bears its name. */
    List<Container> aside(String name) {
        List<Container> aside = new ArrayList<>();
        for (String other : engine.namesBeginning(name + ASIDE)) {
            engine.container(other).ifPresent(aside::add);
        }
        return aside;
    }

    /** Stops whatever of the program runs, having seen to it that no restart starts it again. */
    void stop(Managed program, String name, Deadline deadline) {
        Optional<Container> current = engine.container(name);
        ContainerRecord record = program.known().unwanted();
        if (current.isPresent() && current.get().restartPolicy().starts()) {
            record = record.holding(current.get().restartPolicy());
        }
        program.keep(record);
        List<Container> all = new ArrayList<>(aside(name));
        current.ifPresent(all::add);
        for (Container container : all) {
            if (container.restartPolicy().starts()) {
                engine.restartPolicy(container.id(), RestartPolicy.NO);
            }
            end(container, deadline);
        }
    }

    private void end(Container container, Deadline deadline) {
        if (!container.isActive()) {
            return;
        }
        engine.stop(
                container.id(),
                deadline.left().compareTo(grace(container)) < 0
                        ? deadline.left()
                        : grace(container));
        if (isActive(container)) {
            engine.kill(container.id());
        }
        while (isActive(container)) {
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.STOP_FAILED,
                        "Container " + container.name() + " does not end: end it by hand.");
            }
            ticker.pause(POLL);
        }
    }

    private static Duration grace(Container container) {
        int own = container.config().path("StopTimeout").asInt(0);
        return own > 0 ? Duration.ofSeconds(Math.min(own, MOST_GRACE)) : GRACE;
    }

    private boolean isActive(Container container) {
        return engine.container(container.id()).filter(Container::isActive).isPresent();
    }

    /**
     * Makes a container of another image in place of the program's, which is kept aside. The new
     * one gets the name last, when it is complete.
     */
    void replace(Managed program, String name, String pinned, LaunchSpec launch) {
        Optional<Container> current = engine.container(name);
        if (current.filter(it -> isMade(it, pinned, launch)).isPresent()) {
            return;
        }
        String oldId = current.map(Container::id).orElse(program.known().replaces());
        Container old =
                engine.container(oldId.isEmpty() ? name : oldId).orElseThrow(() -> gone(name));
        if (old.isActive()) {
            throw new ActionFailed(
                    ReasonCode.STOP_FAILED, "Container " + name + " runs again: stop it, retry.");
        }
        Optional<Container> staged = engine.container(stagedName(name));
        String id;
        if (current.isEmpty() && staged.isPresent()) {
            id = staged.get().id();
        } else {
            ObjectNode body = CreateBody.of(old, making.imageOf(old), pinned, launch);
            id = making.staged(name, old, body, pinned);
        }
        if (current.isPresent()) {
            program.keep(program.known().replacing(old.id()));
            engine.rename(old.id(), keptName(name, old));
        }
        engine.rename(id, name);
        LOG.info("Container replaced container={} image={}", name, pinned);
    }

    private static boolean isMade(Container container, String pinned, LaunchSpec launch) {
        return container.imageName().equals(pinned)
                && !container.label(CreateBody.REPLACES).isEmpty()
                && LaunchMark.isLaunchedAs(container, launch);
    }

    /** Starts the container, waits until it has stayed up, and gives its restart policy back. */
    void start(Managed program, String name, Digest digest, Digest config, Deadline deadline) {
        Container found = engine.container(name).orElseThrow(() -> gone(name));
        if (!ImageDigest.of(found, engine.image(found.imageId())).equals(digest)) {
            throw new ActionFailed(
                    ReasonCode.START_FAILED,
                    "Container " + name + " is of another image: find out who made it.");
        }
        program.pace.forget();
        program.keep(program.known().starting(found, config));
        try {
            engine.start(found.id());
            awaitSettled(found.id(), name, deadline);
        } catch (ActionFailed | EngineFailed e) {
            program.keep(program.known().unwanted());
            throw e;
        }
        giveBack(program, found.id());
        LOG.info("Container started container={} containerId={}", name, found.id());
    }

    private void awaitSettled(String id, String name, Deadline deadline) {
        Deadline settled = ticker.in(settle);
        String run = "";
        while (!settled.hasPassed()) {
            Optional<Container> now = engine.container(id);
            boolean up = now.filter(Container::isRunning).isPresent();
            String nowRun = now.map(Container::runId).orElse("");
            if (!up || !(run.isEmpty() || run.equals(nowRun))) {
                throw new ActionFailed(
                        ReasonCode.START_FAILED,
                        name
                                + " ended within "
                                + settle.toMillis() / 1000.0
                                + " s of its start: read its log.");
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        name + " did not settle in time: look at what slows the node, then retry.");
            }
            run = nowRun;
            ticker.pause(POLL);
        }
    }

    /** The last step: from here on the engine starts it again by itself, as it did before. */
    void giveBack(Managed program, String id) {
        RestartPolicy held = program.known().held();
        if (held.starts()) {
            engine.restartPolicy(id, held);
        }
        program.keep(program.known().holding(RestartPolicy.NO).replacing(""));
    }

    static ActionFailed gone(String name) {
        return new ActionFailed(
                ReasonCode.DRIFTED,
                "There is no container " + name + " on this node: find out who removed it.");
    }
}
