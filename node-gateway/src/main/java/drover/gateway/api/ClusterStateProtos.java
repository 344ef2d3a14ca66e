package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ClusterState;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.gateway.engine.directory.StoredNodeDirectory.HeartbeatWithAge;
import java.util.Optional;

/** Reads states of clusters from heartbeats. */
final class ClusterStateProtos {
    private ClusterStateProtos() {}

    /** The state that a program's heartbeat has, with its present age. */
    static Optional<ClusterState> find(HeartbeatWithAge beat, String program) {
        return ProtobufMessage.unwrap(beat.body(), Heartbeat.class).getProgramsList().stream()
                .filter(each -> each.getName().equals(program) && each.hasCluster())
                .findFirst()
                .map(ProgramHealth::getCluster)
                .map(state -> withPresentAge(state, beat));
    }

    private static ClusterState withPresentAge(ClusterState state, HeartbeatWithAge beat) {
        return state.hasReport()
                ? state.toBuilder()
                        .setAge(
                                Durations.add(
                                        state.getAge(), Durations.fromNanos(beat.age().toNanos())))
                        .build()
                : state;
    }
}
