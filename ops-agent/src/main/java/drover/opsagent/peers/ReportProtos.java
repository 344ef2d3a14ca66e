package drover.opsagent.peers;

import com.google.protobuf.Timestamp;
import drover.agent.v1.ActionReport;
import drover.agent.v1.AgentFinding;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConfigFile;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.ProgramReport;
import drover.agent.v1.RejectedCommand;
import drover.model.ActionOutcome;
import drover.model.ApplicationHealth;
import drover.model.AttemptOutcome;
import drover.model.SyncStatus;
import drover.model.UpgradePhase;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.nio.ByteBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Writes what the agent reports. */
public final class ReportProtos {
    private static final int MOST_LOG_BYTES = 8 * 1024;

    private static final int MAX_DETAILS = 64; // of one program; a gateway accepts no more

    private ReportProtos() {}

    /** The first message of a stream. */
    public static Hello toHello(SelfReport self) {
        Hello.Builder hello =
                Hello.newBuilder()
                        .setAgentVersion(self.agentVersion())
                        .setProtocol(1)
                        .setIncarnation(self.record().incarnation())
                        .setConnectionNumber(self.connectionNumber())
                        .setExecutor(self.executor())
                        .addAllFeatures(self.features())
                        .setRuntime(self.runtime())
                        .setHighestAttempt(self.record().floor())
                        .setEpoch(self.record().epoch())
                        .setPlatform(platformName());
        self.programs().forEach(program -> hello.addPrograms(toProgramReport(program)));
        if (self.status() != null) {
            hello.setStatus(toStatus(self.status()));
        }
        return hello.build();
    }

    /** Operating system and architecture of this machine, as it is told in Hello. */
    public static String platformName() {
        return platformName(
                System.getProperty("os.name", "unknown"), System.getProperty("os.arch", "unknown"));
    }

