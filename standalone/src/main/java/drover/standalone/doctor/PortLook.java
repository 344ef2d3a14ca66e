package drover.standalone.doctor;

import drover.machine.home.Ports;
import drover.machine.home.RunningMesh;
import drover.machine.home.Unusable;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks at the ports of the three doors. */
final class PortLook {
    private PortLook() {}

    /** The ports that {@code up} is going to take. */
    record Wanted(int http, int grpc, int agents) {}

    static List<Finding> at(Wanted wanted, Optional<RunningMesh> mesh) {
        return mesh.map(
                        running ->
                                List.of(
                                        Finding.ok(
                                                "ports",
                                                "This mesh has its doors open: %d, %d and %d."
                                                        .formatted(
                                                                running.httpPort(),
                                                                running.grpcPort(),
                                                                running.agentPort()))))
                .orElseGet(() -> free(wanted));
    }

    private static List<Finding> free(Wanted wanted) {
        return Stream.of(
                        free(wanted.http(), "--http-port"),
                        free(wanted.grpc(), "--grpc-port"),
                        free(wanted.agents(), "--agent-port"))
                .toList();
    }

    private static Finding free(int port, String flag) {
        try {
            Ports.check(port, flag);
            return Finding.ok("ports", "Port " + port + " is free (" + flag + ").");
        } catch (Unusable e) {
            return Finding.fail("ports", e.sentence());
        }
    }
}
