package drover.opsagent.engine.attempt;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Sentences about one step that operators shall read although the step succeeds. */
final class StepNotes implements Consumer<String> {
    private final List<String> sentences = new ArrayList<>();

    /** Adds a sentence; empty adds nothing. */
    @Override
    public void accept(String sentence) {
        if (!sentence.isEmpty()) {
            sentences.add(sentence);
        }
    }

    /** All sentences; empty if there is none. */
    String text() {
        return String.join(" ", sentences);
    }

    /** The same after another sentence. */
    String appendedTo(String sentence) {
        return sentences.isEmpty() ? sentence : sentence + " " + text();
    }
}
