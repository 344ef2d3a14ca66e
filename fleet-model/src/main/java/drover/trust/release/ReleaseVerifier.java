package drover.trust.release;

import drover.model.Digest;
import drover.model.NodePath;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides whether a node believes a release (E1, E6–E8). Pure: the same arguments, the same answer.
 * What is signed is looked at only after the signatures, in this order: kind, signatures, content,
 * expiry, agreement with the command, age.
 */
public final class ReleaseVerifier {
    private ReleaseVerifier() {}

    /**
     * A release that enough trusted people signed and that is not over.
     *
     * @param signers whose signatures are good
     */
    public record VerifiedRelease(Release release, Set<Digest> signers) {
        public VerifiedRelease {
            signers = Set.copyOf(signers);
        }
    }

    /**
     * Verifies an envelope.
     *
     * @param root that is believed
     * @throws NotTrusted with the reason when it is not to be believed
     */
    public static VerifiedRelease verify(byte[] envelope, Root root, Instant now) {
        root.requireNotExpired(now);
        Envelope read = Envelope.parse(envelope, Release.MAX_BYTES);
        if (!read.type().equals(Envelope.RELEASE)) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE,
                    "The envelope holds no release but "
                            + read.type()
                            + ": take the right file (cross-use).");
        }
        Set<Digest> signers = root.releases().requireSignatures("The release", read, root.keys());
        Release release = Release.parse(read.payload());
        if (!now.isBefore(release.expires())) {
            throw new NotTrusted(
                    RejectionReason.FREEZE,
                    "The release expired at "
                            + release.expires()
                            + ": sign it anew, or roll out a later one (freeze).");
        }
        return new VerifiedRelease(release, signers);
    }

    /**
     * Demands that release and command are about the same thing (E7): either alone installs
     * nothing.
     *
     * @return the artifact that the node gets; its length bounds the download (E4)
     * @throws NotTrusted as {@link RejectionReason#MIX_AND_MATCH}
     */
    public static ReleaseArtifact requireMatch(Release release, InstallRequest claim) {
        requireSame("chain", release.chain().value(), claim.chain().value());
        if (!release.nodeTypes().contains(claim.nodeType())) {
            throw mismatch("node type", joinNames(release.nodeTypes()), claim.nodeType().value());
        }
        requireSame("program", release.program().value(), claim.program().value());
        requireSame("version", release.version().value(), claim.version());
        ReleaseArtifact artifact =
                release.artifactFor(claim.platform())
                        .orElseThrow(() -> mismatch("platform", "others", claim.platform()));
        requireSame("digest", artifact.digest().value(), claim.digest().value());
        if (claim.length() != 0 && artifact.length() != 0) {
            requireSame("length", "" + artifact.length(), "" + claim.length());
        }
        for (NodePath path : claim.configPaths()) {
            if (!release.configPaths().contains(path)) {
                throw mismatch(
                        "configuration file", joinNames(release.configPaths()), path.value());
            }
        }
        return artifact;
    }

    private static String joinNames(List<?> names) {
        return names.isEmpty()
                ? "none"
                : names.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    private static void requireSame(String what, String signed, String requested) {
        if (!signed.equals(requested)) {
            throw mismatch(what, signed, requested);
        }
    }

    private static NotTrusted mismatch(String what, String signed, String requested) {
        return new NotTrusted(
                RejectionReason.MIX_AND_MATCH,
                "The release is signed for "
                        + what
                        + " "
                        + signed
                        + ", not for "
                        + requested
                        + ": roll out what was signed, or have this signed (mix-and-match).");
    }

    /**
     * Demands that a node does not go below what it has seen (E6), unless the release itself says
     * that it may be gone back to, and no floor is above it (E8).
     *
     * @throws NotTrusted as {@link RejectionReason#ROLLBACK}
     */
    public static void requireNoDowngrade(Release release, ReleaseWatermark seen) {
        boolean twice =
                release.releaseNumber() == seen.releaseNumber()
                        && !release.version().value().equals(seen.version());
        if (twice) {
            throw new NotTrusted(
                    RejectionReason.MIX_AND_MATCH,
                    "Release "
                            + release.releaseNumber()
                            + " was version "
                            + seen.version()
                            + " on this node before: give "
                            + release.version()
                            + " a counter of its own (mix-and-match).");
        }
        if (release.releaseNumber() < seen.minimumReleaseNumber()) {
            throw new NotTrusted(
                    RejectionReason.ROLLBACK,
                    "Release "
                            + release.releaseNumber()
                            + " is below the floor "
                            + seen.minimumReleaseNumber()
                            + " of this node: roll out a later one (rollback).");
        }
        if (release.releaseNumber() < seen.releaseNumber() && !release.rollbackAllowed()) {
            throw new NotTrusted(
                    RejectionReason.ROLLBACK,
                    "Release "
                            + release.releaseNumber()
                            + " is older than "
                            + seen.releaseNumber()
                            + ", which this node has seen, and not signed as one to go back to:"
                            + " roll out a later one (rollback).");
        }
    }
}
