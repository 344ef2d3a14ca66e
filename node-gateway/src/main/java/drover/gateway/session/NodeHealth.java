package drover.gateway.session;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a node is, for people: the worst of its programs. Decides nothing; whether an upgrade is well
 * is the health-evaluator's to say, which asks for more.
 *
 * @param reason why it is not ok, in one sentence; empty when it is
 * @param details all that its program reports in addition, a clause each
 */
public record NodeHealth(Level level, String reason, List<String> details) {
    private static final int DETAILS_QUOTED = 3; // the end of the last run, and two probes

    /** Three heartbeats at the idle pace may be lost before the last one counts no more. */
    private static final int HEARTBEATS_MISSED = 3;

    /** From good to bad; what is not known hides no bad news of another program. */
    public enum Level {
        /** Every program runs and nothing bad is said. */
        OK,
        /** Nothing is known. */
        UNKNOWN,
        /** Impaired, or catching up. */
        DEGRADED,
        /** Bad, or its synchronisation stands still. */
        CRITICAL,
        /** A program does not run. */
        DOWN,
        /** A program crashes repeatedly. */
        CRASH_LOOP,
        /** No agent is connected. */
        OFFLINE
    }

    public NodeHealth {
        details = List.copyOf(details);
    }

    /** Health without details of a program. */
    public NodeHealth(Level level, String reason) {
        this(level, reason, List.of());
    }

    /** No agent is connected to any gateway. */
    public static NodeHealth offline() {
        return new NodeHealth(Level.OFFLINE, "Its agent is not connected.");
    }

    /** The session is another gateway's, which alone holds its heartbeats. */
    public static NodeHealth connectedElsewhere(String gatewayId) {
        return new NodeHealth(Level.UNKNOWN, "Its heartbeats go to gateway " + gatewayId + ".");
    }

    /** How the programs of a heartbeat are: the first of the worst. */
    public static NodeHealth worstOf(List<HeartbeatProgramHealth> programs) {
        return programs.stream()
                .map(NodeHealth::of)
                .max(Comparator.comparing(NodeHealth::level))
                .orElse(new NodeHealth(Level.UNKNOWN, "Its agent reports no program."));
    }

    /**
     * How a connected node is; silence is not health.
     *
     * @param nanos now, on the clock of {@link LatestHeartbeat#receivedNanos}
     * @param idleHeartbeat how often the agent speaks while nothing happens
     */
    public static NodeHealth of(NodeSnapshot view, long nanos, Duration idleHeartbeat) {
        return view.heartbeat()
                .map(
                        beat ->
                                ofHeartbeat(
                                        beat,
                                        Duration.ofNanos(nanos - beat.receivedNanos()),
                                        idleHeartbeat.multipliedBy(HEARTBEATS_MISSED)))
                .orElse(
                        new NodeHealth(
                                Level.UNKNOWN,
                                "Its agent is connected and sent no heartbeat yet."));
    }

    /** Health of each program by the latest heartbeat; empty when that is too old. */
    public static Map<String, NodeHealth> programsOf(
            NodeSnapshot view, long nanos, Duration idleHeartbeat) {
        return freshHeartbeat(view, nanos, idleHeartbeat)
                .map(LatestHeartbeat::programs)
                .orElse(Map.of());
    }

    /** The latest heartbeat; empty if it is too old. */
    public static Optional<LatestHeartbeat> freshHeartbeat(
            NodeSnapshot view, long nanos, Duration idleHeartbeat) {
        return view.heartbeat()
                .filter(
                        beat ->
                                Duration.ofNanos(nanos - beat.receivedNanos())
                                                .compareTo(
                                                        idleHeartbeat.multipliedBy(
                                                                HEARTBEATS_MISSED))
                                        <= 0);
    }

    private static NodeHealth ofHeartbeat(LatestHeartbeat beat, Duration age, Duration most) {
        return age.compareTo(most) <= 0
                ? beat.health()
                : new NodeHealth(
                        Level.UNKNOWN,
                        "The latest heartbeat is %d s old.".formatted(age.toSeconds()));
    }

    /** Health of one program by a heartbeat. */
    public static NodeHealth of(HeartbeatProgramHealth program) {
        String name = program.name();
        if (program.crashLooping()) {
            return of(Level.CRASH_LOOP, program, " crashes repeatedly");
        }
        if (!program.running()) {
            return of(Level.DOWN, program, " does not run");
        }
        return switch (program.probeState()) {
            case CRITICAL -> of(Level.CRITICAL, program, " is critical");
            case STALLED ->
                    of(Level.CRITICAL, program, " does not get on with its synchronisation");
            case DEGRADED -> of(Level.DEGRADED, program, " is degraded");
            case SYNCING -> of(Level.DEGRADED, program, " is catching up");
            case HEALTHY -> new NodeHealth(Level.OK, "", program.details());
            case NONE ->
                    new NodeHealth(
                            Level.UNKNOWN,
                            name + " has not been probed since its start.",
                            program.details());
            case UNKNOWN ->
                    new NodeHealth(
                            Level.UNKNOWN,
                            "The agent of "
                                    + name
                                    + " says what this gateway does not know: upgrade the gateway.",
                            program.details());
        };
    }

    private static NodeHealth of(Level level, HeartbeatProgramHealth program, String condition) {
        List<String> details = program.details();
        int more = details.size() - DETAILS_QUOTED;
        String quoted =
                String.join("; ", details.subList(0, Math.min(details.size(), DETAILS_QUOTED)));
        String suffix =
                quoted.isEmpty()
                        ? "."
                        : ": " + quoted + (more > 0 ? "; and " + more + " more" : "");
        return new NodeHealth(level, program.name() + condition + suffix, details);
    }
}
