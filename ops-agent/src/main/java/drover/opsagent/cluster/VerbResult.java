package drover.opsagent.cluster;

import java.util.Arrays;
import java.util.Optional;

/**
 * Result of a verb other than a probe.
 *
 * @param detail one sentence or line for operators; may be empty
 */
public record VerbResult(Outcome outcome, String detail) {
    /** Outcomes of the contract, with the exit codes of executables. */
    public enum Outcome {
        DONE(0),

        /** The cluster was already in the requested state. */
        ALREADY(10),

        /** Not possible now; a later call may succeed. */
        NOT_NOW(20),

        /** Not possible with this cluster or these arguments. */
        NEVER(30);

        private final int exitCode;

        Outcome(int exitCode) {
            this.exitCode = exitCode;
        }

        /** The outcome of an exit code; empty if the contract does not define the code. */
        static Optional<Outcome> of(int exitCode) {
            return Arrays.stream(values()).filter(each -> each.exitCode == exitCode).findFirst();
        }
    }

    /** The verb was performed. */
    public static VerbResult done(String detail) {
        return new VerbResult(Outcome.DONE, detail);
    }

    /** The cluster was already in the requested state. */
    public static VerbResult already(String detail) {
        return new VerbResult(Outcome.ALREADY, detail);
    }

    /** A later call may succeed. */
    public static VerbResult notNow(String detail) {
        return new VerbResult(Outcome.NOT_NOW, detail);
    }

    /** No later call succeeds. */
    public static VerbResult never(String detail) {
        return new VerbResult(Outcome.NEVER, detail);
    }
}
