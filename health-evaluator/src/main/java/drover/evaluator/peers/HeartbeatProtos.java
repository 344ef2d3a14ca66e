package drover.evaluator.peers;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ProgramHealth;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.ProgramObservation;
import drover.kit.agent.AgentMessageRepairingValidator;
import drover.kit.agent.InvalidMessage;
import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;

/** Reads heartbeats. */
public final class HeartbeatProtos {
    private static final Duration OLDEST = Duration.ofDays(1);

    private HeartbeatProtos() {}

    /** A heartbeat as it is judged. */
    public static Heartbeat toHeartbeat(drover.agent.v1.Heartbeat heartbeat) {
        return new Heartbeat(
                heartbeat.getAttempt(),
                heartbeat.getProgramsList().stream().map(HeartbeatProtos::toObservation).toList(),
                toDuration(heartbeat.getNextHeartbeatWithin()));
    }

    /**
     * The same after a check of every field: a gateway may be older, or compromised.
     *
     * @throws InvalidMessage that names the first field outside its limits
     */
    public static Heartbeat validateAndConvert(drover.agent.v1.Heartbeat heartbeat) {
        return toHeartbeat(AgentMessageRepairingValidator.validateAndRepair(heartbeat).message());
    }

    /** Age of a heartbeat, within limits. An impossible one counts as very old. */
    static Duration clampAge(com.google.protobuf.Duration age) {
        if (!Durations.isValid(age) || age.getSeconds() > OLDEST.toSeconds()) {
            return OLDEST;
        }
        Duration reported = toDuration(age);
        return reported.isNegative() ? Duration.ZERO : reported;
    }

    private static ProgramObservation toObservation(ProgramHealth health) {
        return new ProgramObservation(
                health.getName(),
                health.getRunId(),
                health.getRunningDigest(),
                health.getConfigDigest(),
                toDuration(health.getUpFor()),
                toDuration(health.getHealthyFor()),
                clampRestarts(health),
                toApplicationHealth(health),
                toSyncStatus(health),
                health.getProbeDetailsList());
    }

    /** An agent that counts further than an int can has restarted more than often enough. */
    private static int clampRestarts(ProgramHealth health) {
        return health.getStartsSinceAttempt() < 0
                ? Integer.MAX_VALUE
                : health.getStartsSinceAttempt();
    }

    /** A value that this evaluator is too old to know is never taken for well (invariant C15). */
    private static ApplicationHealth toApplicationHealth(ProgramHealth health) {
        return switch (health.getApplicationHealth()) {
            case APPLICATION_HEALTH_UNSPECIFIED -> ApplicationHealth.UNKNOWN;
            case APPLICATION_HEALTH_OK -> ApplicationHealth.OK;
            case APPLICATION_HEALTH_DEGRADED -> ApplicationHealth.DEGRADED;
            case APPLICATION_HEALTH_CRITICAL, UNRECOGNIZED -> ApplicationHealth.CRITICAL;
        };
    }

    private static SyncStatus toSyncStatus(ProgramHealth health) {
        return switch (health.getSyncStatus()) {
            case SYNC_STATUS_UNSPECIFIED -> SyncStatus.UNKNOWN;
            case SYNC_STATUS_SYNCED -> SyncStatus.SYNCED;
            case SYNC_STATUS_SYNCING -> SyncStatus.SYNCING;
            case SYNC_STATUS_STALLED, UNRECOGNIZED -> SyncStatus.STALLED;
        };
    }

    static Duration toDuration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
}
