package drover.evaluator.engine;

import drover.evaluator.assess.Judgement;
import java.util.List;

/** The stream to one coordinator. Called by one thread. */
public interface VerdictWire {
    /**
     * Sends verdicts once the stream takes more, waiting for it.
     *
     * @param judgements none to say only that the evaluator is there
     * @return false when the stream has ended
     */
    boolean send(List<Judgement> judgements) throws InterruptedException;
}
