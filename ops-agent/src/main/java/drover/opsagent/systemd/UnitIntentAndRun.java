package drover.opsagent.systemd;

import drover.model.Digest;

/**
 * {@code unit.json}: what a unit is meant to do, and what its present run was started with. Written
 * before a start without a run, and after it with the one that systemd names.
 *
 * @param unit its name
 * @param invocation the run that the digests are of; empty when it is not known yet
 * @param digest of the program file at that start; counts where the file is the proof
 * @param configDigest managed files and launch specification at that start
 * @param controlGroup where its processes were last counted
 * @param restartsBefore of systemd's own, those that do not count any more
 * @param starts by the agent since the last start on purpose; -1 before that start
 */
public record UnitIntentAndRun(
        String unit,
        Intent intent,
        String bootId,
        String invocation,
        Digest digest,
        Digest configDigest,
        String controlGroup,
        int restartsBefore,
        int starts) {

    /** What the unit is meant to do. */
    public enum Intent {
        /** It is to stay down. */
        DOWN,
        /** It is to run; systemd sees to that. */
        UP,
        /** It is to run, and the agent still owes its start. */
        OWED
    }

    /** Starts by systemd and by supervision since the last start on purpose. */
    int automaticStartCount(UnitProperties view) {
        // Somebody who starts it by hand makes systemd count from nothing.
        int counted = Math.max(0, view.restarts() - restartsBefore);
        return Math.max(0, starts) + (view.restarts() < restartsBefore ? view.restarts() : counted);
    }

    boolean isDesired() {
        return intent != Intent.DOWN;
    }

    UnitIntentAndRun withIntent(Intent next) {
        return new UnitIntentAndRun(
                unit,
                next,
                bootId,
                invocation,
                digest,
                configDigest,
                controlGroup,
                restartsBefore,
                starts);
    }

    /** Every start so far belongs to the past. */
    UnitIntentAndRun withCountersReset(UnitProperties view) {
        return new UnitIntentAndRun(
                unit,
                intent,
                bootId,
                invocation,
                digest,
                configDigest,
                controlGroup,
                view.restarts(),
                0);
    }

    /** A start by supervision follows; systemd counts from nothing after it. */
    UnitIntentAndRun withPendingRestart(UnitProperties view) {
        int next = starts < 0 ? 0 : automaticStartCount(view) + 1;
        return new UnitIntentAndRun(
                unit, Intent.OWED, "", "", digest, configDigest, controlGroup, 0, next);
    }

    /** It runs, and this run is known. */
    UnitIntentAndRun withRun(RunWithDigests run, UnitProperties view) {
        return new UnitIntentAndRun(
                unit,
                Intent.UP,
                run.bootId(),
                run.invocation(),
                run.digest(),
                run.configDigest(),
                view.controlGroup(),
                Math.min(restartsBefore, view.restarts()),
                Math.max(0, starts));
    }

    /** What is recorded of the run. */
    RunWithDigests run() {
        return new RunWithDigests(bootId, invocation, digest, configDigest);
    }

    /**
     * One run of a unit.
     *
     * @param digest of the program file when it was started
     * @param configDigest managed files and launch specification when it was started
     */
    record RunWithDigests(String bootId, String invocation, Digest digest, Digest configDigest) {
        boolean matches(String boot, UnitProperties view) {
            return !invocation.isEmpty()
                    && bootId.equals(boot)
                    && invocation.equals(view.invocation());
        }
    }
}
