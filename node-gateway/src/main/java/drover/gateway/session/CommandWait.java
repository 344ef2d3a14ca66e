package drover.gateway.session;

import java.util.OptionalLong;

/**
 * How long a node takes to answer a command: from when it is first told to the first status of that
 * attempt. A command that is told again, because no answer came, goes on waiting.
 *
 * @param toldNanos when the command was first told; meaningless while nothing waits
 * @param waiting whether a command was told that nothing has answered
 * @param answered the highest attempt that was ever answered
 */
public record CommandWait(long toldNanos, boolean waiting, long answered) {
    /** Nothing was told yet. */
    public static final CommandWait NONE = new CommandWait(0, false, 0);

    /** Once a command was told. */
    public CommandWait told(long nanos) {
        return waiting ? this : new CommandWait(nanos, true, answered);
    }

    /** Once a status of this attempt came. */
    public CommandWait heard(long attempt) {
        return new CommandWait(toldNanos, false, Math.max(answered, attempt));
    }

    /** How long the command waited that a status of this attempt is the first answer to. */
    public OptionalLong nanosUntil(long attempt, long nanos) {
        return waiting && attempt > answered
                ? OptionalLong.of(nanos - toldNanos)
                : OptionalLong.empty();
    }
}
