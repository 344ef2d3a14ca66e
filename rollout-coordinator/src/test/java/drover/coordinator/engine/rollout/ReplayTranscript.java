package drover.coordinator.engine.rollout;

import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.replay.DecisionReplay;
import drover.coordinator.plan.replay.DecisionReplay.RecomputedTransition;
import drover.coordinator.store.export.DecisionInputExporter;
import java.util.List;

/** Replays an export and tells each move in one line. */
final class ReplayTranscript {
    private ReplayTranscript() {}

    static List<String> by(List<String> export) {
        return DecisionReplay.replay(
                        export.stream().map(DecisionInputExporter::parseJsonLine).toList())
                .stream()
                .map(ReplayTranscript::line)
                .toList();
    }

    private static String line(RecomputedTransition replayed) {
        Transition move = replayed.transition();
        return move.subject()
                + " "
                + (move.node() == null ? "" : move.node())
                + " "
                + move.from()
                + " > "
                + move.to()
                + " "
                + move.because().code()
                + ": "
                + move.because().sentence();
    }
}
