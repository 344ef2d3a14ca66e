package drover.manifest.catalog;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.parse.RawContentHash;
import drover.manifest.source.ConfigDirectory;
import drover.manifest.source.FileStamp;
import drover.manifest.source.YamlReader;
import drover.model.Digest;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All files of one kind. A file that breaks keeps its last good content, and a file that changes
 * keeps it until two readings, {@link FileWithLastValidContent#STABLE_AFTER} apart, found the same
 * bytes: a half-written file may be valid. A deleted file is forgotten.
 */
final class LastValidFileCache<T> {
    private static final Logger LOG = LoggerFactory.getLogger(LastValidFileCache.class);

    /** Gives a located tree its meaning. */
    interface Parser<T> {
        ParseResult<T> parse(YamlNode document, Digest contentHash, String file);
    }

    private final ConfigDirectory directory;
    private final InstantSource clock;
    private final Parser<T> meaning;
    private final Map<String, FileWithLastValidContent<T>> states = new ConcurrentSkipListMap<>();

    LastValidFileCache(ConfigDirectory directory, InstantSource clock, Parser<T> meaning) {
        this.directory = directory;
        this.clock = clock;
        this.meaning = meaning;
    }

    /** All files, by path. */
    Map<String, FileWithLastValidContent<T>> states() {
        return states;
    }

    /** Looks at exactly these files and forgets all others. */
    void refreshAndRetainOnly(Set<String> files) {
        states.keySet().stream()
                .filter(known -> !files.contains(known))
                .toList()
                .forEach(this::forget);
        files.forEach(this::refresh);
    }

    /** Looks at one file, reading it again when it may have changed. */
    synchronized Optional<FileWithLastValidContent<T>> refresh(String file) {
        Optional<FileWithLastValidContent<T>> before = Optional.ofNullable(states.get(file));
        try {
            Optional<FileStamp> stamp = directory.readStamp(file);
            if (stamp.isEmpty()) {
                forget(file);
                return Optional.empty();
            }
            if (before.isPresent() && before.get().isCurrent(stamp.get())) {
                return before;
            }
            Optional<byte[]> bytes = directory.readUpToLimit(file);
            if (bytes.isEmpty()) {
                forget(file);
                return Optional.empty();
            }
            return Optional.of(updateState(file, before, stamp.get(), bytes.get()));
        } catch (IOException e) {
            return putUnreadable(file, before, e);
        }
    }

    private FileWithLastValidContent<T> updateState(
            String file,
            Optional<FileWithLastValidContent<T>> before,
            FileStamp stamp,
            byte[] bytes) {
        Digest hash = RawContentHash.of(bytes);
        Instant now = clock.instant();
        Optional<FileWithLastValidContent<T>> same =
                before.filter(known -> known.hash().equals(hash));
        Instant since =
                same.map(FileWithLastValidContent::since)
                        .filter(it -> !it.isAfter(now))
                        .orElse(now);
        if (same.isPresent() && same.get().stable()) {
            FileWithLastValidContent<T> known = same.get();
            FileWithLastValidContent<T> again =
                    new FileWithLastValidContent<>(
                            stamp, now, hash, since, true, known.problems(), known.lastGood());
            states.put(file, again);
            return again;
        }
        if (now.isBefore(since.plus(FileWithLastValidContent.STABLE_AFTER))) {
            FileWithLastValidContent<T> changing = changingState(file, before, stamp, hash, since);
            states.put(file, changing);
            return changing;
        }
        FileWithLastValidContent<T> state = parseContent(file, before, stamp, bytes, hash);
        states.put(file, state);
        LOG.info(
                "A configuration file was read file={} contentHash={} problems={} usable={}",
                file,
                hash,
                state.problems().size(),
                state.lastGood().isPresent());
        return state;
    }

    /** New bytes that may be half of a file. */
    private FileWithLastValidContent<T> changingState(
            String file,
            Optional<FileWithLastValidContent<T>> before,
            FileStamp stamp,
            Digest hash,
            Instant since) {
        ValidationProblem problem =
                new ValidationProblem(
                        file,
                        FieldLocation.FILE,
                        ProblemCode.FILE_CHANGING,
                        "The file is being written: repeat the request when it is complete.");
        return new FileWithLastValidContent<>(
                stamp,
                clock.instant(),
                hash,
                since,
                false,
                List.of(problem),
                before.flatMap(FileWithLastValidContent::lastGood));
    }

    private FileWithLastValidContent<T> parseContent(
            String file,
            Optional<FileWithLastValidContent<T>> before,
            FileStamp stamp,
            byte[] bytes,
            Digest hash) {
        ParseResult<T> parsed =
                switch (YamlReader.read(bytes, file)) {
                    case ParseResult.Valid<YamlNode>(YamlNode document) ->
                            meaning.parse(document, hash, file);
                    case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                            new ParseResult.Invalid<>(problems);
                };
        Optional<FileWithLastValidContent.LoadedContent<T>> good =
                switch (parsed) {
                    case ParseResult.Valid<T>(T value) ->
                            Optional.of(
                                    new FileWithLastValidContent.LoadedContent<>(
                                            value, hash, clock.instant()));
                    case ParseResult.Invalid<T> _ ->
                            before.flatMap(FileWithLastValidContent::lastGood);
                };
        Instant now = clock.instant();
        return new FileWithLastValidContent<>(stamp, now, hash, now, true, parsed.problems(), good);
    }

    /** A file that is there but cannot be read keeps its content and is reported. */
    private Optional<FileWithLastValidContent<T>> putUnreadable(
            String file, Optional<FileWithLastValidContent<T>> before, IOException e) {
        ValidationProblem problem =
                new ValidationProblem(
                        file,
                        FieldLocation.FILE,
                        ProblemCode.UNREADABLE,
                        "The file cannot be read: correct its permissions.");
        FileStamp none = new FileStamp(clock.instant(), -1, "");
        FileWithLastValidContent<T> state =
                new FileWithLastValidContent<>(
                        none,
                        clock.instant(),
                        RawContentHash.of(new byte[0]),
                        clock.instant(),
                        true,
                        List.of(problem),
                        before.flatMap(FileWithLastValidContent::lastGood));
        if (before.isEmpty() || !before.get().problems().equals(state.problems())) {
            LOG.warn("A configuration file cannot be read file={} reason={}", file, e.toString());
        }
        states.put(file, state);
        return Optional.of(state);
    }

    private synchronized void forget(String file) {
        if (states.remove(file) != null) {
            LOG.info("A configuration file is gone file={}", file);
        }
    }
}
