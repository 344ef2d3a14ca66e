package drover.opsagent.docker;

import drover.model.UpgradeAction;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.time.Deadline;
import java.util.function.IntConsumer;

/** Artifacts that are images: no files, for the engine gets and keeps them. */
final class ImageAcquirer {
    private final ContainerEngine engine;
    private final DockerAccessSettings settings;
    private final EngineOperationRunner work;

    ImageAcquirer(
            ContainerEngine engine, DockerAccessSettings settings, EngineOperationRunner work) {
        this.engine = engine;
        this.settings = settings;
        this.work = work;
    }

    /** Looks whether it can be had; the engine asks its registry, and gets nothing. */
    void checkAvailability(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        ImageAvailabilityCheck image = new ImageAvailabilityCheck(engine, settings);
        checks.run(
                UpgradeAction.ACQUIRE_ARTIFACT,
                () -> work.runAction(deadline, () -> image.requireAvailable(planned, deadline)));
    }

    /** Has the engine get it from its registry. */
    void acquire(Artifact artifact, Deadline deadline, IntConsumer percent) {
        ImagePullRules.requirePinned(artifact);
        settings.requireRegistryAllowed(artifact.url());
        try {
            work.retry(deadline, () -> engine.pull(artifact.url(), deadline, percent));
        } catch (EngineFailed e) {
            throw ImagePullRules.pullFailure(artifact, e);
        }
    }

    /** Fails with CHECKSUM_MISMATCH unless the engine has it. */
    void verify(Artifact artifact) {
        if (!isAcquired(artifact)) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The engine has no image "
                            + artifact.digest().shortHex()
                            + ": look at the engine.");
        }
    }

    /** Whether the engine has the image of this very digest. */
    boolean isAcquired(Artifact artifact) {
        ImagePullRules.requirePinned(artifact);
        return work.callAction(
                work.restartDeadline(),
                () ->
                        engine.findImage(artifact.url())
                                .filter(it -> ImageDigests.hasDigest(it, artifact.digest()))
                                .isPresent());
    }
}
