package drover.bench.agent;

import drover.agent.v1.Artifact;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.UpgradeWork;
import drover.localenv.UserFacingError;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/**
 * A node with one program, {@code sleep}, and an upgrade to one that is larger: the same with zeros
 * behind its end.
 */
public final class PreparedNodeDirectory {
    private static final NodePath PROGRAM = new NodePath("/bin/app");
    private static final LaunchSpec LAUNCH =
            new LaunchSpec(
                    PROGRAM, "", List.of("{path}", "86400"), Map.of(), "", ProgramDigestSource.EXE);
    private final Path directory;
    private final Path old;
    private final Path next;

    private PreparedNodeDirectory(Path directory, Path old, Path next) {
        this.directory = directory;
        this.old = old;
        this.next = next;
    }

    /** Installs the first version below the directory and writes the next one beside it. */
    public static PreparedNodeDirectory createIn(Path directory, long nextBytes) {
        try {
            Path sleep = Path.of("/bin/sleep").toRealPath();
            Path old = Files.copy(sleep, directory.resolve("app-1"));
            Path next =
                    Files.copy(
                            sleep, directory.resolve("app-2"), StandardCopyOption.COPY_ATTRIBUTES);
            try (RandomAccessFile file = new RandomAccessFile(next.toFile(), "rw")) {
                file.setLength(nextBytes);
            }
            PreparedNodeDirectory node = new PreparedNodeDirectory(directory, old, next);
            node.install();
            return node;
        } catch (IOException e) {
            throw new UserFacingError(
                    "No node can be made in " + directory + ": " + e.getMessage(), e);
        }
    }

    private void install() throws IOException {
        Files.setPosixFilePermissions(
                Files.writeString(token(), "bench"), PosixFilePermissions.fromString("rw-------"));
        InitialProgramInstaller.install(
                new StateDirectoryAndRoot(state(), root()),
                List.of(
                        new InitialProgramInstallation(
                                new ProgramSpec(
                                        new BinaryName("app"), "process", LAUNCH, List.of()),
                                "v1",
                                old.toUri().toString(),
                                Digest.of(Files.readAllBytes(old)),
                                Map.of())));
    }

    Path state() {
        return directory.resolve("state");
    }

    Path root() {
        return directory.resolve("root");
    }

    Path token() {
        return directory.resolve("token");
    }

    /** The artifact of the next version. */
    Path nextArtifact() {
        return next;
    }

    /** What is executed. */
    Path program() {
        return root().resolve("bin/app");
    }

    /** To the next version, which lies at an address. */
    Command upgradeCommand(String url) {
        try {
            UpgradeWork work =
                    UpgradeWork.newBuilder()
                            .setProgram(
                                    drover.agent.v1.ProgramSpec.newBuilder()
                                            .setName("app")
                                            .setPath(PROGRAM.value())
                                            .setRuntime("process")
                                            .addAllArguments(LAUNCH.arguments()))
                            .setTargetVersion("v2")
                            .setArtifact(
                                    Artifact.newBuilder()
                                            .setUrl(url)
                                            .setSize(Files.size(next))
                                            .setDigest(digest(next)))
                            .setSourceDigest(digest(old))
                            .setTargetConfigDigest(
                                    ConfigDigest.of(Map.of(), LAUNCH.digest()).value())
                            .build();
            CommandBody body =
                    CommandBody.newBuilder()
                            .setNodeId("node-1")
                            .setRolloutId("6f1c3d0e-0000-4000-8000-000000000001")
                            .setAttempt(1)
                            .setUpgrade(work)
                            .build();
            return Command.newBuilder()
                    .setType(CommandType.COMMAND_TYPE_UPGRADE)
                    .setEpoch(1)
                    .setBody(body.toByteString())
                    .build();
        } catch (IOException e) {
            throw new UserFacingError("The node's files cannot be read: " + e.getMessage(), e);
        }
    }

    private static String digest(Path file) throws IOException {
        return Digest.of(Files.readAllBytes(file)).value();
    }
}
