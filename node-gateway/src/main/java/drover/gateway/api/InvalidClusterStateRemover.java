package drover.gateway.api;

import drover.agent.v1.ClusterState;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.kit.agent.ClusterReportProtos;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Removal of invalid states of clusters from a heartbeat. An agent checks the report of its driver
 * by the same rules, so that an invalid one shows a broken agent.
 */
final class InvalidClusterStateRemover {
    private InvalidClusterStateRemover() {}

    /**
     * Replaces each invalid state by the reason. A heartbeat without one is returned as it is.
     *
     * @param onRemoved receives one sentence that names the field and its rule
     */
    static ConnectRequest remove(ConnectRequest request, Consumer<String> onRemoved) {
        Heartbeat heartbeat = request.getHeartbeat();
        Heartbeat.Builder repaired = null;
        for (int i = 0; i < heartbeat.getProgramsCount(); i++) {
            ProgramHealth program = heartbeat.getPrograms(i);
            Optional<String> problem =
                    program.hasCluster()
                            ? ClusterReportProtos.findProblem(program.getCluster())
                            : Optional.empty();
            if (problem.isPresent()) {
                onRemoved.accept("heartbeat.programs[" + i + "].cluster: " + problem.get());
                repaired = repaired == null ? heartbeat.toBuilder() : repaired;
                repaired.setPrograms(i, withoutReport(program, problem.get()));
            }
        }
        return repaired == null ? request : request.toBuilder().setHeartbeat(repaired).build();
    }

    private static ProgramHealth withoutReport(ProgramHealth program, String problem) {
        return program.toBuilder()
                .clearRole()
                .setCluster(
                        ClusterState.newBuilder()
                                .setProblem("The gateway rejected the report: " + problem))
                .build();
    }
}
