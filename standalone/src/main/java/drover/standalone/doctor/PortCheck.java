package drover.standalone.doctor;

import drover.localenv.Ports;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks at the ports of the three doors. */
final class PortCheck {
    private PortCheck() {}

    /** The ports that {@code up} is going to take. */
    record RequiredPorts(int http, int grpc, int agents) {}

    static List<DoctorFinding> run(RequiredPorts wanted, Optional<RunningDeployment> deployment) {
        return deployment
                .map(
                        running ->
                                List.of(
                                        DoctorFinding.ok(
                                                "ports",
                                                "This mesh has its doors open: %d, %d and %d."
                                                        .formatted(
                                                                running.httpPort(),
                                                                running.grpcPort(),
                                                                running.agentPort()))))
                .orElseGet(() -> checkFree(wanted));
    }

    private static List<DoctorFinding> checkFree(RequiredPorts wanted) {
        return Stream.of(
                        checkFree(wanted.http(), "--http-port"),
                        checkFree(wanted.grpc(), "--grpc-port"),
                        checkFree(wanted.agents(), "--agent-port"))
                .toList();
    }

    private static DoctorFinding checkFree(int port, String flag) {
        try {
            Ports.requireFree(port, flag);
            return DoctorFinding.ok("ports", "Port " + port + " is free (" + flag + ").");
        } catch (UserFacingError e) {
            return DoctorFinding.fail("ports", e.message());
        }
    }
}
