package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.program.LaunchSpec;
import drover.opsagent.runtime.Processes.Pid;

/**
 * {@code run.json}: what a program is meant to do and its present run. Written before a start with
 * the run's marker alone, and after it with its process, so that whatever crash comes between them
 * the process is found again: never two copies, never an orphan.
 *
 * @param desired whether the program is meant to run
 * @param marker unique name of the run; empty before the first
 * @param first its first process; {@link Pid#NONE} until it is known
 * @param digest of the program when it was started
 * @param configDigest managed files and launch specification when it was started
 * @param startsSince starts by supervision since the last start on purpose; kept on the disk, so
 *     that a crash loop is still found if the agent restarts in between. The evaluator counts what
 *     it sees as well.
 * @param logStart size of the log at the last start on purpose, in bytes; what follows is the
 *     output of the present version
 */
public record RunRecord(
        boolean desired,
        String marker,
        Pid first,
        String bootId,
        Digest digest,
        Digest configDigest,
        LaunchSpec launch,
        int startsSince,
        long logStart) {

    /** A program that is to run and has no process yet. */
    static RunRecord desired(
            String marker,
            Digest digest,
            Digest configDigest,
            LaunchSpec launch,
            int starts,
            long logStart) {
        return new RunRecord(
                true, marker, Pid.NONE, "", digest, configDigest, launch, starts, logStart);
    }

    /** Names the run: boot, process and when it started. */
    String runId() {
        return bootId + ":" + first.number() + ":" + first.startTicks();
    }

    RunRecord withDigest(Digest measured) {
        return new RunRecord(
                desired,
                marker,
                first,
                bootId,
                measured,
                configDigest,
                launch,
                startsSince,
                logStart);
    }

    RunRecord withoutStarts() {
        return new RunRecord(
                desired, marker, first, bootId, digest, configDigest, launch, 0, logStart);
    }

    RunRecord withoutDesired() {
        return new RunRecord(
                false, marker, first, bootId, digest, configDigest, launch, startsSince, logStart);
    }

    RunRecord withProcess(Pid pid, String boot) {
        return new RunRecord(
                desired, marker, pid, boot, digest, configDigest, launch, startsSince, logStart);
    }

    RunRecord restarted(String nextMarker) {
        return new RunRecord(
                true,
                nextMarker,
                Pid.NONE,
                "",
                digest,
                configDigest,
                launch,
                startsSince + 1,
                logStart);
    }
}
