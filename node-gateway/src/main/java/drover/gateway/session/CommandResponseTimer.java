package drover.gateway.session;

import java.util.OptionalLong;

/**
 * How long a node takes to answer a command: from when it is first told to the first status of that
 * attempt. A command that is told again, because no answer came, goes on waiting.
 *
 * @param sentNanos when the command was first told; meaningless while nothing waits
 * @param waiting whether a command was told that nothing has answered
 * @param answeredAttempt the highest attempt that was ever answered
 */
public record CommandResponseTimer(long sentNanos, boolean waiting, long answeredAttempt) {
    /** Nothing was told yet. */
    public static final CommandResponseTimer NONE = new CommandResponseTimer(0, false, 0);

    /** Once a command was told. */
    public CommandResponseTimer withCommandSent(long nanos) {
        return waiting ? this : new CommandResponseTimer(nanos, true, answeredAttempt);
    }

    /** Once a status of this attempt came. */
    public CommandResponseTimer withStatusReceived(long attempt) {
        return new CommandResponseTimer(sentNanos, false, Math.max(answeredAttempt, attempt));
    }

    /** How long the command waited that a status of this attempt is the first answer to. */
    public OptionalLong responseNanos(long attempt, long nanos) {
        return waiting && attempt > answeredAttempt
                ? OptionalLong.of(nanos - sentNanos)
                : OptionalLong.empty();
    }
}
