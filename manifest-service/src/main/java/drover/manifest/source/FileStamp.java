package drover.manifest.source;

import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;

/** What tells cheaply that a file has changed. */
public record FileStamp(Instant modified, long size, String key) {
    /** File systems count in steps of up to two seconds (FAT); a write within one may not show. */
    private static final Duration COARSEST_STEP = Duration.ofSeconds(2);

    static FileStamp of(BasicFileAttributes attributes) {
        return new FileStamp(
                attributes.lastModifiedTime().toInstant(),
                attributes.size(),
                String.valueOf(attributes.fileKey()));
    }

    /** Whether a reading at that time may have missed a later write with the same stamp. */
    public boolean isTooRecent(Instant readAt) {
        return modified.plus(COARSEST_STEP).isAfter(readAt);
    }
}
