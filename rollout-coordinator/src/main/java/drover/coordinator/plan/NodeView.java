package drover.coordinator.plan;

import drover.model.BinaryName;
import drover.model.Version;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** A node as the leader sees it now. */
public sealed interface NodeView {
    /** No gateway has answered for it yet: nothing may be concluded. */
    record Unknown() implements NodeView {}

    /**
     * Every gateway says it is not connected.
     *
     * @param since since when the leader knows so
     */
    record Absent(Instant since) implements NodeView {}

    /**
     * Connected, by an agent that holds the node's executor lock.
     *
     * @param attemptFloor highest attempt the agent ever accepted or withdrew
     */
    record Present(
            String session,
            String runtime,
            Set<String> features,
            long attemptFloor,
            Map<BinaryName, ProgramView> programs)
            implements NodeView {
        public Present {
            features = Set.copyOf(features);
            programs = Map.copyOf(programs);
        }
    }

    /**
     * A program as the node's agent last reported it.
     *
     * @param digest what runs, or is installed when nothing runs; empty when nothing is there
     */
    record ProgramView(Version version, String digest, String config, boolean running) {}
}
