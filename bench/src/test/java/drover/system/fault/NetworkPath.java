package drover.system.fault;

import java.util.stream.Stream;

/**
 * Connections in one direction: from whoever dials to whoever is dialled.
 *
 * @param from a process, or {@link #LEADER}
 * @param to a process
 */
public record NetworkPath(String from, String to) {
    /** Whichever coordinator leads when the fault is played. */
    public static final String LEADER = "leader";

    /** All agents together, which are one process. */
    public static final String AGENTS = "agents";

    /** The one database. */
    public static final String POSTGRES = "postgres";

    /** Every edge of the mesh that faults are played on. */
    public static Stream<NetworkPath> all() {
        Stream<NetworkPath> control =
                Stream.of("coordinator-1", "coordinator-2")
                        .flatMap(
                                from ->
                                        Stream.of(
                                                        POSTGRES,
                                                        "gateway-1",
                                                        "gateway-2",
                                                        "health-1",
                                                        "health-2",
                                                        "etcd-1",
                                                        "etcd-2",
                                                        "etcd-3")
                                                .map(to -> new NetworkPath(from, to)));
        Stream<NetworkPath> feeds =
                Stream.of("health-1", "health-2")
                        .flatMap(
                                from ->
                                        Stream.of("gateway-1", "gateway-2")
                                                .map(to -> new NetworkPath(from, to)));
        Stream<NetworkPath> endpoints =
                Stream.of("gateway-1", "gateway-2")
                        .flatMap(
                                gateway ->
                                        Stream.of(
                                                new NetworkPath(gateway, POSTGRES),
                                                new NetworkPath(AGENTS, gateway)));
        return Stream.of(control, feeds, endpoints).flatMap(edges -> edges);
    }

    @Override
    public String toString() {
        return from + " -> " + to;
    }
}
