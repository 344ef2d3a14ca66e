package drover.opsagent.docker;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Makes a container as another was, and looks whether it is. */
final class Making {
    private final Engine engine;

    Making(Engine engine) {
        this.engine = engine;
    }

    /** Makes a container under another name, in all its networks, and compares it. */
    String staged(String name, Container old, ObjectNode body, String image) {
        engine.container(Containers.stagedName(name)).ifPresent(it -> engine.remove(it.id()));
        Image made = engine.image(image).orElseThrow(() -> noImage(image));
        String id = engine.create(Containers.stagedName(name), body);
        List<Endpoints.Endpoint> further = Endpoints.further(old);
        further.forEach(it -> engine.connect(it.network(), id, it.config()));
        Container predicted = PredictedContainer.of(body, further, made);
        Container found = engine.container(id).orElseThrow(() -> Containers.gone(name));
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

    /** The image that a container was made of. */
    Image imageOf(Container container) {
        return engine.image(container.imageId()).orElseThrow(() -> noImage(container.imageName()));
    }

    private static ActionFailed noImage(String image) {
        return new ActionFailed(
                ReasonCode.ARTIFACT_NOT_FOUND,
                "The engine no longer has the image " + image + ": get it again, retry.");
    }
}
