package drover.coordinator.plan.observed;

import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A node as the leader sees it now. */
public sealed interface NodeView {
    /** What its gateway reports of the health of a program; null where nothing is reported. */
    default @Nullable ProgramHealth reportedHealth(BinaryName program) {
        ProgramView view = this instanceof Present present ? present.programs().get(program) : null;
        return view == null ? null : view.health();
    }

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
     * @param health how healthy it is by the latest heartbeat; null where that was not recorded
     */
    record ProgramView(
            Version version,
            String digest,
            String config,
            boolean running,
            @Nullable ProgramHealth health) {
        /** A program of which no heartbeat was received yet. */
        public ProgramView(Version version, String digest, String config, boolean running) {
            this(version, digest, config, running, null);
        }
    }

    /**
     * Health of a program by its agent's latest heartbeat. This is a report and not a verdict: it
     * has no soak time, and decides only about nodes that no attempt of a rollout has modified.
     *
     * @param detail one sentence for people; empty when healthy
     * @param since since when this leader has received this level
     */
    record ProgramHealth(Level level, String detail, Instant since) {
        /** From good to bad. */
        public enum Level {
            /** The program runs, and no probe reports anything bad. */
            HEALTHY,
            /** No fresh heartbeat, or no probe has run since the start. */
            UNKNOWN,
            /** Impaired, or catching up. */
            DEGRADED,
            /** Bad, or its synchronization is stalled. */
            CRITICAL,
            /** The program does not run. */
            DOWN,
            /** The program crashes again and again. */
            CRASH_LOOP
        }

        /** Whether it counts against the unhealthy budget (A24). */
        public boolean isUnhealthy() {
            return level == Level.CRITICAL || level == Level.DOWN || level == Level.CRASH_LOOP;
        }
    }
}
