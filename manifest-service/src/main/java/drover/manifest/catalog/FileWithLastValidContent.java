package drover.manifest.catalog;

import drover.manifest.document.ValidationProblem;
import drover.manifest.source.FileStamp;
import drover.model.Digest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A file as known: how it looks now and the last good content.
 *
 * @param stamp of the bytes that were read last
 * @param readAt when they were read
 * @param hash hash of these bytes
 * @param since when these bytes were read first
 * @param stable whether these bytes were read twice, {@link #STABLE_AFTER} apart
 * @param problems of these bytes; empty when they are good
 * @param lastGood the last good content; empty when there never was any
 */
public record FileWithLastValidContent<T>(
        FileStamp stamp,
        Instant readAt,
        Digest hash,
        Instant since,
        boolean stable,
        List<ValidationProblem> problems,
        Optional<LoadedContent<T>> lastGood) {
    /** Time for which a file must be unchanged before its content is accepted. */
    public static final Duration STABLE_AFTER = Duration.ofSeconds(1);

    public FileWithLastValidContent {
        problems = List.copyOf(problems);
    }

    /**
     * Content that is in use.
     *
     * @param at when it was read
     */
    public record LoadedContent<T>(T value, Digest hash, Instant at) {}

    /** Whether a file with this stamp need not be read again. */
    boolean isCurrent(FileStamp now) {
        return stable && stamp.equals(now) && !stamp.isTooRecent(readAt);
    }
}
