package drover.opsagent.docker;

import drover.model.UpgradeAction;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Checks;
import drover.opsagent.runtime.PlannedUpgrade;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import java.util.function.IntConsumer;

/** Artifacts that are images: no files, for the engine gets and keeps them. */
final class ImageArtifacts {
    private final Engine engine;
    private final DockerSettings settings;
    private final EngineWork work;

    ImageArtifacts(Engine engine, DockerSettings settings, EngineWork work) {
        this.engine = engine;
        this.settings = settings;
        this.work = work;
    }

    /** Looks whether it can be had; the engine asks its registry, and gets nothing. */
    void check(PlannedUpgrade planned, Checks checks, Deadline deadline) {
        ImageCheck image = new ImageCheck(engine, settings);
        checks.on(
                UpgradeAction.ACQUIRE_ARTIFACT,
                () -> work.within(deadline, () -> image.require(planned, deadline)));
    }

    /** Has the engine get it from its registry. */
    void acquire(Artifact artifact, Deadline deadline, IntConsumer percent) {
        Images.requirePinned(artifact);
        settings.requireMayPull(artifact.url());
        try {
            work.patiently(deadline, () -> engine.pull(artifact.url(), deadline, percent));
        } catch (EngineFailed e) {
            throw Images.notPulled(artifact, e);
        }
    }

    /** Fails with CHECKSUM_MISMATCH unless the engine has it. */
    void verify(Artifact artifact) {
        if (!isAcquired(artifact)) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The engine has no image "
                            + artifact.digest().brief()
                            + ": look at the engine, retry.");
        }
    }

    /** Whether the engine has the image of this very digest. */
    boolean isAcquired(Artifact artifact) {
        Images.requirePinned(artifact);
        return work.answer(
                work.soon(),
                () ->
                        engine.image(artifact.url())
                                .filter(it -> ImageDigest.isOf(it, artifact.digest()))
                                .isPresent());
    }
}
