package drover.coordinator.engine;

import drover.coordinator.plan.Replay;
import drover.coordinator.plan.Replay.Replayed;
import drover.coordinator.plan.Transition;
import drover.coordinator.store.Decisions;
import java.util.List;

/** Replays an export and tells each move in one line. */
final class ToldAgain {
    private ToldAgain() {}

    static List<String> by(List<String> export) {
        return Replay.of(export.stream().map(Decisions::read).toList()).stream()
                .map(ToldAgain::line)
                .toList();
    }

    private static String line(Replayed replayed) {
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
