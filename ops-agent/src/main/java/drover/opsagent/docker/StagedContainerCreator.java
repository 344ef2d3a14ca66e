package drover.opsagent.docker;

import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.recreate.ContainerPredictor;
import drover.opsagent.docker.recreate.NetworkEndpoints;
import drover.opsagent.docker.recreate.RecreationCheck;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Makes a container as another was, and looks whether it is. */
final class StagedContainerCreator {
    private final ContainerEngine engine;

    StagedContainerCreator(ContainerEngine engine) {
        this.engine = engine;
    }

    /** Makes a container under another name, in all its networks, and compares it. */
    String createStaged(String name, Container old, ObjectNode body, String image) {
        engine.findContainer(ContainerLifecycle.stagedName(name))
                .ifPresent(it -> engine.remove(it.id()));
        Image made = engine.findImage(image).orElseThrow(() -> missingImage(image));
        String id = engine.create(ContainerLifecycle.stagedName(name), body);
        List<NetworkEndpoints.Endpoint> further = NetworkEndpoints.additionalEndpoints(old);
        further.forEach(it -> engine.connectToNetwork(it.network(), id, it.config()));
        Container predicted = ContainerPredictor.predict(body, further, made);
        Container found =
                engine.findContainer(id)
                        .orElseThrow(() -> ContainerLifecycle.missingContainer(name));
        Optional<String> wrong =
                RecreationCheck.summarize(RecreationCheck.findDifferences(predicted, found));
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

    /** The image that a container was made of. */
    Image requireImage(Container container) {
        return engine.findImage(container.imageId())
                .orElseThrow(() -> missingImage(container.imageName()));
    }

    private static ActionFailed missingImage(String image) {
        return new ActionFailed(
                ReasonCode.ARTIFACT_NOT_FOUND,
                "The engine no longer has the image " + image + ": get it again.");
    }
}
