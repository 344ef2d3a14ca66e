package drover.opsagent.docker;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.PlannedUpgrade;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import java.util.Set;

/** Looks whether an image can be had for this engine, and gets nothing of it. */
final class ImageCheck {
    private final Engine engine;
    private final DockerSettings settings;

    ImageCheck(Engine engine, DockerSettings settings) {
        this.engine = engine;
        this.settings = settings;
    }

    /** Fails as getting the image would, or when it is none for this engine's platform. */
    void require(PlannedUpgrade planned, Deadline deadline) {
        Artifact artifact = planned.artifact();
        Images.requirePinned(artifact);
        settings.requireMayPull(artifact.url());
        boolean here =
                engine.image(artifact.url())
                        .filter(image -> ImageDigest.isOf(image, artifact.digest()))
                        .isPresent();
        if (!here) {
            requirePlatform(planned, platforms(artifact, deadline));
        }
    }

    private Set<String> platforms(Artifact artifact, Deadline deadline) {
        try {
            return engine.platforms(artifact.url(), deadline);
        } catch (EngineFailed e) {
            throw Images.notPulled(artifact, e);
        }
    }

    /** What runs now shows what runs here; a registry that names no platform proves nothing. */
    private void requirePlatform(PlannedUpgrade planned, Set<String> offered) {
        String here =
                engine.container(planned.spec().launch().service())
                        .flatMap(container -> engine.image(container.imageId()))
                        .map(Image::platform)
                        .orElse("");
        if (!here.isEmpty() && !offered.isEmpty() && !offered.contains(here)) {
            throw new ActionFailed(
                    ReasonCode.WRONG_PLATFORM,
                    planned.artifact().url()
                            + " is for "
                            + String.join(", ", offered.stream().sorted().toList())
                            + ", what runs here is for "
                            + here
                            + ": push an image for this platform.");
        }
    }
}
