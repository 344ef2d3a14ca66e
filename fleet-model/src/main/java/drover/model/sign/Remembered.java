package drover.model.sign;

import drover.model.Version;

/**
 * What a node remembers of the releases of one program; none of it ever goes down (E6).
 *
 * @param counter highest ever believed; 0 when none was
 * @param version that the release with that counter had; empty when there was none
 * @param floor highest floor that a believed release set
 */
public record Remembered(long counter, String version, long floor) {
    /** A node that never saw a release of the program. */
    public static final Remembered NOTHING = new Remembered(0, "", 0);

    /** With one more release seen. */
    public Remembered and(Release release) {
        Version seen = release.version();
        return release.counter() < counter
                ? new Remembered(counter, version, Math.max(floor, release.floor()))
                : new Remembered(release.counter(), seen.value(), Math.max(floor, release.floor()));
    }
}
