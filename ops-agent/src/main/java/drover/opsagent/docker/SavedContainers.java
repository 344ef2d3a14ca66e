package drover.opsagent.docker;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Brings a program's container back as a backup has it. */
final class SavedContainers {
    private final Engine engine;
    private final Making making;

    SavedContainers(Engine engine) {
        this.engine = engine;
        this.making = new Making(engine);
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
            ObjectNode body = CreateBody.again(then, making.imageOf(then), reference(then));
            Json.within(body, "Labels").put(CreateBody.REPLACES, then.id());
            engine.rename(making.staged(name, then, body, Json.text(body, "Image")), name);
        } else if (current.isEmpty()) {
            engine.rename(then.id(), name);
        }
        engine.container(Containers.stagedName(name)).ifPresent(it -> engine.remove(it.id()));
        Container back = engine.container(name).orElseThrow(() -> Containers.gone(name));
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

    private static ActionFailed mismatch(String what) {
        return new ActionFailed(
                ReasonCode.BACKUP_MISMATCH,
                what + ": nothing was written; repair the node by hand, then clear it.");
    }
}
