package drover.opsagent.engine;

import drover.model.Digest;
import drover.opsagent.admission.ParsedCommand;
import java.time.Duration;
import java.util.Map;

/**
 * A command as it was read at the door, with the contents that its body names by digest.
 *
 * @param traceId trace of the rollout that it belongs to, for the log; empty when there is none
 * @param contents checked: each under the digest of its own bytes
 * @param release the signed release that came along, not verified; empty when there was none
 * @param authorization what the leader signed over the body, not verified; empty for nothing
 */
@SuppressWarnings("ArrayRecordComponent") // passed on as it is, never compared
public record CommandWithContents(
        ParsedCommand command,
        Duration budget,
        String traceId,
        Map<Digest, byte[]> contents,
        byte[] release,
        byte[] authorization) {
    public CommandWithContents {
        contents = Map.copyOf(contents);
    }

    /** Of which nobody signed anything. */
    public CommandWithContents(
            ParsedCommand request, Duration budget, String traceId, Map<Digest, byte[]> contents) {
        this(request, budget, traceId, contents, new byte[0], new byte[0]);
    }

    /** The same with a release. */
    public CommandWithContents withRelease(byte[] signed) {
        return new CommandWithContents(command, budget, traceId, contents, signed, authorization);
    }

    /** The same with what a leader signed over it. */
    public CommandWithContents withAuthorization(byte[] signed) {
        return new CommandWithContents(command, budget, traceId, contents, release, signed);
    }

    /** Of a command without a trace. */
    public CommandWithContents(
            ParsedCommand request, Duration budget, Map<Digest, byte[]> contents) {
        this(request, budget, "", contents);
    }
}
