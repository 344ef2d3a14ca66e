package drover.opsagent.admission;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.util.List;

/**
 * A command as it was read at the door.
 *
 * @param bodyDigest SHA-256 of the body; epoch, trace and session are not in it
 * @param work what it asks for, or why that could not be read
 */
public record ParsedCommand(
        String nodeId,
        String rolloutId,
        long attempt,
        long epoch,
        String bodyDigest,
        List<String> requiredFeatures,
        WorkParseResult work) {
    public ParsedCommand {
        requiredFeatures = List.copyOf(requiredFeatures);
    }

    /** The work, when it could be read. */
    public sealed interface WorkParseResult {
        /** This is asked for. */
        record Valid(Work work) implements WorkParseResult {}

        /** It could not be read, so nothing is executed (C15). */
        record Unreadable(ReasonCode reason, String detail) implements WorkParseResult {}
    }
}
