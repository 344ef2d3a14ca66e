package drover.bench.agent;

import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An agent's archive, unpacked.
 *
 * @param bytes of the archive itself
 * @param tree what was in it
 */
public record UnpackedAgent(long bytes, Path tree) {
    /** As deploy/archive/drover-agent starts Java, so that both sides have the same. */
    private static final List<String> SETTINGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-Xms8m",
                    "-Xmx64m",
                    "-Xss512k",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:-UsePerfData",
                    "-Xlog:aot=off",
                    "-Xlog:cds=off",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--enable-native-access=ALL-UNNAMED");

    /** Unpacks with the machine's own tar. */
    public static UnpackedAgent unpack(Path file, Path into) {
        try {
            Process tar =
                    new ProcessBuilder("tar", "-C", into.toString(), "-xzf", file.toString())
                            .inheritIO()
                            .start();
            if (!tar.waitFor(1, TimeUnit.MINUTES) || tar.exitValue() != 0) {
                throw new UserFacingError(
                        file + " is no archive of an agent: make one with .ci/archive.");
            }
            try (Stream<Path> entries = Files.list(into)) {
                return new UnpackedAgent(Files.size(file), entries.findFirst().orElseThrow());
            }
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be unpacked: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The measurement was ended.", e);
        }
    }

    /** The agent as it is installed. */
    List<String> agentCommand(FakeGateway gateway, Path state, Path root, Path token) {
        return List.of(
                tree.resolve("bin/drover-agent").toString(),
                "--gateway",
                gateway.address(),
                "--state",
                state.toString(),
                "--root",
                root.toString(),
                "--token-file",
                token.toString(),
                "--allow-local");
    }

    /** The same of a node that was enrolled: it shows its certificate. */
    List<String> enrolledAgentCommand(FakeGateway gateway, Path state, Path root) {
        return List.of(
                tree.resolve("bin/drover-agent").toString(),
                "--gateway",
                gateway.address(),
                "--state",
                state.toString(),
                "--root",
                root.toString(),
                "--allow-local");
    }

    /**
     * The bare client, with the classes of the agent's jar and a start prepared likewise.
     *
     * @param tls a directory with its certificate; none: it dials plainly
     */
    List<String> bareClientCommand(FakeGateway gateway, Path prepared, Path file, Path... tls) {
        return bareClientCommand("-XX:AOTCache=" + prepared, gateway, file, tls);
    }

    /** The run that prepares it. */
    List<String> bareClientAotTrainingCommand(
            FakeGateway gateway, Path prepared, Path file, Path... tls) {
        return bareClientCommand("-XX:AOTCacheOutput=" + prepared, gateway, file, tls);
    }

    private List<String> bareClientCommand(
            String cache, FakeGateway gateway, Path file, Path... tls) {
        List<String> command = new ArrayList<>();
        command.add(tree.resolve("runtime/bin/java").toString());
        command.addAll(SETTINGS);
        command.add(cache);
        command.addAll(List.of("-cp", classPath(), BareClientMain.class.getName()));
        command.addAll(List.of(gateway.address(), file.toString()));
        Stream.of(tls).map(Path::toString).forEach(command::add);
        return command;
    }

    private String classPath() {
        Path own =
                Path.of(
                        BareClientMain.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath());
        return tree.resolve("versions/current/drover-agent.jar") + ":" + own;
    }
}
