package drover.opsagent.peers;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.AgentUpgradeWork;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.Content;
import drover.agent.v1.PreflightWork;
import drover.agent.v1.RestoreWork;
import drover.agent.v1.UpgradeWork;
import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.RolloutId;
import drover.model.SyncStatus;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.admission.ParsedCommand.WorkParseResult;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads commands. What is unknown, missing or malformed never leads to execution (C15). */
public final class CommandProtos {
    private static final Duration MAX_DURATION = Duration.ofDays(366);
    private static final int MOST_CONTENT_BYTES = 512 * 1024;
    private static final int MOST_LIST = 1_000; // files, arguments or probes in one body (H9)

    private static final Pattern TRACE_CONTEXT =
            Pattern.compile("00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}");

    private CommandProtos() {}

    /** A body that is no message at all, so that not even its attempt is known. */
    public static final class UnreadableCommand extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableCommand(String why, Throwable cause) {
            super(why, cause);
        }
    }

    /** Reads a command. */
    public static CommandWithContents toReceivedCommand(Command command) throws UnreadableCommand {
        CommandBody body;
        try {
            body = CommandBody.parseFrom(command.getBody());
        } catch (InvalidProtocolBufferException e) {
            throw new UnreadableCommand("The body cannot be read", e);
        }
        Map<Digest, byte[]> contents = new HashMap<>();
        WorkParseResult reading;
        try {
            contents.putAll(toVerifiedContents(command.getContentsList()));
            var _ = requireDuration(body.getWorkTimeout());
            reading = new WorkParseResult.Valid(toWork(command.getType(), body));
        } catch (MalformedCommand e) {
            reading = new WorkParseResult.Unreadable(e.reason, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            reading =
                    new WorkParseResult.Unreadable(
                            ReasonCode.MALFORMED_BODY, String.valueOf(e.getMessage()));
        }
        return new CommandWithContents(
                toParsedCommand(command, body, reading),
                workTimeoutOrDefault(body),
                traceId(command),
                contents,
                releaseOf(body).toByteArray(),
                command.getAuthorization().toByteArray());
    }

    /** Reads a preflight; one whose body asks for something else is refused by the rules. */
    static PreflightRequest toPreflightRequest(Command command) throws UnreadableCommand {
        try {
            PreflightWork work = CommandBody.parseFrom(command.getBody()).getPreflight();
            return new PreflightRequest(work.getPreflightId(), toReceivedCommand(command));
        } catch (InvalidProtocolBufferException e) {
            throw new UnreadableCommand("The body cannot be read", e);
        }
    }

    private static ByteString releaseOf(CommandBody body) {
        return switch (body.getWorkCase()) {
            case UPGRADE -> body.getUpgrade().getRelease();
            case AGENT_UPGRADE -> body.getAgentUpgrade().getRelease();
            case PREFLIGHT -> body.getPreflight().getUpgrade().getRelease();
            case RESTORE, CLEAR, WORK_NOT_SET -> ByteString.EMPTY;
        };
    }

    /** The trace of a W3C trace context; anything else says nothing and is no reason to refuse. */
    private static String traceId(Command command) {
        Matcher context = TRACE_CONTEXT.matcher(command.getTraceparent());
        return context.matches() ? context.group(1) : "";
    }

    private static ParsedCommand toParsedCommand(
            Command command, CommandBody body, WorkParseResult reading) {
        String rollout = body.getRolloutId();
        return new ParsedCommand(
                body.getNodeId(),
                rollout.isEmpty() || !isRolloutId(rollout) ? "none" : rollout,
                body.getAttempt(),
                command.getEpoch(),
                Digest.of(command.getBody().toByteArray()).value(),
                body.getRequiredFeaturesList(),
                reading);
    }

    private static boolean isRolloutId(String rollout) {
        try {
            return new RolloutId(rollout).value().equals(rollout);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Duration workTimeoutOrDefault(CommandBody body) {
        Duration stated = toClampedDuration(body.getWorkTimeout());
        if (!stated.isZero() && !stated.isNegative()) {
            return stated;
        }
        Duration sum = Duration.ZERO;
        for (UpgradeAction action : UpgradeAction.values()) {
            sum = sum.plus(action.timeout());
        }
        return sum;
    }

    private static Map<Digest, byte[]> toVerifiedContents(List<Content> contents) {
        Map<Digest, byte[]> checked = new HashMap<>();
        long bytes = 0;
        for (Content content : contents) {
            ByteString data = content.getData();
            bytes += data.size();
            Digest digest = Digest.of(data.toByteArray());
            if (!digest.value().equals(content.getDigest())) {
                throw new MalformedCommand(
                        ReasonCode.CHECKSUM_MISMATCH,
                        "A content is not what its digest says: send the command again.");
            }
            checked.put(digest, data.toByteArray());
        }
        if (bytes > MOST_CONTENT_BYTES) {
            throw malformed("The contents are larger than 512 KiB: render less.");
        }
        return checked;
    }

    private static Work toWork(CommandType type, CommandBody body) {
        if (!isRolloutId(body.getRolloutId()) && body.getWorkCase() != CommandBody.WorkCase.CLEAR) {
            throw malformed("rollout_id is missing or malformed.");
        }
        return switch (body.getWorkCase()) {
            case UPGRADE -> {
                requireTypeMatchesBody(type == CommandType.COMMAND_TYPE_UPGRADE);
                yield toUpgrade(body.getUpgrade());
            }
            case RESTORE -> {
                requireTypeMatchesBody(type == CommandType.COMMAND_TYPE_RESTORE);
                yield toRestore(body.getRestore());
            }
            case CLEAR -> {
                requireTypeMatchesBody(type == CommandType.COMMAND_TYPE_CLEAR);
                yield new Work.ClearFailure(body.getClear().getReason());
            }
            case AGENT_UPGRADE -> {
                requireTypeMatchesBody(type == CommandType.COMMAND_TYPE_AGENT_UPGRADE);
                yield toAgentUpgrade(body.getAgentUpgrade());
            }
            case PREFLIGHT -> {
                requireTypeMatchesBody(type == CommandType.COMMAND_TYPE_PREFLIGHT);
                yield toUpgrade(body.getPreflight().getUpgrade());
            }
            case WORK_NOT_SET ->
                    throw new MalformedCommand(
                            ReasonCode.UNKNOWN_WORK,
                            "The body asks for nothing this agent knows: upgrade the agent.");
        };
    }

    private static Work.AgentUpgrade toAgentUpgrade(AgentUpgradeWork work) {
        if (!work.getProgram().isEmpty() && !work.getProgram().equals(Work.AgentUpgrade.PROGRAM)) {
            throw malformed("program is not " + Work.AgentUpgrade.PROGRAM + ".");
        }
        String source = work.getSourceDigest();
        return new Work.AgentUpgrade(
                work.getTargetVersion(),
                toArtifact(work.getArtifact()),
                source.isEmpty() ? "" : new Digest(source).value(),
                0);
    }

    private static Work.Restore toRestore(RestoreWork work) {
        return new Work.Restore(
                new BinaryName(work.getProgram()).value(),
                work.getAttemptToUndo(),
                new Digest(work.getExpectedDigest()),
                new Digest(work.getExpectedConfigDigest()),
                toPreviousProgram(work));
    }

    /** Null when nothing may be installed where there is no backup. */
    private static Work.@Nullable PreviousArtifactToReinstall toPreviousProgram(RestoreWork work) {
        if (!work.hasPreviousArtifact()) {
            return null;
        }
        if (!work.getPreviousArtifact().getDigest().equals(work.getExpectedDigest())) {
            throw malformed("previous_artifact is not what is expected.");
        }
        return new Work.PreviousArtifactToReinstall(
                toArtifact(work.getPreviousArtifact()),
                work.getPreviousVersion(),
                new Digest(work.getInstalledDigest()));
    }

    private static Artifact toArtifact(drover.agent.v1.Artifact artifact) {
        if (artifact.getSize() < 0) {
            throw malformed("artifact.size is negative.");
        }
        return new Artifact(
                artifact.getUrl(), new Digest(artifact.getDigest()), artifact.getSize());
    }

    private static void requireTypeMatchesBody(boolean agrees) {
        if (!agrees) {
            throw new MalformedCommand(
                    ReasonCode.UNKNOWN_WORK, "Type and body of the command disagree.");
        }
    }

    private static Work.Upgrade toUpgrade(UpgradeWork work) {
        if (work.getConfigFilesCount() > MOST_LIST) {
            throw malformed("More than 1,000 configuration files.");
        }
        List<ConfigFile> files = new ArrayList<>();
        work.getConfigFilesList()
                .forEach(
                        file ->
                                files.add(
                                        new ConfigFile(
                                                new NodePath(file.getPath()),
                                                new Digest(file.getDigest()))));
        String sourceConfig = work.getSourceConfigDigest();
        return new Work.Upgrade(
                toProgramSpec(work.getProgram()),
                work.getTargetVersion(),
                toArtifact(work.getArtifact()),
                files,
                new Digest(work.getSourceDigest()),
                sourceConfig.isEmpty() ? "" : new Digest(sourceConfig).value(),
                new Digest(work.getTargetConfigDigest()));
    }

    private static ProgramSpec toProgramSpec(drover.agent.v1.ProgramSpec spec) {
        if (spec.getArgumentsCount() > MOST_LIST
                || spec.getProbesCount() > MOST_LIST
                || spec.getProgramWrittenCount() > MOST_LIST) {
            throw malformed("More than 1,000 arguments, probes or files of program_written.");
        }
        ProgramDigestSource identity =
                switch (spec.getIdentity()) {
                    case PROGRAM_IDENTITY_FILE -> ProgramDigestSource.FILE;
                    case PROGRAM_IDENTITY_EXE, PROGRAM_IDENTITY_UNSPECIFIED ->
                            ProgramDigestSource.EXE;
                    case UNRECOGNIZED -> throw malformed("identity is not known.");
                };
        return new ProgramSpec(
                new BinaryName(spec.getName()),
                spec.getRuntime(),
                new LaunchSpec(
                        new NodePath(spec.getPath()),
                        spec.getService(),
                        spec.getArgumentsList(),
                        spec.getEnvironmentMap(),
                        spec.getUser(),
                        identity,
                        toStopSettings(spec.getStop())),
                spec.getProbesList().stream().map(CommandProtos::toProbe).toList(),
                spec.getProgramWrittenList().stream().map(NodePath::new).toList(),
                spec.hasCluster()
                        ? Optional.of(toClusterProbe(spec.getCluster()))
                        : Optional.empty());
    }

    private static ClusterProbe toClusterProbe(drover.agent.v1.ClusterProbe probe) {
        return new ClusterProbe(
                probe.getDriver(),
                probe.getEndpoint(),
                requireDuration(probe.getInterval()),
                toFile(probe.getCaFile()),
                toFile(probe.getCertFile()),
                toFile(probe.getKeyFile()),
                toFile(probe.getUserFile()));
    }

    private static Optional<NodePath> toFile(String path) {
        return path.isEmpty() ? Optional.empty() : Optional.of(ClusterProbe.requireFile(path));
    }

    private static StopSettings toStopSettings(drover.agent.v1.StopSettings stop) {
        Optional<StopSignal> signal =
                switch (stop.getSignal()) {
                    case STOP_SIGNAL_UNSPECIFIED -> Optional.empty();
                    case STOP_SIGNAL_TERM -> Optional.of(StopSignal.TERM);
                    case STOP_SIGNAL_INT -> Optional.of(StopSignal.INT);
                    case STOP_SIGNAL_QUIT -> Optional.of(StopSignal.QUIT);
                    case STOP_SIGNAL_HUP -> Optional.of(StopSignal.HUP);
                    case STOP_SIGNAL_USR1 -> Optional.of(StopSignal.USR1);
                    case STOP_SIGNAL_USR2 -> Optional.of(StopSignal.USR2);
                    case UNRECOGNIZED -> throw malformed("stop.signal is not known.");
                };
        return new StopSettings(
                signal,
                stop.hasTimeout()
                        ? Optional.of(requireDuration(stop.getTimeout()))
                        : Optional.empty());
    }

    private static Probe toProbe(drover.agent.v1.Probe probe) {
        Probe.Check check =
                switch (probe.getCheckCase()) {
                    case PROCESS -> new Probe.Check.ProcessAlive();
                    case TCP ->
                            new Probe.Check.Tcp(probe.getTcp().getHost(), probe.getTcp().getPort());
                    case HTTP ->
                            new Probe.Check.Http(
                                    probe.getHttp().getUrl(),
                                    probe.getHttp().getStatus(),
                                    probe.getHttp().getJsonPointer(),
                                    probe.getHttp().getEquals());
                    case EXEC -> new Probe.Check.Exec(probe.getExec().getCommandList());
                    case CHECK_NOT_SET ->
                            throw malformed("Probe " + probe.getName() + " checks nothing.");
                };
        return new Probe(
                probe.getName(),
                requireDuration(probe.getInterval()),
                requireDuration(probe.getTimeout()),
                requireDuration(probe.getGrace()),
                check,
                toSignal(probe));
    }

    private static Probe.StatusWhileFailing toSignal(drover.agent.v1.Probe probe) {
        return switch (probe.getSetsCase()) {
            case APPLICATION_HEALTH ->
                    new Probe.StatusWhileFailing.HealthWhileFailing(
                            switch (probe.getApplicationHealth()) {
                                case APPLICATION_HEALTH_DEGRADED -> ApplicationHealth.DEGRADED;
                                case APPLICATION_HEALTH_CRITICAL -> ApplicationHealth.CRITICAL;
                                case APPLICATION_HEALTH_OK,
                                        APPLICATION_HEALTH_UNSPECIFIED,
                                        UNRECOGNIZED ->
                                        throw malformed("A probe sets degraded or critical.");
                            });
            case SYNC_STATUS ->
                    new Probe.StatusWhileFailing.SyncStatusWhileFailing(
                            switch (probe.getSyncStatus()) {
                                case SYNC_STATUS_SYNCING -> SyncStatus.SYNCING;
                                case SYNC_STATUS_STALLED -> SyncStatus.STALLED;
                                case SYNC_STATUS_SYNCED, SYNC_STATUS_UNSPECIFIED, UNRECOGNIZED ->
                                        throw malformed("A probe sets syncing or stalled.");
                            });
            case SETS_NOT_SET -> throw malformed("Probe " + probe.getName() + " sets nothing.");
        };
    }

    /** The nearest duration from 0 to 366 days. */
    static Duration toClampedDuration(com.google.protobuf.Duration duration) {
        long seconds = Math.clamp(duration.getSeconds(), 0, MAX_DURATION.toSeconds());
        boolean exact = seconds == duration.getSeconds() && seconds < MAX_DURATION.toSeconds();
        return Duration.ofSeconds(
                seconds, exact ? Math.clamp(duration.getNanos(), 0, 999_999_999) : 0);
    }

    /** A duration of a command, which is not executed if it is out of range. */
    private static Duration requireDuration(com.google.protobuf.Duration duration) {
        boolean fits =
                duration.getSeconds() >= 0
                        && duration.getSeconds() <= MAX_DURATION.toSeconds()
                        && duration.getNanos() >= 0
                        && duration.getNanos() <= 999_999_999;
        if (!fits) {
            throw malformed("A duration must be from 0 to 366 days.");
        }
        return toClampedDuration(duration);
    }

    private static MalformedCommand malformed(String what) {
        return new MalformedCommand(ReasonCode.MALFORMED_BODY, what);
    }

    private static final class MalformedCommand extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final ReasonCode reason;

        MalformedCommand(ReasonCode reason, String detail) {
            super(detail);
            this.reason = reason;
        }
    }
}
