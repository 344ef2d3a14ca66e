package drover.opsagent.runtime.process;

import com.fasterxml.jackson.annotation.JsonAlias;
import drover.model.Digest;
import drover.model.program.LaunchSpec;
import drover.opsagent.runtime.Processes.Pid;

/**
 * {@code run.json}: what a program is meant to do and its present run. Written before a start with
 * the run's marker alone, and after it with its process, so that whatever crash comes between them
 * the process is found again: never two copies, never an orphan.
 *
 * @param desired whether the program is meant to run; {@code wanted} in files of earlier agents
 * @param marker unique name of the run; empty before the first
 * @param first its first process; {@link Pid#NONE} until it is known
 * @param digest of the program when it was started
 * @param configDigest managed files and launch specification when it was started
 * @param startsSince starts by supervision since the last start on purpose; kept on the disk, so
 *     that a crash loop is still found if the agent restarts in between. The evaluator counts what
 *     it sees as well.
 * @param logStart where the output of the run starts in the log, in bytes
 * @param earlierLogStart where the output of the run before starts; {@code logStart} if the run was
 *     started on purpose
 */
public record RunRecord(
        @JsonAlias("wanted") boolean desired,
        String marker,
        Pid first,
        String bootId,
        Digest digest,
        Digest configDigest,
        LaunchSpec launch,
        int startsSince,
        long logStart,
        long earlierLogStart) {

    /** A program that is to run and has no process yet. */
    static RunRecord ofPendingStart(
            String marker, Digest digest, Digest configDigest, LaunchSpec launch, int starts) {
        return new RunRecord(
                true, marker, Pid.NONE, "", digest, configDigest, launch, starts, 0, 0);
    }

    /** Names the run: boot, process and when it started. */
    String runId() {
        return bootId + ":" + first.number() + ":" + first.startTicks();
    }

    RunRecord withDigest(Digest measured) {
        return copy(desired, first, bootId, measured, startsSince);
    }

    /** Its output starts here in the log; 0 if the log of earlier runs was moved aside. */
    RunRecord withLogStart(long start) {
        long earlier = startsSince > 0 ? Math.min(logStart, start) : start;
        return new RunRecord(
                desired,
                marker,
                first,
                bootId,
                digest,
                configDigest,
                launch,
                startsSince,
                start,
                earlier);
    }

    RunRecord withCountersReset() {
        return copy(desired, first, bootId, digest, 0);
    }

    RunRecord asNotDesired() {
        return copy(false, first, bootId, digest, startsSince);
    }

    RunRecord asDesired() {
        return copy(true, first, bootId, digest, startsSince);
    }

    RunRecord withProcess(Pid pid, String boot) {
        return copy(desired, pid, boot, digest, startsSince);
    }

    /** The next start ends the processes that remain of an earlier run. */
    RunRecord withProcessesOf(RunRecord earlier) {
        return new RunRecord(
                desired,
                earlier.marker,
                earlier.first,
                earlier.bootId,
                digest,
                configDigest,
                launch,
                startsSince,
                earlier.logStart,
                earlier.earlierLogStart);
    }

    RunRecord withPendingRestart(String nextMarker) {
        return new RunRecord(
                true,
                nextMarker,
                Pid.NONE,
                "",
                digest,
                configDigest,
                launch,
                startsSince + 1,
                logStart,
                earlierLogStart);
    }

    private RunRecord copy(
            boolean nowDesired, Pid process, String boot, Digest measured, int starts) {
        return new RunRecord(
                nowDesired,
                marker,
                process,
                boot,
                measured,
                configDigest,
                launch,
                starts,
                logStart,
                earlierLogStart);
    }
}
