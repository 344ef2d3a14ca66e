package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.RestartBackoff;
import drover.opsagent.store.StateDirectory;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One program under supervision: its run record, on disk first and then in memory. */
final class RunRecordAndLock {
    private static final Logger LOG = LoggerFactory.getLogger(RunRecordAndLock.class);

    /**
     * Held by whoever starts or stops the program, from the look at its record to the last change
     * of it: a start by supervision in the middle of a stop would run on under the installation
     * that follows (D3, D4).
     */
    final ReentrantLock lock = new ReentrantLock();

    final RestartBackoff backoff = new RestartBackoff();
    private final StateDirectory state;
    private final Path file;
    private volatile @Nullable RunRecord run;
    private String verifiedRun = "";
    private String runWithDeletedLog = "";
    private @Nullable Digest verifiedDigest;

    RunRecordAndLock(StateDirectory state, String name) {
        this.state = state;
        this.file = state.runDirectory(name).resolve("run.json");
    }

    /** Its record; absent when it was never started. */
    @Nullable RunRecord runRecord() {
        return run;
    }

    /** Its record, or a bug when it was never started. */
    RunRecord requireRunRecord() {
        RunRecord known = run;
        if (known == null) {
            throw new IllegalStateException(file + " was never written");
        }
        return known;
    }

    /** The record that an earlier agent left; absent when there is none. */
    @Nullable RunRecord loadRecord() {
        if (state.exists(file)) {
            run = state.load(file, RunRecord.class);
        }
        return run;
    }

    void save(RunRecord next) {
        state.save(file, next);
        run = next;
    }

    /** Keeps what is only counted: a disk that cannot take it down changes nothing else. */
    void saveIgnoringDiskFailure(RunRecord next) {
        run = next;
        try {
            state.save(file, next);
        } catch (DiskFailure e) {
            LOG.warn("A count cannot be written file={} reason={}", file, e.getMessage());
        }
    }

    /** Whether the deleted log of this run was not reported yet. Called with the lock held. */
    boolean markDeletedLogReported(RunRecord of) {
        boolean first = !runWithDeletedLog.equals(of.runId());
        runWithDeletedLog = of.runId();
        return first;
    }

    /** The digest of what runs, read from the process itself unless the file is the proof (D5). */
    synchronized Digest runningDigest(RunRecord of, Processes processes) {
        if (of.launch().identity() == ProgramDigestSource.FILE) {
            return of.digest();
        }
        Digest known = verifiedDigest;
        if (known == null || !verifiedRun.equals(of.runId())) {
            known = processes.executableDigest(of.first());
            verifiedDigest = known;
            verifiedRun = of.runId();
        }
        return known;
    }
}
