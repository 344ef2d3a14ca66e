package drover.opsagent.docker;

import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.runtime.RestartBackoff;
import drover.opsagent.store.StateDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One program's container: its record, on disk first and then in memory. */
final class ContainerRecordAndLock {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerRecordAndLock.class);

    /**
     * Held by whoever starts, stops or replaces the container: a start by supervision in the middle
     * of a stop would run on under the installation that follows (D3, D4).
     */
    final ReentrantLock lock = new ReentrantLock();

    final RestartBackoff backoff = new RestartBackoff();
    private final StateDirectory state;
    private final Path file;
    private volatile @Nullable ContainerRecord record;
    private int restartsSeen;
    private String observedRun = "";
    private String knownContainer = "";
    private @Nullable Digest knownDigest;
    private String knownRun = "";
    private long runAnchor;
    private OptionalLong pendingStartSeen = OptionalLong.empty(); // nanoseconds; only while owed

    ContainerRecordAndLock(StateDirectory state, String program) {
        this.state = state;
        this.file = state.runDirectory(program).resolve("container.json");
    }

    Optional<ContainerRecord> record() {
        return Optional.ofNullable(record);
    }

    /** Its record, or a bug when its container was never looked at. */
    ContainerRecord requireRecord() {
        ContainerRecord found = record;
        if (found == null) {
            throw new IllegalStateException(file + " was never written");
        }
        return found;
    }

    /** The record that an earlier agent left. */
    Optional<ContainerRecord> loadRecord() {
        if (state.exists(file)) {
            record = state.load(file, ContainerRecord.class);
        }
        return record();
    }

    void saveRecord(ContainerRecord next) {
        if (!next.owed()) {
            pendingStartSeen = OptionalLong.empty();
        }
        if (!next.equals(record)) {
            state.save(file, next);
            record = next;
        }
    }

    /**
     * Ends the agent's duty to start a running container, which covers a stop that the engine
     * carries out late. Later the restart policy decides alone, also after a stop by an operator.
     *
     * @param lateStop how long a stop can be late
     */
    void clearPendingStartAfter(Duration lateStop, long nanos) {
        if (!requireRecord().owed()) {
            return;
        }
        long since = pendingStartSeen.orElse(nanos);
        pendingStartSeen = OptionalLong.of(since);
        if (nanos - since > lateStop.toNanos()) {
            pendingStartSeen = OptionalLong.empty();
            saveIgnoringDiskFailure(requireRecord().withoutPendingStart());
        }
    }

    /** Saves counters and duties that may be lost with a restart of the agent. */
    void saveIgnoringDiskFailure(ContainerRecord next) {
        record = next;
        try {
            state.save(file, next);
        } catch (DiskFailure e) {
            LOG.warn("A record cannot be written file={} reason={}", file, e.getMessage());
        }
    }

    /** Counts restarts by the engine's restart policy; returns whether there are new ones. */
    synchronized boolean recordNewRestarts(Container container, long nowNanos) {
        int restarts = container.restartCount();
        int counted = container.id().equals(knownContainer) ? restartsSeen : restarts;
        for (int i = counted; i < restarts; i++) {
            backoff.recordStart(nowNanos);
        }
        restartsSeen = restarts;
        observedRun = container.runId();
        clearDigestIfNewContainer(container);
        return restarts > counted;
    }

    /** Id of the run that was observed last; empty before the first. */
    synchronized String lastObservedRunId() {
        return observedRun;
    }

    /** What the container runs; an image is never changed under a container. */
    synchronized Digest getOrComputeDigest(Container container, Supplier<Digest> check) {
        clearDigestIfNewContainer(container);
        Digest known = knownDigest;
        if (known == null) {
            known = check.get();
            knownDigest = known;
        }
        return known;
    }

    private void clearDigestIfNewContainer(Container container) {
        if (!container.id().equals(knownContainer)) {
            knownContainer = container.id();
            knownDigest = null;
        }
    }

    /**
     * How long this run has lasted: on the wall clock up to when it was first seen, and from there
     * on the monotonic one.
     */
    synchronized Duration uptime(Container container, Instant wallClock, long nanos) {
        if (!container.runId().equals(knownRun)) {
            knownRun = container.runId();
            runAnchor = nanos - age(container, wallClock).toNanos();
        }
        return Duration.ofNanos(nanos - runAnchor);
    }

    private static Duration age(Container container, Instant now) {
        try {
            Duration age = Duration.between(Instant.parse(container.startedAt()), now);
            return age.isNegative() ? Duration.ZERO : age;
        } catch (DateTimeParseException e) {
            return Duration.ZERO;
        }
    }
}
