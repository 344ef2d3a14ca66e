package drover.evaluator.engine;

import drover.evaluator.assess.VerdictReport;
import java.util.List;

/** The stream to one coordinator. Called by one thread. */
public interface VerdictStream {
    /**
     * Sends verdicts once the stream takes more, waiting for it.
     *
     * @param judgements none to say only that the evaluator is there
     * @return false when the stream has ended
     */
    boolean send(List<VerdictReport> judgements) throws InterruptedException;
}
