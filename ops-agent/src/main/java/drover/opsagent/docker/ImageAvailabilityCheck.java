package drover.opsagent.docker;

import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.time.Deadline;
import java.util.Set;

/** Looks whether an image can be had for this engine, and gets nothing of it. */
final class ImageAvailabilityCheck {
    private final ContainerEngine engine;
    private final DockerAccessSettings settings;

    ImageAvailabilityCheck(ContainerEngine engine, DockerAccessSettings settings) {
        this.engine = engine;
        this.settings = settings;
    }

    /** Fails as getting the image would, or when it is none for this engine's platform. */
    void requireAvailable(UpgradePreflightInput planned, Deadline deadline) {
        Artifact artifact = planned.artifact();
        ImagePullRules.requirePinned(artifact);
        settings.requireRegistryAllowed(artifact.url());
        boolean here =
                engine.findImage(artifact.url())
                        .filter(image -> ImageDigests.hasDigest(image, artifact.digest()))
                        .isPresent();
        if (!here) {
            requirePlatform(planned, fetchPlatforms(artifact, deadline));
        }
    }

    private Set<String> fetchPlatforms(Artifact artifact, Deadline deadline) {
        try {
            return engine.fetchPlatforms(artifact.url(), deadline);
        } catch (EngineFailed e) {
            throw ImagePullRules.pullFailure(artifact, e);
        }
    }

    /** What runs now shows what runs here; a registry that names no platform proves nothing. */
    private void requirePlatform(UpgradePreflightInput planned, Set<String> offered) {
        String here =
                engine.findContainer(planned.spec().launch().service())
                        .flatMap(container -> engine.findImage(container.imageId()))
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
