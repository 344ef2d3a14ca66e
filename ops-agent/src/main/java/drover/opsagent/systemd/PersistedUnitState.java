package drover.opsagent.systemd;

import drover.model.Digest;
import drover.opsagent.runtime.RestartBackoff;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.systemd.UnitIntentAndRun.RunWithDigests;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the agent remembers of one program's unit, on disk first and then in memory. */
final class PersistedUnitState {
    /** Held by whoever starts or stops the unit: supervision leaves alone what is in hand. */
    final ReentrantLock lock = new ReentrantLock();

    final RestartBackoff backoff = new RestartBackoff();
    private final StateDirectory state;
    private final Path file;
    private volatile @Nullable UnitIntentAndRun record;
    private volatile @Nullable RunWithDigests observedRun;
    private String verifiedRun = "";
    private @Nullable Digest verifiedDigest;

    /** Invocation of the run whose start failed; empty if the latest start did not fail. */
    volatile String failedRun = "";

    /** Systemd's count when it was last looked at; only what comes on top is new. */
    int restartsSeen;

    PersistedUnitState(StateDirectory state, String program) {
        this.state = state;
        this.file = state.runDirectory(program).resolve("unit.json");
    }

    /** Its record; absent when nobody has cared for the unit yet. */
    @Nullable UnitIntentAndRun loadRecord() {
        UnitIntentAndRun known = record;
        if (known == null && state.exists(file)) {
            known = state.load(file, UnitIntentAndRun.class);
            record = known;
        }
        return known;
    }

    /** Replaces the record, where it changes. */
    void save(UnitIntentAndRun next) {
        if (!next.equals(loadRecord())) {
            state.save(file, next);
            record = next;
        }
    }

    /**
     * Writes a record back after a later one, which may be on the disk although its save failed.
     */
    void writeBack(UnitIntentAndRun earlier) {
        if (!state.exists(file) || !state.load(file, UnitIntentAndRun.class).equals(earlier)) {
            state.save(file, earlier);
        }
        record = earlier;
    }

    /** A run that was seen and is not in the record. */
    @Nullable RunWithDigests observedRun() {
        return observedRun;
    }

    void setObservedRun(RunWithDigests run) {
        observedRun = run;
    }

    /** The digest of what a run executes, read from the process itself once a program (D5). */
    synchronized Digest runningDigest(String runAndProgram, Supplier<Digest> executable) {
        Digest known = verifiedDigest;
        if (known == null || !verifiedRun.equals(runAndProgram)) {
            known = executable.get();
            verifiedDigest = known;
            verifiedRun = runAndProgram;
        }
        return known;
    }
}
