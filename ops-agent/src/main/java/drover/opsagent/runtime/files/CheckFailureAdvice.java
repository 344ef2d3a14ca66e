package drover.opsagent.runtime.files;

/** Kind of attempt that a check belongs to; decides what the message of its failure advises. */
enum CheckFailureAdvice {
    /** An upgrade or its preflight, before the program is stopped. */
    UPGRADE("then retry; nothing was changed."),
    /** A restore before the program is stopped. */
    RESTORE("clear the node if it is failed_rollback, then roll back again; nothing was changed."),
    /** The files of a backup, written while the program is stopped: by an attempt or by a clear. */
    STOPPED_RESTORE("then clear the node.");

    private final String nextStep;

    CheckFailureAdvice(String nextStep) {
        this.nextStep = nextStep;
    }

    /** What to do once the cause is corrected, as the end of a sentence. */
    String nextStep() {
        return nextStep;
    }
}
