package drover.evaluator.assess;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What must be remembered of the heartbeats of a whole node, beside the latest.
 *
 * @param last heartbeat that was counted, so that one that is repeated is not counted twice
 * @param badInARow heartbeats in a row in which a program was down or bad, by program
 * @param restartsBefore restarts that a program had when it was first heard, by program
 */
public record NodeHealthHistory(
        Optional<Heartbeat> last,
        Map<String, Integer> badInARow,
        Map<String, Integer> restartsBefore) {
    /** Nothing was heard yet. */
    public static final NodeHealthHistory EMPTY =
            new NodeHealthHistory(Optional.empty(), Map.of(), Map.of());

    public NodeHealthHistory {
        badInARow = Map.copyOf(badInARow);
        restartsBefore = Map.copyOf(restartsBefore);
    }

    /** The history once this heartbeat was heard. */
    public NodeHealthHistory after(Heartbeat heartbeat) {
        if (last.filter(heartbeat::equals).isPresent()) {
            return this;
        }
        Map<String, Integer> bad = new HashMap<>();
        Map<String, Integer> before = new HashMap<>(restartsBefore);
        for (ProgramSignal program : heartbeat.programs()) {
            boolean isBad = program.runId().isEmpty() || program.isBad();
            bad.put(program.name(), isBad ? badInARow(program) + 1 : 0);
            before.putIfAbsent(program.name(), program.restarts());
        }
        return new NodeHealthHistory(Optional.of(heartbeat), bad, before);
    }

    int badInARow(ProgramSignal program) {
        return badInARow.getOrDefault(program.name(), 0);
    }

    /** Restarts since it was first heard; an attempt in between begins counting anew. */
    int restartsOf(ProgramSignal program) {
        int before = restartsBefore.getOrDefault(program.name(), program.restarts());
        return Math.max(0, program.restarts() - before);
    }
}
