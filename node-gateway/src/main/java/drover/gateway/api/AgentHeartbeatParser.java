package drover.gateway.api;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import drover.agent.v1.ApplicationHealth;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.SyncStatus;
import drover.gateway.engine.session.ParsedHeartbeat;
import drover.gateway.session.AgentFinding;
import drover.gateway.session.HeartbeatProgramHealth;
import drover.gateway.session.HeartbeatProgramHealth.ProbeState;
import drover.gateway.session.ProgramObservation;
import drover.gateway.session.StatusVersion;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads heartbeats. */
public final class AgentHeartbeatParser {
    private static final String CRASH_LOOP = "CRASH_LOOP"; // a finding's code, by the contract
    private static final int LONGEST_DETAIL = 400; // a line that a person reads

    private AgentHeartbeatParser() {}

    /** A heartbeat as the gateway keeps it. */
    public static ParsedHeartbeat toReceivedHeartbeat(Heartbeat heartbeat) {
        return new ParsedHeartbeat(
                new ProtobufMessage(heartbeat),
                toObservations(heartbeat),
                toConditions(heartbeat),
                toFindings(heartbeat),
                sentAt(heartbeat),
                heartbeat.getDraining(),
                toStatusVersion(heartbeat));
    }

    private static Optional<StatusVersion> toStatusVersion(Heartbeat heartbeat) {
        return heartbeat.hasSequence()
                ? Optional.of(new StatusVersion(heartbeat.getAttempt(), heartbeat.getSequence()))
                : Optional.empty();
    }

    /** A time that no clock shows is as good as none. */
    private static Optional<Instant> sentAt(Heartbeat heartbeat) {
        Timestamp at = heartbeat.getSentAt();
        return heartbeat.hasSentAt() && Timestamps.isValid(at)
                ? Optional.of(Instant.ofEpochSecond(at.getSeconds(), at.getNanos()))
                : Optional.empty();
    }

    private static List<AgentFinding> toFindings(Heartbeat heartbeat) {
        return heartbeat.getFindingsList().stream()
                .map(
                        finding ->
                                new AgentFinding(
                                        finding.getCode(),
                                        finding.getProgram(),
                                        shorten(finding.getDetail())))
                .toList();
    }

    private static List<ProgramObservation> toObservations(Heartbeat heartbeat) {
        return heartbeat.getProgramsList().stream()
                .map(
                        program ->
                                new ProgramObservation(
                                        program.getName(),
                                        program.getRunId(),
                                        program.getRunningDigest(),
                                        program.getConfigDigest(),
                                        program.getVersion()))
                .toList();
    }

    private static List<HeartbeatProgramHealth> toConditions(Heartbeat heartbeat) {
        Set<String> falling =
                heartbeat.getFindingsList().stream()
                        .filter(finding -> finding.getCode().equals(CRASH_LOOP))
                        .map(finding -> finding.getProgram())
                        .collect(Collectors.toSet());
        return heartbeat.getProgramsList().stream()
                .map(
                        program ->
                                new HeartbeatProgramHealth(
                                        program.getName(),
                                        !program.getRunId().isEmpty(),
                                        falling.contains(program.getName()),
                                        toProbeState(program),
                                        shortenDetails(program)))
                .toList();
    }

    /** The worst that is said; a program without deciding probes is well while it runs (F3). */
    private static ProbeState toProbeState(ProgramHealth program) {
        ApplicationHealth health = program.getApplicationHealth();
        SyncStatus sync = program.getSyncStatus();
        if (health == ApplicationHealth.APPLICATION_HEALTH_CRITICAL) {
            return ProbeState.CRITICAL;
        }
        if (sync == SyncStatus.SYNC_STATUS_STALLED) {
            return ProbeState.STALLED;
        }
        if (health == ApplicationHealth.APPLICATION_HEALTH_DEGRADED) {
            return ProbeState.DEGRADED;
        }
        if (sync == SyncStatus.SYNC_STATUS_SYNCING) {
            return ProbeState.SYNCING;
        }
        if (health == ApplicationHealth.UNRECOGNIZED || sync == SyncStatus.UNRECOGNIZED) {
            return ProbeState.UNKNOWN;
        }
        boolean tried =
                health == ApplicationHealth.APPLICATION_HEALTH_OK
                        || sync == SyncStatus.SYNC_STATUS_SYNCED
                        || Durations.isPositive(program.getHealthyFor());
        return tried ? ProbeState.HEALTHY : ProbeState.NONE;
    }

    private static List<String> shortenDetails(ProgramHealth program) {
        return program.getProbeDetailsList().stream().map(AgentHeartbeatParser::shorten).toList();
    }

    private static String shorten(String detail) {
        return detail.length() <= LONGEST_DETAIL
                ? detail
                : detail.substring(0, LONGEST_DETAIL) + "…";
    }
}
