package drover.evaluator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.evaluator.assess.ProgramObservation;
import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Heartbeats of agents of other versions, passed on unread by gateways. */
@DisplayName("C15 F3: what an agent says that is not known is never well")
final class HeartbeatVersionSkewTest {
    private static ProgramObservation signal(ProgramHealth.Builder program) {
        return HeartbeatProtos.toHeartbeat(
                        Heartbeat.newBuilder().setAttempt(1).addPrograms(program).build())
                .programs()
                .getFirst();
    }

    @Test
    void unknownValuesAreTheWorst() {
        ProgramObservation signal =
                signal(
                        ProgramHealth.newBuilder()
                                .setApplicationHealthValue(99)
                                .setSyncStatusValue(99));
        assertThat(signal.applicationHealth()).isEqualTo(ApplicationHealth.CRITICAL);
        assertThat(signal.syncStatus()).isEqualTo(SyncStatus.STALLED);
    }

    @Test
    void unknownFieldsChangeNothing() {
        ProgramHealth.Builder known =
                ProgramHealth.newBuilder()
                        .setName("chain")
                        .setApplicationHealth(
                                drover.agent.v1.ApplicationHealth.APPLICATION_HEALTH_OK)
                        .setSyncStatus(drover.agent.v1.SyncStatus.SYNC_STATUS_SYNCED);
        ProgramObservation before = signal(known.clone());
        UnknownFieldSet more =
                UnknownFieldSet.newBuilder()
                        .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                        .build();
        assertThat(signal(known.setUnknownFields(more))).isEqualTo(before);
    }

    @Test
    @DisplayName("an earlier agent that says neither pace nor signals is not well by that")
    void earlierAgentWithoutDataIsNotHealthy() {
        ProgramObservation signal = signal(ProgramHealth.newBuilder().setName("chain"));
        assertThat(signal.applicationHealth()).isEqualTo(ApplicationHealth.UNKNOWN);
        assertThat(signal.syncStatus()).isEqualTo(SyncStatus.UNKNOWN);
        assertThat(signal.healthyFor()).isEqualTo(Duration.ZERO);
    }
}
