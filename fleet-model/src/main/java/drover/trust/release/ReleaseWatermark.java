package drover.trust.release;

import drover.model.Version;

/**
 * What a node remembers of the releases of one program; none of it ever goes down (E6).
 *
 * @param releaseNumber highest ever believed; 0 when none was
 * @param version that the release with that counter had; empty when there was none
 * @param minimumReleaseNumber highest floor that a believed release set
 */
public record ReleaseWatermark(long releaseNumber, String version, long minimumReleaseNumber) {
    /** A node that never saw a release of the program. */
    public static final ReleaseWatermark NONE = new ReleaseWatermark(0, "", 0);

    /** With one more release seen. */
    public ReleaseWatermark withRelease(Release release) {
        Version seen = release.version();
        return release.releaseNumber() < releaseNumber
                ? new ReleaseWatermark(
                        releaseNumber,
                        version,
                        Math.max(minimumReleaseNumber, release.minimumReleaseNumber()))
                : new ReleaseWatermark(
                        release.releaseNumber(),
                        seen.value(),
                        Math.max(minimumReleaseNumber, release.minimumReleaseNumber()));
    }
}
