package drover.evaluator.assess;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What must be remembered of the heartbeats of a whole node, beside the latest.
 *
 * @param last heartbeat that was counted, so that one that is repeated is not counted twice
 * @param consecutiveBadHeartbeats heartbeats in a row in which a program was down or bad, by
 *     program
 * @param restartsBefore restarts that a program had when it was first heard, by program
 */
public record NodeHealthHistory(
        Optional<Heartbeat> last,
        Map<String, Integer> consecutiveBadHeartbeats,
        Map<String, Integer> restartsBefore) {
    /** Nothing was heard yet. */
    public static final NodeHealthHistory EMPTY =
            new NodeHealthHistory(Optional.empty(), Map.of(), Map.of());

    public NodeHealthHistory {
        consecutiveBadHeartbeats = Map.copyOf(consecutiveBadHeartbeats);
        restartsBefore = Map.copyOf(restartsBefore);
    }

    /** The history once this heartbeat was heard. */
    public NodeHealthHistory withHeartbeat(Heartbeat heartbeat) {
        if (last.filter(heartbeat::equals).isPresent()) {
            return this;
        }
        Map<String, Integer> bad = new HashMap<>();
        Map<String, Integer> before = new HashMap<>(restartsBefore);
        for (ProgramObservation program : heartbeat.programs()) {
            boolean isBad = program.runId().isEmpty() || program.isCriticalOrStalled();
            bad.put(program.name(), isBad ? consecutiveBadHeartbeats(program) + 1 : 0);
            before.putIfAbsent(program.name(), program.restarts());
        }
        return new NodeHealthHistory(Optional.of(heartbeat), bad, before);
    }

    int consecutiveBadHeartbeats(ProgramObservation program) {
        return consecutiveBadHeartbeats.getOrDefault(program.name(), 0);
    }

    /** Restarts since it was first heard; an attempt in between begins counting anew. */
    int restartsSinceFirstHeartbeat(ProgramObservation program) {
        int before = restartsBefore.getOrDefault(program.name(), program.restarts());
        return Math.max(0, program.restarts() - before);
    }
}
