package drover.opsagent.probe;

import drover.model.program.ClusterProbe;
import drover.model.program.Probe;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import java.time.Duration;
import java.util.function.Supplier;

/** Tries one probe once. */
public interface ProbeRunner {
    /** What was wrong, in one sentence; empty when it was well. Never longer than the timeout. */
    String runAndFindProblem(Probe.Check check, Duration timeout, boolean alive);

    /** Returns a probe of a cluster member. Each call is one try of at most 5 s. */
    default Supplier<ProbeResult> newClusterProbe(ClusterProbe probe) {
        return () -> new ProbeResult.Failed("A simulated node runs no cluster drivers.");
    }
}
