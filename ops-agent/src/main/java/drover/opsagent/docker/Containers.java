package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.LaunchSpec;
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
    private final Ticker ticker;
    private final Duration settle;

    Containers(Engine engine, Ticker ticker, Duration settle) {
        this.engine = engine;
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
            ObjectNode body = CreateBody.of(old, imageOf(old), pinned, launch);
            id = staged(name, old, body, pinned);
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

    /** Makes a container under another name, in all its networks, and compares it. */
    private String staged(String name, Container old, ObjectNode body, String image) {
        engine.container(stagedName(name)).ifPresent(it -> engine.remove(it.id()));
        Image made = engine.image(image).orElseThrow(() -> noImage(image));
        String id = engine.create(stagedName(name), body);
        List<Endpoints.Endpoint> further = Endpoints.further(old);
        further.forEach(it -> engine.connect(it.network(), id, it.config()));
        Container predicted = PredictedContainer.of(body, further, made);
        Container found = engine.container(id).orElseThrow(() -> gone(stagedName(name)));
        Optional<String> wrong = RoundTrip.sentence(RoundTrip.differences(predicted, found));
        if (wrong.isPresent()) {
            engine.remove(id);
            throw new ActionFailed(
                    ReasonCode.ENGINE_FAILED,
                    "The engine made another container than it was asked for ("
                            + wrong.get()
                            + "): make "
                            + name
                            + " by hand.");
        }
        return id;
    }

    /** Fails with BACKUP_MISMATCH unless the saved container can be brought back. */
    void requireReturnable(String name, SavedContainer saved, String journalled) {
        if (!saved.digest().value().equals(journalled)) {
            throw mismatch("Backup and journal disagree about the image");
        }
        Container then = saved.container();
        Optional<Container> kept = engine.container(then.id());
        Optional<Image> image = engine.image(then.imageId());
        if (kept.isEmpty() && image.isEmpty()) {
            throw mismatch("Container " + then.id() + " and its image are gone");
        }
        if (!ImageDigest.of(kept.orElse(then), image).equals(saved.digest())) {
            throw mismatch("The kept container is of another image than was saved");
        }
        Optional<Container> current = engine.container(name);
        if (current.isPresent()
                && !current.get().id().equals(then.id())
                && current.get().label(CreateBody.REPLACES).isEmpty()) {
            throw mismatch("Container " + name + " was made by somebody else");
        }
    }

    /**
     * Removes what took the place of the saved container, never its volumes, and gives the saved
     * one its name back; one that was removed by hand is made anew.
     */
    void bringBack(Managed program, String name, SavedContainer saved) {
        Container then = saved.container();
        Optional<Container> current = engine.container(name);
        if (current.isPresent() && !current.get().id().equals(then.id())) {
            engine.remove(current.get().id());
            current = Optional.empty();
        }
        Optional<Container> kept = engine.container(then.id());
        if (kept.isEmpty()) {
            ObjectNode body = CreateBody.again(then, imageOf(then), reference(then));
            Json.within(body, "Labels").put(CreateBody.REPLACES, then.id());
            engine.rename(staged(name, then, body, Json.text(body, "Image")), name);
        } else if (current.isEmpty()) {
            engine.rename(then.id(), name);
        }
        engine.container(stagedName(name)).ifPresent(it -> engine.remove(it.id()));
        Container back = engine.container(name).orElseThrow(() -> gone(name));
        ContainerRecord record = program.known().seenAs(back, program.known().configDigest());
        RestartPolicy policy = then.restartPolicy();
        program.keep(record.replacing("").holding(policy));
    }

    /** The name that its image goes by, unless that has come to mean another one. */
    private String reference(Container then) {
        boolean same =
                engine.image(then.imageName())
                        .filter(it -> it.id().equals(then.imageId()))
                        .isPresent();
        return same ? then.imageName() : then.imageId();
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
        LOG.info("Container started container={} id={}", name, found.id());
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

    private Image imageOf(Container container) {
        return engine.image(container.imageId()).orElseThrow(() -> noImage(container.imageName()));
    }

    private static ActionFailed gone(String name) {
        return new ActionFailed(
                ReasonCode.DRIFTED,
                "There is no container " + name + " on this node: find out who removed it.");
    }

    private static ActionFailed noImage(String image) {
        return new ActionFailed(
                ReasonCode.ARTIFACT_NOT_FOUND,
                "The engine no longer has the image " + image + ": get it again, retry.");
    }

    private static ActionFailed mismatch(String what) {
        return new ActionFailed(
                ReasonCode.BACKUP_MISMATCH,
                what + ": nothing was written; repair the node by hand, then clear it.");
    }
}
