package drover.coordinator.peers;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.util.Durations;
import drover.agent.v1.AgentUpgradeWork;
import drover.agent.v1.Artifact;
import drover.agent.v1.ClearWork;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.PreflightWork;
import drover.agent.v1.ProgramSpec;
import drover.agent.v1.RenderedFile;
import drover.agent.v1.RestoreWork;
import drover.agent.v1.UpgradeWork;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.TargetArtifact;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.StopSettings;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Serializes what agents are told: once when frozen, once when assigned, never again. */
public final class CommandBodySerializer {
    private static final String STOP_SETTINGS = "stop-settings/1";
    private static final String PROGRAM_WRITTEN = "program-written/1";
    private static final String CLUSTER_ROLE = "cluster-role/1";

    private CommandBodySerializer() {}

    /**
     * The upgrade of one node, frozen at creation.
     *
     * @param artifactSize size of the artifact that is for every platform; 0 when not known
     * @param release signed release as it lay beside the manifest, passed on unread; empty when
     *     there was none
     */
    public static byte[] upgradePayload(
            RolloutSpec spec,
            NodeTarget target,
            byte[] programSpec,
            List<ManifestServiceLink.RenderedFileDigest> files,
            long artifactSize,
            ByteString release) {
        return switch (spec.programKind()) {
            case CARED_FOR ->
                    upgradeWork(spec, target, programSpec, files, artifactSize, release)
                            .toByteArray();
            case AGENT -> agentWork(spec, target, artifactSize, release).toByteArray();
        };
    }

    /** An agent knows how it is launched: it gets what to become, and nothing else. */
    private static AgentUpgradeWork agentWork(
            RolloutSpec spec, NodeTarget target, long artifactSize, ByteString release) {
        return AgentUpgradeWork.newBuilder()
                .setProgram(spec.binary().value())
                .setTargetVersion(spec.targetVersion().value())
                .setArtifact(toArtifact(spec, target, artifactSize))
                .setSourceDigest(target.sourceDigest().value())
                .setRelease(release)
                .build();
    }

    private static UpgradeWork upgradeWork(
            RolloutSpec spec,
            NodeTarget target,
            byte[] programSpec,
            List<ManifestServiceLink.RenderedFileDigest> files,
            long artifactSize,
            ByteString release) {
        UpgradeWork.Builder work =
                UpgradeWork.newBuilder()
                        .setProgram(parseProgram(programSpec))
                        .setTargetVersion(spec.targetVersion().value())
                        .setArtifact(toArtifact(spec, target, artifactSize))
                        .setSourceDigest(target.sourceDigest().value())
                        .setSourceConfigDigest(target.sourceConfig().value())
                        .setTargetConfigDigest(target.targetConfig().value())
                        .setRelease(release);
        for (ManifestServiceLink.RenderedFileDigest file : files) {
            work.addConfigFiles(
                    RenderedFile.newBuilder()
                            .setPath(file.path().value())
                            .setDigest(file.digest().value())
                            .setSize(file.size()));
        }
        return work.build();
    }

    /** A node without an artifact for its platform is skipped, so its payload is never sent. */
    private static Artifact toArtifact(RolloutSpec spec, NodeTarget target, long plainSize) {
        boolean plain = !spec.artifacts().containsKey(target.platform());
        return target.artifact(spec)
                .map(own -> toArtifact(own, plain ? plainSize : own.size()))
                .orElse(Artifact.getDefaultInstance());
    }

    private static Artifact toArtifact(TargetArtifact artifact, long size) {
        return Artifact.newBuilder()
                .setUrl(artifact.url())
                .setDigest(artifact.digest().value())
                .setSize(size)
                .build();
    }

    /** The body of an upgrade. */
    public static byte[] upgradeBody(
            ProgramKind kind, NodeId node, RolloutId rollout, long attempt, byte[] payload) {
        CommandBody.Builder body = newBody(kind, node, rollout, attempt, Duration.ZERO);
        switch (kind) {
            case CARED_FOR -> {
                UpgradeWork work = parseFrozen(payload, UpgradeWork.parser());
                setProgramRequirements(body, work.getProgram()).setUpgrade(work);
            }
            case AGENT -> body.setAgentUpgrade(parseFrozen(payload, AgentUpgradeWork.parser()));
        }
        return body.build().toByteArray();
    }

