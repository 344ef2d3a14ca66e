package drover.opsagent.store;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.AttemptRetentionFacts;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The journals of this node's attempts, one file each, and the contents they name. */
public final class JournalStore {
    private static final Pattern NAME = Pattern.compile("[0-9]{1,19}\\.json");
    private final StateDirectory state;
    // so that journals that change no more are read once
    private final Map<Long, AttemptRetentionFacts> remembered = new ConcurrentHashMap<>();

    /** Keeps journals in the agent's directory. */
    public JournalStore(StateDirectory state) {
        this.state = state;
    }

    /**
     * Makes a journal durable; returns only when it is. On a full disk the journal takes reserved
     * space, unless its attempt has not started: without the whole reserve none starts.
     */
    public void save(Journal journal) {
        remembered.remove(journal.attempt()); // a failing disk leaves either
        Path file = file(journal.attempt());
        if (isUnstarted(journal)) {
            state.reserve().requireComplete();
            state.save(file, journal);
        } else {
            state.saveInReserve(file, journal);
        }
        remembered.put(journal.attempt(), AttemptRetentionFacts.of(journal));
    }

    private static boolean isUnstarted(Journal journal) {
        return !journal.hasEnded()
                && journal.direction() == AttemptDirection.FORWARD
                && journal.actions().isEmpty();
    }

    /** The journal of an attempt; absent when there is none. */
    public @Nullable Journal loadJournal(long attempt) {
        Path file = file(attempt);
        return state.exists(file) ? state.load(file, Journal.class) : null;
    }

    /** The attempt itself, or the one that a restore undoes; null if its journal was deleted. */
    public @Nullable Journal loadUndoneJournal(Journal journal) {
        return journal.assignment().work() instanceof Work.Restore restore
                ? loadJournal(restore.ofAttempt())
                : journal;
    }

    /** The journal of the highest attempt; absent when the node never had one. */
    public @Nullable Journal loadLatest() {
        List<Long> attempts = listAttempts();
        return attempts.isEmpty() ? null : loadJournal(attempts.getLast());
    }

    /**
     * The journal of the attempt that is not over; absent when all are. It need not be the latest:
     * somebody on the node may have begun to take an earlier one back.
     */
    public @Nullable Journal loadOpenJournal() {
        for (long attempt : listAttempts().reversed()) {
            if (!loadSummary(attempt).outcome().isTerminal()) {
                return loadJournal(attempt);
            }
        }
        return null;
    }

    /** Every journal, the latest first; an agent keeps few of them. */
    public List<Journal> loadAllLatestFirst() {
        return listAttempts().reversed().stream()
                .map(attempt -> state.load(file(attempt), Journal.class))
                .toList();
    }

    /** Whether a failure that could not be undone waits to be cleared (D14). */
    public boolean hasUnclearedFailedRollback(long clearedThrough) {
        for (long attempt : listAttempts()) {
            if (attempt > clearedThrough && loadSummary(attempt).needsClear(clearedThrough)) {
                return true;
            }
        }
        return false;
    }

    /** Attempts that have a journal, in order. */
    public List<Long> listAttempts() {
        List<Long> attempts = new ArrayList<>();
        for (Path file : state.files().disk().list(state.journals())) {
            String name = String.valueOf(file.getFileName());
            if (NAME.matcher(name).matches()) {
                attempts.add(Long.parseLong(name.substring(0, name.indexOf('.'))));
            }
        }
        attempts.sort(Comparator.naturalOrder());
        return attempts;
    }

    /**
     * Saves the contents that an attempt needs, before its journal says that it was accepted. As
     * for that journal, the reserve must be complete.
     */
    public void saveContents(long attempt, Map<Digest, byte[]> contents) {
        if (contents.isEmpty()) {
            return;
        }
        state.reserve().requireComplete();
        state.files().createDirectories(state.contents(attempt));
        contents.forEach(
                (digest, bytes) ->
                        state.files()
                                .replace(
                                        contentFile(attempt, digest),
                                        bytes,
                                        FileAttributes.PRIVATE));
    }

    /** A content of an attempt. */
    public byte[] loadContent(long attempt, Digest digest, int atMost) {
        Path file = contentFile(attempt, digest);
        if (state.files().disk().size(file) > atMost) {
            throw new IllegalStateException(file + " is larger than it may be");
        }
        return state.files().disk().readAll(file);
    }

    /** What is left to know of every attempt, in order. */
    public List<AttemptRetentionFacts> loadSummaries() {
        return listAttempts().stream().map(this::loadSummary).toList();
    }

    private AttemptRetentionFacts loadSummary(long attempt) {
        return remembered.computeIfAbsent(
                attempt, _ -> AttemptRetentionFacts.of(state.load(file(attempt), Journal.class)));
    }

    /** Forgets an attempt, the journal last. Its backup must have been forgotten before. */
    public void delete(long attempt) {
        deleteContents(attempt);
        Disk disk = state.files().disk();
        if (disk.kind(state.contents(attempt)) == Disk.EntryKind.DIRECTORY) {
            disk.delete(state.contents(attempt));
        }
        state.files().delete(file(attempt));
        remembered.remove(attempt);
    }

    /** Forgets the contents of an attempt that is over. */
    public void deleteContents(long attempt) {
        Disk disk = state.files().disk();
        disk.list(state.contents(attempt)).forEach(disk::delete);
    }

    private Path contentFile(long attempt, Digest digest) {
        return state.contents(attempt).resolve(digest.value().substring("sha256:".length()));
    }

    private Path file(long attempt) {
        return state.journals().resolve(attempt + ".json");
    }
}
