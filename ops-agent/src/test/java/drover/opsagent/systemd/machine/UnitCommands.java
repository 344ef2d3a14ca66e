package drover.opsagent.systemd.machine;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.Artifact;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.Content;
import drover.agent.v1.PreflightWork;
import drover.agent.v1.RenderedFile;
import drover.agent.v1.RestoreWork;
import drover.agent.v1.UpgradeWork;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.main.RealProcessNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What a leader sends to a node whose program is the unit {@code app.service}. */
public final class UnitCommands {
    public static final NodePath PROGRAM = new NodePath("/usr/local/bin/app");
    static final NodePath CONFIG = new NodePath("/etc/app/app.toml");
    public static final NodePath UNIT = new NodePath("/etc/systemd/system/app.service");

    private UnitCommands() {}

    /** The files that an upgrade leaves: an artifact by its name, and two texts. */
    public record Version(String artifact, Digest digest, String config, String unit) {
        /** Of an artifact that lies on a machine, whose root is there. */
        static Version on(Path root, String artifact, String config, String unit)
                throws IOException {
            byte[] program = Files.readAllBytes(root.resolve("opt/artifacts").resolve(artifact));
            return new Version(artifact, Digest.of(program), config, unit);
        }
    }

    public static ProgramSpec spec() {
        return new ProgramSpec(
                new BinaryName("app"),
                "systemd",
                new LaunchSpec(
                        PROGRAM, "app.service", List.of(), Map.of(), "", ProgramDigestSource.EXE),
                List.of());
    }

    private static Digest configDigest(Version version) {
        return configDigest(version, spec().launch());
    }

    static Digest configDigest(Version version, LaunchSpec launch) {
        return ConfigDigest.of(
                Map.of(CONFIG, Digest.of(version.config()), UNIT, Digest.of(version.unit())),
                launch.digest());
    }

    static Command upgrade(long attempt, Version from, Version to) {
        UpgradeWork work =
                UpgradeWork.newBuilder()
                        .setProgram(
                                drover.agent.v1.ProgramSpec.newBuilder()
                                        .setName("app")
                                        .setPath(PROGRAM.value())
                                        .setService("app.service")
                                        .setRuntime("systemd"))
                        .setTargetVersion(to.artifact())
                        .setArtifact(
                                Artifact.newBuilder()
                                        .setUrl("file:///opt/artifacts/" + to.artifact())
                                        .setDigest(to.digest().value()))
                        .addConfigFiles(rendered(CONFIG, to.config()))
                        .addConfigFiles(rendered(UNIT, to.unit()))
                        .setSourceDigest(from.digest().value())
                        .setTargetConfigDigest(configDigest(to).value())
                        .build();
        CommandBody body = RealProcessNode.body(attempt).setUpgrade(work).build();
        return Command.newBuilder()
                .setType(CommandType.COMMAND_TYPE_UPGRADE)
                .setEpoch(1)
                .setBody(body.toByteString())
                .addContents(content(to.config()))
                .addContents(content(to.unit()))
                .build();
    }

    /** Of the program alone, as a unit of this name; its files besides stay as they are. */
    public static Command upgradeAlone(long attempt, String unit, Digest from, Version to) {
        LaunchSpec launch =
                new LaunchSpec(PROGRAM, unit, List.of(), Map.of(), "", ProgramDigestSource.EXE);
        UpgradeWork work =
                UpgradeWork.newBuilder()
                        .setProgram(
                                drover.agent.v1.ProgramSpec.newBuilder()
                                        .setName("app")
                                        .setPath(PROGRAM.value())
                                        .setService(unit)
                                        .setRuntime("systemd"))
                        .setTargetVersion(to.artifact())
                        .setArtifact(
                                Artifact.newBuilder()
                                        .setUrl("file:///opt/artifacts/" + to.artifact())
                                        .setDigest(to.digest().value()))
                        .setSourceDigest(from.value())
                        .setTargetConfigDigest(ConfigDigest.of(Map.of(), launch.digest()).value())
                        .build();
        return Command.newBuilder()
                .setType(CommandType.COMMAND_TYPE_UPGRADE)
                .setEpoch(1)
                .setBody(RealProcessNode.body(attempt).setUpgrade(work).build().toByteString())
                .build();
    }

    /** The same command, with another upgrade. */
    static Command changed(Command command, Consumer<UpgradeWork.Builder> change) {
        try {
            CommandBody.Builder body = CommandBody.parseFrom(command.getBody()).toBuilder();
            change.accept(body.getUpgradeBuilder());
            return command.toBuilder().setBody(body.build().toByteString()).build();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Checks whether an upgrade would work. */
    static Command preflight(Command upgrade) {
        try {
            PreflightWork work =
                    PreflightWork.newBuilder()
                            .setPreflightId("preflight")
                            .setUpgrade(CommandBody.parseFrom(upgrade.getBody()).getUpgrade())
                            .build();
            CommandBody body = RealProcessNode.body(0).setPreflight(work).build();
            return upgrade.toBuilder()
                    .setType(CommandType.COMMAND_TYPE_PREFLIGHT)
                    .setBody(body.toByteString())
                    .build();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Command restore(long attempt, long of, Version before) {
        RestoreWork work =
                RestoreWork.newBuilder()
                        .setAttemptToUndo(of)
                        .setProgram("app")
                        .setExpectedDigest(before.digest().value())
                        .setExpectedConfigDigest(configDigest(before).value())
                        .build();
        CommandBody body = RealProcessNode.body(attempt).setRestore(work).build();
        return Command.newBuilder()
                .setType(CommandType.COMMAND_TYPE_RESTORE)
                .setEpoch(1)
                .setBody(body.toByteString())
                .build();
    }

    private static RenderedFile rendered(NodePath path, String text) {
        return RenderedFile.newBuilder()
                .setPath(path.value())
                .setDigest(Digest.of(text).value())
                .build();
    }

    private static Content content(String text) {
        return Content.newBuilder()
                .setDigest(Digest.of(text).value())
                .setData(ByteString.copyFromUtf8(text))
                .build();
    }
}
