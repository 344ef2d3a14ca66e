package drover.opsagent.trust;

import drover.model.Digest;
import drover.trust.release.Release;
import drover.trust.release.ReleaseWatermark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What this node has believed so far; no number in it ever goes down (E6).
 *
 * @param root envelope of the newest root of trust that was followed to
 * @param programs what was seen of each program's releases
 */
public record TrustRecord(String root, List<SeenReleases> programs) {
    private static final int MAX_TRUSTED = 50; // as many as versions are known of

    public TrustRecord {
        programs = List.copyOf(programs);
    }

    /**
     * What was seen of one program's releases.
     *
     * @param highest the numbers that never go down
     * @param believed artifacts that a believed release named
     */
    record SeenReleases(
            String chain,
            String program,
            ReleaseWatermark highest,
            List<TrustedArtifact> believed) {
        SeenReleases {
            believed = List.copyOf(believed);
        }
    }

    /** An artifact that a believed release named, and whether it may be gone back to. */
    record TrustedArtifact(Digest digest, long counter, boolean rollbackAllowed) {}

    /** The same under another root. */
    TrustRecord withRoot(String envelope) {
        return new TrustRecord(envelope, programs);
    }

    /** What is remembered of a program's releases. */
    ReleaseWatermark watermark(String chain, String program) {
        return findSeenReleases(chain, program)
                .map(SeenReleases::highest)
                .orElse(ReleaseWatermark.NONE);
    }

    private Optional<SeenReleases> findSeenReleases(String chain, String program) {
        return programs.stream()
                .filter(one -> one.chain().equals(chain) && one.program().equals(program))
                .findFirst();
    }

    /** What is known of an artifact of a program; the latest release that named it counts. */
    Optional<TrustedArtifact> findTrustedArtifact(String chain, String program, Digest digest) {
        return findSeenReleases(chain, program).stream()
                .flatMap(seen -> seen.believed().stream())
                .filter(one -> one.digest().equals(digest))
                .max(Comparator.comparingLong(TrustedArtifact::counter));
    }

    /** With one more release seen, which gave this node an artifact. */
    TrustRecord withRelease(Release release, Digest artifact) {
        String chain = release.chain().value();
        String program = release.program().value();
        List<TrustedArtifact> trusted =
                new ArrayList<>(
                        findSeenReleases(chain, program)
                                .map(SeenReleases::believed)
                                .orElse(List.of()));
        trusted.removeIf(
                one -> one.digest().equals(artifact) && one.counter() == release.releaseNumber());
        trusted.add(
                new TrustedArtifact(artifact, release.releaseNumber(), release.rollbackAllowed()));
        trusted.sort(Comparator.comparingLong(TrustedArtifact::counter));
        List<SeenReleases> all = new ArrayList<>(programs);
        all.removeIf(one -> one.chain().equals(chain) && one.program().equals(program));
        all.add(
                new SeenReleases(
                        chain,
                        program,
                        watermark(chain, program).withRelease(release),
                        trusted.subList(
                                Math.max(0, trusted.size() - MAX_TRUSTED), trusted.size())));
        return new TrustRecord(root, all);
    }
}