    /** The body of a restore. */
    public static byte[] restoreBody(
            RolloutId rollout, long attempt, long ofAttempt, RolloutSpec spec, NodeTarget target) {
        RestoreWork.Builder work =
                RestoreWork.newBuilder()
                        .setAttemptToUndo(ofAttempt)
                        .setProgram(spec.binary().value())
                        .setExpectedDigest(target.sourceDigest().value())
                        .setExpectedConfigDigest(target.sourceConfig().value());
        target.artifact(spec)
                .ifPresent(installed -> work.setInstalledDigest(installed.digest().value()));
        spec.reinstallableArtifact(target)
                .ifPresent(
                        previous ->
                                work.setPreviousVersion(target.sourceVersion().value())
                                        .setPreviousArtifact(
                                                toArtifact(previous, previous.size())));
        return newBody(spec.programKind(), target.node(), rollout, attempt, spec.extraStopTime())
                .setRestore(work)
                .build()
                .toByteArray();
    }

    /** The body of a clear, which belongs to no rollout. */
    public static byte[] clearBody(NodeId node, long attempt, String reason) {
        return CommandBody.newBuilder()
                .setNodeId(node.value())
                .setAttempt(attempt)
                .setWorkTimeout(Durations.fromSeconds(RolloutTimeouts.ACTIONS.toSeconds()))
                .setClear(ClearWork.newBuilder().setReason(reason))
                .build()
                .toByteArray();
    }

    /** The body of a preflight, which takes no attempt number. */
    public static byte[] preflightBody(NodeId node, RolloutId rollout, UUID id, byte[] payload) {
        UpgradeWork work = parseFrozen(payload, UpgradeWork.parser());
        CommandBody.Builder body = newBody(ProgramKind.CARED_FOR, node, rollout, 0, Duration.ZERO);
        return setProgramRequirements(body, work.getProgram())
                .setPreflight(
                        PreflightWork.newBuilder().setUpgrade(work).setPreflightId(id.toString()))
                .build()
                .toByteArray();
    }

    /** What a body asks for. */
    static CommandType typeOf(byte[] body) {
        return switch (parse(body).getWorkCase()) {
            case UPGRADE -> CommandType.COMMAND_TYPE_UPGRADE;
            case RESTORE -> CommandType.COMMAND_TYPE_RESTORE;
            case AGENT_UPGRADE -> CommandType.COMMAND_TYPE_AGENT_UPGRADE;
            case PREFLIGHT -> CommandType.COMMAND_TYPE_PREFLIGHT;
            case CLEAR -> CommandType.COMMAND_TYPE_CLEAR;
            case WORK_NOT_SET -> CommandType.COMMAND_TYPE_UNSPECIFIED; // agents refuse it
        };
    }

    /** Digests of the contents that must travel beside a body. */
    public static List<String> contentDigestsOf(byte[] body) {
        CommandBody parsed = parse(body);
        UpgradeWork upgrade =
                parsed.hasPreflight() ? parsed.getPreflight().getUpgrade() : parsed.getUpgrade();
        return upgrade.getConfigFilesList().stream()
                .map(RenderedFile::getDigest)
                .distinct()
                .toList();
    }

    private static CommandBody parse(byte[] body) {
        try {
            return CommandBody.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("A stored command body cannot be read", e);
        }
    }

    private static CommandBody.Builder newBody(
            ProgramKind kind,
            NodeId node,
            RolloutId rollout,
            long attempt,
            Duration extraStopTime) {
        return CommandBody.newBuilder()
                .addAllRequiredFeatures(kind.requiredFeatures())
                .setNodeId(node.value())
                .setRolloutId(rollout.value())
                .setAttempt(attempt)
                .setWorkTimeout(workTimeout(extraStopTime));
    }

    /**
     * An agent that ignored stop settings would kill the program too early; one that ignored which
     * files the program may change would report them as drift, and write them again. One that
     * ignored a cluster probe would leave the cluster without a report of the member.
     */
    private static CommandBody.Builder setProgramRequirements(
            CommandBody.Builder body, ProgramSpec program) {
        if (program.hasStop()) {
            body.addRequiredFeatures(STOP_SETTINGS)
                    .setWorkTimeout(workTimeout(extraStopTime(program)));
        }
        if (program.getProgramWrittenCount() > 0) {
            body.addRequiredFeatures(PROGRAM_WRITTEN);
        }
        return program.hasCluster() ? body.addRequiredFeatures(CLUSTER_ROLE) : body;
    }

    private static Duration extraStopTime(ProgramSpec program) {
        return StopSettings.timeBeyondDefault(
                Duration.ofMillis(Durations.toMillis(program.getStop().getTimeout())));
    }

    private static com.google.protobuf.Duration workTimeout(Duration extraStopTime) {
        return Durations.fromMillis(RolloutTimeouts.ACTIONS.plus(extraStopTime).toMillis());
    }

    private static <T> T parseFrozen(byte[] payload, Parser<T> parser) {
        try {
            return parser.parseFrom(payload);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("A frozen upgrade cannot be read", e);
        }
    }

    private static ProgramSpec parseProgram(byte[] bytes) {
        try {
            return ProgramSpec.parseFrom(ByteString.copyFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("A rendered program cannot be read", e);
        }
    }
}
