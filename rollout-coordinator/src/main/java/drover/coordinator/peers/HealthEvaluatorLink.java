package drover.coordinator.peers;

import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A health-evaluator that watches nodes for this leader. Nothing here blocks. */
public interface HealthEvaluatorLink extends AutoCloseable {
    /** Where heartbeats come from. */
    void setGateways(List<String> addresses);

    /** Watches begun or replaced. */
    void watch(Collection<Watch> watches);

    /**
     * Nodes of which every program shall be judged, by what comes from now on. An evaluator that
     * cannot says nothing, and whoever waits for it waits.
     */
    default void watchAllPrograms(Collection<AllProgramsWatch> nodes) {}

    /** Watches ended. */
    void unwatch(Collection<NodeId> nodes);

    @Override
    void close();

    /** One node to watch. */
    record Watch(
            NodeId node,
            long attempt,
            String program,
            String runId,
            Digest digest,
            Digest config,
            Duration hold,
            int crashLoopRestarts) {}

    /**
     * One node to watch with all its programs.
     *
     * @param hold how long each must be up and well
     */
    record AllProgramsWatch(NodeId node, Duration hold, int crashLoopRestarts) {}

    /** What the evaluator says. */
    interface Listener {
        /** The evaluator can be heard. */
        void onOpened();

        /** Verdicts that changed. */
        void onVerdicts(Map<NodeId, HealthVerdict> verdicts);

        /** The stream has ended. */
        void onClosed();
    }

    /** Opens links. */
    interface Connector {
        /** Opens a link; events begin at once. */
        HealthEvaluatorLink open(Listener events);
    }
}
