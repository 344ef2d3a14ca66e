package drover.opsagent.docker;

import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.RestartPolicy;
import drover.opsagent.docker.recreate.CreateContainerBody;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Brings a program's container back as a backup has it. */
final class ContainerRestorer {
    private final ContainerEngine engine;
    private final StagedContainerCreator making;

    ContainerRestorer(ContainerEngine engine) {
        this.engine = engine;
        this.making = new StagedContainerCreator(engine);
    }

    /** Fails with BACKUP_MISMATCH unless the saved container can be brought back. */
    void requireRestorable(String name, SavedContainer saved, String journalled) {
        if (!saved.digest().value().equals(journalled)) {
            throw backupMismatch("Backup and journal disagree about the image");
        }
        Container then = saved.container();
        Optional<Container> kept = engine.findContainer(then.id());
        Optional<Image> image = engine.findImage(then.imageId());
        if (kept.isEmpty() && image.isEmpty()) {
            throw backupMismatch("Container " + then.id() + " and its image are gone");
        }
        if (!ImageDigests.of(kept.orElse(then), image).equals(saved.digest())) {
            throw backupMismatch("The kept container is of another image than was saved");
        }
        Optional<Container> current = engine.findContainer(name);
        if (current.isPresent()
                && !current.get().id().equals(then.id())
                && current.get().label(CreateContainerBody.REPLACES).isEmpty()) {
            throw backupMismatch("Container " + name + " was made by somebody else");
        }
    }

    /**
     * Removes what took the place of the saved container, never its volumes, and gives the saved
     * one its name back; one that was removed by hand is made anew.
     */
    void restore(ContainerRecordAndLock program, String name, SavedContainer saved) {
        Container then = saved.container();
        Optional<Container> current = engine.findContainer(name);
        if (current.isPresent() && !current.get().id().equals(then.id())) {
            engine.remove(current.get().id());
            current = Optional.empty();
        }
        Optional<Container> kept = engine.findContainer(then.id());
        if (kept.isEmpty()) {
            ObjectNode body =
                    CreateContainerBody.ofUnchanged(
                            then, making.requireImage(then), imageReference(then));
            EngineJson.putObjectCopy(body, "Labels").put(CreateContainerBody.REPLACES, then.id());
            engine.rename(
                    making.createStaged(name, then, body, EngineJson.stringField(body, "Image")),
                    name);
        } else if (current.isEmpty()) {
            engine.rename(then.id(), name);
        }
        engine.findContainer(ContainerLifecycle.stagedName(name))
                .ifPresent(it -> engine.remove(it.id()));
        Container back =
                engine.findContainer(name)
                        .orElseThrow(() -> ContainerLifecycle.missingContainer(name));
        ContainerRecord record =
                program.requireRecord().withContainer(back, program.requireRecord().configDigest());
        RestartPolicy policy = then.restartPolicy();
        program.saveRecord(record.withReplacedId("").withDeferredPolicy(policy));
    }

    /** The name that its image goes by, unless that has come to mean another one. */
    private String imageReference(Container then) {
        boolean same =
                engine.findImage(then.imageName())
                        .filter(it -> it.id().equals(then.imageId()))
                        .isPresent();
        return same ? then.imageName() : then.imageId();
    }

    private static ActionFailed backupMismatch(String what) {
        return new ActionFailed(
                ReasonCode.BACKUP_MISMATCH,
                what + ": nothing was written; repair the node by hand, then clear it.");
    }
}
