package drover.gateway.session;

/**
 * What a heartbeat or a finished attempt says of one program.
 *
 * @param runId empty when the program does not run
 * @param runningDigest empty when nothing runs
 * @param configDigest empty when not said
 * @param version empty when not said
 */
public record ProgramObservation(
        String name, String runId, String runningDigest, String configDigest, String version) {}