    /** As manifests and images name it, whatever the Java runtime calls the same machine. */
    static String platformName(String system, String machine) {
        String architecture =
                switch (machine) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    default -> machine;
                };
        return system.toLowerCase(Locale.ROOT) + "/" + architecture;
    }

    private static ProgramReport toProgramReport(ReportedProgram view) {
        ProgramReport.Builder report =
                ProgramReport.newBuilder()
                        .setName(view.name())
                        .setVersion(view.version().version())
                        .setArtifactUrl(view.version().url())
                        .setRunningDigest(
                                view.isRunning() ? view.runningDigest() : view.fileDigest())
                        .setConfigDigest(view.configDigest().value())
                        .setLaunchDigest(view.launchDigest().value())
                        .setRunning(view.isRunning())
                        .setRunId(view.runId());
        view.configFiles()
                .forEach(
                        file ->
                                report.addConfigFiles(
                                        ConfigFile.newBuilder()
                                                .setPath(file.path().value())
                                                .setDigest(file.digest().value())));
        return report.build();
    }

    /**
     * A sign of life. Its texts are shortened to what a gateway accepts.
     *
     * @param nextWithin how soon the next one follows, so that a slower pace is not taken for
     *     silence
     * @param now what this node's clock shows, for people who look for a wrong one
     */
    public static Heartbeat toHeartbeat(SelfReport self, Duration nextWithin, Instant now) {
        var status = self.status();
        Heartbeat.Builder heartbeat =
                Heartbeat.newBuilder()
                        .setAttempt(status == null ? 0 : status.journal().attempt())
                        .setSequence(status == null ? 0 : status.sequence())
                        .setNextHeartbeatWithin(toDuration(nextWithin))
                        .setDraining(self.isDraining())
                        .setSentAt(toTimestamp(now));
        if (self.declined() != null) {
            heartbeat.setRejectedCommand(toRejectedCommand(self.declined()));
        }
        self.programs().forEach(program -> heartbeat.addPrograms(toHealth(program)));
        self.findings()
                .forEach(
                        finding ->
                                heartbeat.addFindings(
                                        AgentFinding.newBuilder()
                                                .setCode(finding.code())
                                                .setProgram(finding.program())
                                                .setDetail(finding.detail())));
        return HeartbeatTruncator.fitToLimit(heartbeat.build());
    }

    private static RejectedCommand toRejectedCommand(
            SelfReport.TemporarilyDeclinedCommand declined) {
        return RejectedCommand.newBuilder()
                .setAttempt(declined.attempt())
                .setReason(declined.reason().name())
                .setDetail(declined.detail())
                .build();
    }

    private static ProgramHealth toHealth(ReportedProgram view) {
        ProgramHealth.Builder health = toHealthWithoutCluster(view);
        if (view.cluster().isPresent()) {
            ClusterStateProtos.set(health, view.cluster().get());
        }
        return health.build();
    }

    private static ProgramHealth.Builder toHealthWithoutCluster(ReportedProgram view) {
        return ProgramHealth.newBuilder()
                .setName(view.name())
                .setRunId(view.runId())
                .setRunningDigest(view.runningDigest())
                .setConfigDigest(view.configDigest().value())
                .setUpFor(toDuration(view.upFor()))
                .setHealthyFor(toDuration(view.signals().healthyFor()))
                .setStartsSinceAttempt(Math.max(0, view.startsSince()))
                .setApplicationHealth(toHealth(view.signals().health()))
                .setSyncStatus(toSyncStatus(view.signals().sync()))
                .addAllProbeDetails(view.signals().details().stream().limit(MAX_DETAILS).toList())
                .setVersion(view.version().version());
    }

    /** The status of an attempt. */
    public static AttemptStatus toStatus(drover.opsagent.journal.AttemptStatus status) {
        Journal journal = status.journal();
        AttemptResult ending = journal.ending();
        ObservedProgram seen = journal.hasEnded() ? ending.seen() : ObservedProgram.NOTHING;
        AttemptStatus.Builder message =
                AttemptStatus.newBuilder()
                        .setAttempt(journal.attempt())
                        .setSequence(status.sequence())
                        .setBodyDigest(journal.assignment().bodyDigest())
                        .setPhase(toPhase(status.phase()))
                        .setOutcome(toOutcome(ending.outcome()))
                        .setReason(ending.reason() == ReasonCode.NONE ? "" : ending.reason().name())
                        .setDetail(ending.detail())
                        .setRunningDigest(seen.runningDigest())
                        .setRunId(seen.runId())
                        .setConfigDigest(seen.configDigest())
                        .setLogTail(truncateLogTail(ending.logTail()))
                        .setRolloutId(journal.assignment().rolloutId())
                        .setProgram(journal.assignment().work().programName())
                        .setMutationStarted(journal.mayHaveMutated())
                        .setHandoverReady(status.isHandingOver());
        switch (journal.assignment().work()) {
            case Work.Restore restore -> message.setRestoreOfAttempt(restore.ofAttempt());
            case Work.Upgrade upgrade -> {
                message.setRestoreOfAttempt(upgrade.undoes());
                setSourceDigests(message, journal.before());
            }
            case Work.AgentUpgrade agent -> {
                message.setRestoreOfAttempt(agent.undoes());
                setSourceDigests(message, journal.before());
            }
            case Work.ClearFailure _, Work.UnreadWork _ -> {}
        }
        status.steps().forEach(step -> message.addActions(toActionReport(message, step)));
        return message.build();
    }

    /** The status of an attempt that has ended, with its program as it was left. */
    public static AttemptStatus toEndedStatus(
            drover.opsagent.journal.AttemptStatus status, SelfReport self) {
        AttemptStatus.Builder message = toStatus(status).toBuilder();
        self.programs().stream()
                .filter(program -> program.name().equals(message.getProgram()))
                .findFirst()
                .ifPresent(program -> message.setProgramState(toProgramReport(program)));
        return message.build();
    }

    private static void setSourceDigests(AttemptStatus.Builder message, PreUpgradeState before) {
        switch (before) {
            case PreUpgradeState.NotNeeded() -> {}
            case PreUpgradeState.Recorded taken ->
                    message.setSourceDigest(taken.digest())
                            .setSourceConfigDigest(taken.configDigest().value());
        }
    }

    private static ActionReport toActionReport(
            AttemptStatus.Builder message, drover.opsagent.journal.AttemptStatus.Step step) {
        ActionReport.Builder report =
                ActionReport.newBuilder()
                        .setName(step.name())
                        .setIndex(message.getActionsCount())
                        .setStartedAt(toTimestamp(step.startedAt()))
                        .setOutcome(toOutcome(step.outcome()))
                        .setProgressPercent(step.percent())
                        .setDetail(step.detail());
        if (step.endedAt() != null) {
            report.setEndedAt(toTimestamp(step.endedAt()));
        }
        return report.build();
    }

    /** The last 8 KiB, with bytes that are no text made visible. */
    private static String truncateLogTail(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int from = Math.max(0, bytes.length - MOST_LOG_BYTES + 8);
        ByteBuffer last = ByteBuffer.wrap(bytes, from, bytes.length - from);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.IGNORE)
                    .decode(last)
                    .toString();
        } catch (java.nio.charset.CharacterCodingException e) {
            throw new IllegalStateException("Malformed input is ignored", e);
        }
    }

    private static drover.agent.v1.UpgradePhase toPhase(UpgradePhase phase) {
        return switch (phase) {
            case PREPARING -> drover.agent.v1.UpgradePhase.UPGRADE_PHASE_PREPARING;
            case STOPPED -> drover.agent.v1.UpgradePhase.UPGRADE_PHASE_STOPPED;
            case MUTATING -> drover.agent.v1.UpgradePhase.UPGRADE_PHASE_MUTATING;
            case STARTING -> drover.agent.v1.UpgradePhase.UPGRADE_PHASE_STARTING;
            case VERIFYING -> drover.agent.v1.UpgradePhase.UPGRADE_PHASE_VERIFYING;
            case COMPENSATING -> drover.agent.v1.UpgradePhase.UPGRADE_PHASE_COMPENSATING;
        };
    }

    private static drover.agent.v1.AttemptOutcome toOutcome(AttemptOutcome outcome) {
        return drover.agent.v1.AttemptOutcome.valueOf("ATTEMPT_OUTCOME_" + outcome.name());
    }

    private static drover.agent.v1.ActionOutcome toOutcome(ActionOutcome outcome) {
        return drover.agent.v1.ActionOutcome.valueOf("ACTION_OUTCOME_" + outcome.name());
    }

    private static drover.agent.v1.ApplicationHealth toHealth(ApplicationHealth health) {
        return switch (health) {
            case UNKNOWN -> drover.agent.v1.ApplicationHealth.APPLICATION_HEALTH_UNSPECIFIED;
            case OK -> drover.agent.v1.ApplicationHealth.APPLICATION_HEALTH_OK;
            case DEGRADED -> drover.agent.v1.ApplicationHealth.APPLICATION_HEALTH_DEGRADED;
            case CRITICAL -> drover.agent.v1.ApplicationHealth.APPLICATION_HEALTH_CRITICAL;
        };
    }

    private static drover.agent.v1.SyncStatus toSyncStatus(SyncStatus sync) {
        return switch (sync) {
            case UNKNOWN -> drover.agent.v1.SyncStatus.SYNC_STATUS_UNSPECIFIED;
            case SYNCED -> drover.agent.v1.SyncStatus.SYNC_STATUS_SYNCED;
            case SYNCING -> drover.agent.v1.SyncStatus.SYNC_STATUS_SYNCING;
            case STALLED -> drover.agent.v1.SyncStatus.SYNC_STATUS_STALLED;
        };
    }

    static com.google.protobuf.Duration toDuration(Duration duration) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.toSeconds())
                .setNanos(duration.toNanosPart())
                .build();
    }

    private static Timestamp toTimestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
