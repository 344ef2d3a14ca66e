package drover.opsagent.docker;

import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.util.Locale;

/** Which images are got, and what it means that one was not. */
public final class ImagePullRules {
    private ImagePullRules() {}

    /** Fails unless the artifact is an image that is pinned by the digest it is named by. */
    static void requirePinned(Artifact artifact) {
        boolean pinned =
                ImageDigests.findPinned(artifact.url())
                        .filter(artifact.digest()::equals)
                        .isPresent();
        if (!pinned) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "'"
                            + artifact.url()
                            + "' is no image pinned by its digest: write name@sha256:… with the"
                            + " digest of target_checksum.");
        }
    }

    /** Why an image could not be got, from what the engine complained about. */
    public static ActionFailed pullFailure(Artifact artifact, EngineFailed why) {
        String message = why.message().toLowerCase(Locale.ROOT);
        ReasonCode reason = ReasonCode.DOWNLOAD_FAILED;
        String remedy = "check the registry and the way to it";
        if (message.contains("unauthorized") || message.contains("denied")) {
            reason = ReasonCode.DOWNLOAD_REFUSED;
            remedy = "give the node a login for the registry";
        } else if (message.contains("not found") || message.contains("unknown")) {
            reason = ReasonCode.ARTIFACT_NOT_FOUND;
            remedy = "correct the manifest or push the image";
        } else if (message.contains("no space left")) {
            reason = ReasonCode.DISK_FULL;
            remedy = "free room where the engine keeps its images";
        }
        return new ActionFailed(
                reason, artifact.url() + " cannot be got (" + why.message() + "): " + remedy + ".");
    }
}
