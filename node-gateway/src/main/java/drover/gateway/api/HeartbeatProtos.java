package drover.gateway.api;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import drover.agent.v1.ApplicationHealth;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.SyncStatus;
import drover.gateway.engine.Beat;
import drover.gateway.session.NoticedFinding;
import drover.gateway.session.ProgramCondition;
import drover.gateway.session.ProgramCondition.Said;
import drover.gateway.session.ProgramSignal;
import drover.gateway.session.StatusMark;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads heartbeats. */
public final class HeartbeatProtos {
    private static final String CRASH_LOOP = "CRASH_LOOP"; // a finding's code, by the contract
    private static final int LONGEST_DETAIL = 300; // a line that a person reads

    private HeartbeatProtos() {}

    /** A heartbeat as the gateway keeps it. */
    public static Beat beat(Heartbeat heartbeat) {
        return new Beat(
                new Enclosed(heartbeat),
                signals(heartbeat),
                conditions(heartbeat),
                findings(heartbeat),
                sentAt(heartbeat),
                heartbeat.getDraining(),
                after(heartbeat));
    }

    private static Optional<StatusMark> after(Heartbeat heartbeat) {
        return heartbeat.hasSequence()
                ? Optional.of(new StatusMark(heartbeat.getAttempt(), heartbeat.getSequence()))
                : Optional.empty();
    }

    /** A time that no clock shows is as good as none. */
    private static Optional<Instant> sentAt(Heartbeat heartbeat) {
        Timestamp at = heartbeat.getSentAt();
        return heartbeat.hasSentAt() && Timestamps.isValid(at)
                ? Optional.of(Instant.ofEpochSecond(at.getSeconds(), at.getNanos()))
                : Optional.empty();
    }

    private static List<NoticedFinding> findings(Heartbeat heartbeat) {
        return heartbeat.getFindingsList().stream()
                .map(
                        finding ->
                                new NoticedFinding(
                                        finding.getCode(),
                                        finding.getProgram(),
                                        shortened(finding.getDetail())))
                .toList();
    }

    private static List<ProgramSignal> signals(Heartbeat heartbeat) {
        return heartbeat.getProgramsList().stream()
                .map(
                        program ->
                                new ProgramSignal(
                                        program.getName(),
                                        program.getRunId(),
                                        program.getRunningDigest(),
                                        program.getConfigDigest(),
                                        program.getVersion()))
                .toList();
    }

    private static List<ProgramCondition> conditions(Heartbeat heartbeat) {
        Set<String> falling =
                heartbeat.getFindingsList().stream()
                        .filter(finding -> finding.getCode().equals(CRASH_LOOP))
                        .map(finding -> finding.getProgram())
                        .collect(Collectors.toSet());
        return heartbeat.getProgramsList().stream()
                .map(
                        program ->
                                new ProgramCondition(
                                        program.getName(),
                                        !program.getRunId().isEmpty(),
                                        falling.contains(program.getName()),
                                        said(program),
                                        detail(program)))
                .toList();
    }

    /** The worst that is said; a program without deciding probes is well while it runs (F3). */
    private static Said said(ProgramHealth program) {
        ApplicationHealth health = program.getApplicationHealth();
        SyncStatus sync = program.getSyncStatus();
        if (health == ApplicationHealth.APPLICATION_HEALTH_CRITICAL) {
            return Said.CRITICAL;
        }
        if (sync == SyncStatus.SYNC_STATUS_STALLED) {
            return Said.STALLED;
        }
        if (health == ApplicationHealth.APPLICATION_HEALTH_DEGRADED) {
            return Said.DEGRADED;
        }
        if (sync == SyncStatus.SYNC_STATUS_SYNCING) {
            return Said.SYNCING;
        }
        if (health == ApplicationHealth.UNRECOGNIZED || sync == SyncStatus.UNRECOGNIZED) {
            return Said.UNKNOWN;
        }
        boolean tried =
                health == ApplicationHealth.APPLICATION_HEALTH_OK
                        || sync == SyncStatus.SYNC_STATUS_SYNCED
                        || Durations.isPositive(program.getWellFor());
        return tried ? Said.WELL : Said.NOTHING;
    }

    private static String detail(ProgramHealth program) {
        if (program.getProbeDetailsCount() == 0) {
            return "";
        }
        return shortened(program.getProbeDetails(0));
    }

    private static String shortened(String detail) {
        return detail.length() <= LONGEST_DETAIL
                ? detail
                : detail.substring(0, LONGEST_DETAIL) + "…";
    }
}
