package drover.manifest.catalog;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.SourceLocation;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.parse.ContentHash;
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
 * keeps it until two readings, {@link FileState#STABLE_AFTER} apart, found the same bytes: a
 * half-written file may be valid. A deleted file is forgotten.
 */
final class FileCache<T> {
    private static final Logger LOG = LoggerFactory.getLogger(FileCache.class);

    /** Gives a located tree its meaning. */
    interface Parser<T> {
        ParseResult<T> parse(YamlNode document, Digest contentHash, String file);
    }

    private final ConfigDirectory directory;
    private final InstantSource clock;
    private final Parser<T> meaning;
    private final Map<String, FileState<T>> states = new ConcurrentSkipListMap<>();

    FileCache(ConfigDirectory directory, InstantSource clock, Parser<T> meaning) {
        this.directory = directory;
        this.clock = clock;
        this.meaning = meaning;
    }

    /** All files, by path. */
    Map<String, FileState<T>> states() {
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
    synchronized Optional<FileState<T>> refresh(String file) {
        Optional<FileState<T>> before = Optional.ofNullable(states.get(file));
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

    private FileState<T> updateState(
            String file, Optional<FileState<T>> before, FileStamp stamp, byte[] bytes) {
        Digest hash = ContentHash.of(bytes);
        Instant now = clock.instant();
        Optional<FileState<T>> same = before.filter(known -> known.hash().equals(hash));
        Instant since = same.map(FileState::since).filter(it -> !it.isAfter(now)).orElse(now);
        if (same.isPresent() && same.get().stable()) {
            FileState<T> known = same.get();
            FileState<T> again =
                    new FileState<>(
                            stamp, now, hash, since, true, known.problems(), known.lastGood());
            states.put(file, again);
            return again;
        }
        if (now.isBefore(since.plus(FileState.STABLE_AFTER))) {
            FileState<T> changing = changingState(file, before, stamp, hash, since);
            states.put(file, changing);
            return changing;
        }
        FileState<T> state = parseContent(file, before, stamp, bytes, hash);
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
    private FileState<T> changingState(
            String file,
            Optional<FileState<T>> before,
            FileStamp stamp,
            Digest hash,
            Instant since) {
        ValidationProblem problem =
                new ValidationProblem(
                        file,
                        SourceLocation.FILE,
                        ProblemCode.FILE_CHANGING,
                        "The file is being written: repeat the request when it is complete.");
        return new FileState<>(
                stamp,
                clock.instant(),
                hash,
                since,
                false,
                List.of(problem),
                before.flatMap(FileState::lastGood));
    }

    private FileState<T> parseContent(
            String file,
            Optional<FileState<T>> before,
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
        Optional<FileState.LoadedContent<T>> good =
                switch (parsed) {
                    case ParseResult.Valid<T>(T value) ->
                            Optional.of(
                                    new FileState.LoadedContent<>(value, hash, clock.instant()));
                    case ParseResult.Invalid<T> _ -> before.flatMap(FileState::lastGood);
                };
        Instant now = clock.instant();
        return new FileState<>(stamp, now, hash, now, true, parsed.problems(), good);
    }

    /** A file that is there but cannot be read keeps its content and is reported. */
    private Optional<FileState<T>> putUnreadable(
            String file, Optional<FileState<T>> before, IOException e) {
        ValidationProblem problem =
                new ValidationProblem(
                        file,
                        SourceLocation.FILE,
                        ProblemCode.UNREADABLE,
                        "The file cannot be read: correct its permissions.");
        FileStamp none = new FileStamp(clock.instant(), -1, "");
        FileState<T> state =
                new FileState<>(
                        none,
                        clock.instant(),
                        ContentHash.of(new byte[0]),
                        clock.instant(),
                        true,
                        List.of(problem),
                        before.flatMap(FileState::lastGood));
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
