package drover.opsagent.store;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileMode;
import drover.opsagent.script.Journal;
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
    private static final int RESERVE_BYTES = 32 * 1024; // a journal and its successor
    private static final int KEPT_ATTEMPTS = 20; // years of upgrades at one a month
    private final StateDirectory state;
    private final Map<Long, Remembered> remembered = new ConcurrentHashMap<>();

    /** What is asked of every journal again and again, so that old ones are read once. */
    private record Remembered(boolean stuck, boolean mutated) {
        static Remembered of(Journal journal) {
            boolean stuck = journal.ending().outcome() == AttemptOutcome.FAILED_ROLLBACK;
            return new Remembered(stuck, journal.hasMutated());
        }
    }

    /** Keeps journals in the agent's directory. */
    public JournalStore(StateDirectory state) {
        this.state = state;
    }

    /**
     * Sets room aside, so that an attempt that meets a full disk can still be journalled on its way
     * back (D15).
     */
    public void setRoomAside() {
        Path reserve = reserve();
        if (!state.exists(reserve)) {
            state.files().createDirectories(state.attempts());
            state.files().replace(reserve, new byte[RESERVE_BYTES], FileMode.PRIVATE);
        }
    }

    /** Makes a journal durable. Comes back only when it is. */
    public void save(Journal journal) {
        remembered.remove(journal.attempt()); // a failing disk leaves either
        write(journal);
        remembered.put(journal.attempt(), Remembered.of(journal));
    }

    private void write(Journal journal) {
        try {
            state.save(file(journal.attempt()), journal);
        } catch (DiskFailure e) {
            if (!e.isFull() || !state.exists(reserve())) {
                throw e;
            }
            state.files().delete(reserve());
            state.save(file(journal.attempt()), journal);
        }
    }

    /** The journal of an attempt; absent when there is none. */
    public @Nullable Journal journal(long attempt) {
        Path file = file(attempt);
        return state.exists(file) ? state.load(file, Journal.class) : null;
    }

    /** The journal of the highest attempt; absent when the node never had one. */
    public @Nullable Journal latest() {
        List<Long> attempts = attempts();
        return attempts.isEmpty() ? null : journal(attempts.getLast());
    }

    /** Whether a failure that could not be undone waits to be cleared (D14). */
    public boolean isStuck(long clearedThrough) {
        for (long attempt : attempts()) {
            if (attempt > clearedThrough && remembered(attempt).stuck()) {
                return true;
            }
        }
        return false;
    }

    /** Attempts that have a journal, in order. */
    public List<Long> attempts() {
        List<Long> attempts = new ArrayList<>();
        for (Path file : state.files().disk().list(state.attempts())) {
            String name = String.valueOf(file.getFileName());
            if (NAME.matcher(name).matches()) {
                attempts.add(Long.parseLong(name.substring(0, name.indexOf('.'))));
            }
        }
        attempts.sort(Comparator.naturalOrder());
        return attempts;
    }

    /** Keeps the contents an attempt needs, before its journal says that it was accepted. */
    public void keepContents(long attempt, Map<Digest, byte[]> contents) {
        if (contents.isEmpty()) {
            return;
        }
        state.files().createDirectories(state.contents(attempt));
        contents.forEach(
                (digest, bytes) ->
                        state.files().replace(content(attempt, digest), bytes, FileMode.PRIVATE));
    }

    /** A content of an attempt. */
    public byte[] content(long attempt, Digest digest, int atMost) {
        Path file = content(attempt, digest);
        if (state.files().disk().size(file) > atMost) {
            throw new IllegalStateException(file + " is larger than it may be");
        }
        return state.files().disk().readAll(file);
    }

    /**
     * Forgets old attempts with their backups (I6). Of those that changed the node the latest
     * {@value #KEPT_ATTEMPTS} stay: a rollout that can still be rolled back is among them, for a
     * node is in one at a time. Of the others as many, counted apart: refusals must not push the
     * way back out.
     */
    public void prune(long clearedThrough) {
        int changed = 0;
        int others = 0;
        for (long attempt : attempts().reversed()) {
            Remembered journal = remembered(attempt);
            if (journal.stuck() && attempt > clearedThrough) {
                continue;
            }
            int rank = journal.mutated() ? ++changed : ++others;
            if (rank > KEPT_ATTEMPTS) {
                forget(attempt);
            }
        }
    }

    private Remembered remembered(long attempt) {
        return remembered.computeIfAbsent(
                attempt, _ -> Remembered.of(state.load(file(attempt), Journal.class)));
    }

    private void forgetBackup(Journal journal) {
        Path rollout = state.backups().resolve(journal.assignment().rolloutId());
        if (!journal.assignment().rolloutId().isEmpty()) {
            forgetDirectory(rollout.resolve(Long.toString(journal.attempt())));
            if (state.files().disk().list(rollout).isEmpty()) {
                forgetDirectory(rollout);
            }
        }
    }

    private void forgetDirectory(Path directory) {
        Disk disk = state.files().disk();
        if (disk.kind(directory) == Disk.Kind.DIRECTORY) {
            disk.list(directory).forEach(disk::delete);
            disk.delete(directory);
        }
    }

    private void forget(long attempt) {
        forgetBackup(state.load(file(attempt), Journal.class));
        forgetDirectory(state.contents(attempt));
        state.files().delete(file(attempt));
        remembered.remove(attempt);
    }

    /** Forgets the contents of an attempt that is over. */
    public void forgetContents(long attempt) {
        Disk disk = state.files().disk();
        disk.list(state.contents(attempt)).forEach(disk::delete);
    }

    private Path content(long attempt, Digest digest) {
        return state.contents(attempt).resolve(digest.value().substring("sha256:".length()));
    }

    private Path file(long attempt) {
        return state.attempts().resolve(attempt + ".json");
    }

    private Path reserve() {
        return state.attempts().resolve("reserve");
    }
}
