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
public record TrustRecord(String root, List<Seen> programs) {
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
    record Seen(String chain, String program, ReleaseWatermark highest, List<Believed> believed) {
        Seen {
            believed = List.copyOf(believed);
        }
    }

    /** An artifact that a believed release named, and whether it may be gone back to. */
    record Believed(Digest digest, long counter, boolean rollbackAllowed) {}

    /** The same under another root. */
    TrustRecord withRoot(String envelope) {
        return new TrustRecord(envelope, programs);
    }

    /** What is remembered of a program's releases. */
    ReleaseWatermark highest(String chain, String program) {
        return seen(chain, program).map(Seen::highest).orElse(ReleaseWatermark.NONE);
    }

    private Optional<Seen> seen(String chain, String program) {
        return programs.stream()
                .filter(one -> one.chain().equals(chain) && one.program().equals(program))
                .findFirst();
    }

    /** What is known of an artifact of a program; the latest release that named it counts. */
    Optional<Believed> trusted(String chain, String program, Digest digest) {
        return seen(chain, program).stream()
                .flatMap(seen -> seen.believed().stream())
                .filter(one -> one.digest().equals(digest))
                .max(Comparator.comparingLong(Believed::counter));
    }

    /** With one more release seen, which gave this node an artifact. */
    TrustRecord withRelease(Release release, Digest artifact) {
        String chain = release.chain().value();
        String program = release.program().value();
        List<Believed> trusted =
                new ArrayList<>(seen(chain, program).map(Seen::believed).orElse(List.of()));
        trusted.removeIf(
                one -> one.digest().equals(artifact) && one.counter() == release.releaseNumber());
        trusted.add(new Believed(artifact, release.releaseNumber(), release.rollbackAllowed()));
        trusted.sort(Comparator.comparingLong(Believed::counter));
        List<Seen> all = new ArrayList<>(programs);
        all.removeIf(one -> one.chain().equals(chain) && one.program().equals(program));
        all.add(
                new Seen(
                        chain,
                        program,
                        highest(chain, program).withRelease(release),
                        trusted.subList(
                                Math.max(0, trusted.size() - MAX_TRUSTED), trusted.size())));
        return new TrustRecord(root, all);
    }
}
