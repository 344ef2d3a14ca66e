package drover.opsagent.journal;

import drover.model.AttemptOutcome;

/**
 * How an attempt stands as a whole. While it goes back, the reason is already known.
 *
 * @param detail one sentence that explains the reason and says what to do
 * @param seen program as observed at the end; while the attempt is open, as observed before its
 *     first stop
 * @param logTail end of the program's output on a failure, at most 8 KiB
 */
public record AttemptResult(
        AttemptOutcome outcome,
        ReasonCode reason,
        String detail,
        ObservedProgram seen,
        String logTail) {
    /** Under way, and nothing wrong so far. */
    public static final AttemptResult NONE =
            new AttemptResult(
                    AttemptOutcome.IN_PROGRESS, ReasonCode.NONE, "", ObservedProgram.NOTHING, "");
}
