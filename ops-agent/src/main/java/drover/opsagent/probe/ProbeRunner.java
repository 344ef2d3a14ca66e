package drover.opsagent.probe;

import drover.model.program.Probe;
import java.time.Duration;

/** Tries one probe once. */
public interface ProbeRunner {
    /** What was wrong, in one sentence; empty when it was well. Never longer than the timeout. */
    String runAndFindProblem(Probe.Check check, Duration timeout, boolean alive);
}
