package drover.system.upgrade;

import drover.bench.deployment.DroverBuild;
import drover.bench.deployment.ServiceProcess;
import drover.bench.fleet.BenchNode;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.main.OpsAgentMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.slf4j.event.Level;

/**
 * Nodes with a directory of their own and an agent that is a process: what they have survives it.
 */
final class AgentProcesses implements AutoCloseable {
    /** As {@link BenchNode#PROFILE}, but for a program that is real. */
    static final String PROFILE =
            """
            runtime: { type: process }
            programs:
              - name: app
                path: /opt/app
                identity: file
            health:
              wait: 1s
            """;

    private static final ProgramSpec PROGRAM =
            new ProgramSpec(
                    new BinaryName("app"),
                    "process",
                    new LaunchSpec(
                            new NodePath("/opt/app"),
                            "",
                            List.of(),
                            Map.of(),
                            "",
                            ProgramDigestSource.FILE),
                    List.of());

    private static final int HEAP = 64;

    private final Path directory;
    private final String gateways;
    private final Map<Integer, ServiceProcess> agents = new TreeMap<>();

    /** Installs so many nodes; no agent runs yet. */
    AgentProcesses(Path directory, String gateways, byte[] program, int nodes) throws IOException {
        this.directory = directory;
        this.gateways = gateways;
        Path artifact = Files.write(directory.resolve("app-v1"), program);
        for (int number = 0; number < nodes; number++) {
            Path home = Files.createDirectories(home(number));
            Files.setPosixFilePermissions(
                    Files.writeString(home.resolve("token"), new BenchNode(number).token()),
                    PosixFilePermissions.fromString("rw-------"));
            InitialProgramInstaller.install(
                    new StateDirectoryAndRoot(home.resolve("state"), home.resolve("root")),
                    List.of(
                            new InitialProgramInstallation(
                                    PROGRAM,
                                    "v1",
                                    artifact.toUri().toString(),
                                    Digest.of(program),
                                    Map.of())));
        }
    }

    private Path home(int number) {
        return directory.resolve(new BenchNode(number).id().value());
    }

    void start(int number, DroverBuild build) {
        Path home = home(number);
        List<String> arguments =
                List.of(
                        "--gateway",
                        gateways,
                        "--state",
                        home.resolve("state").toString(),
                        "--root",
                        home.resolve("root").toString(),
                        "--token-file",
                        home.resolve("token").toString(),
                        "--reconnect-within",
                        "2",
                        "--allow-local");
        agents.put(
                number,
                build.start(directory, OpsAgentMain.class, Level.INFO, HEAP, Map.of(), arguments));
    }

    /** SIGTERM, and the other build on the same directory. */
    void replace(int number, DroverBuild build) {
        Objects.requireNonNull(agents.get(number)).close();
        start(number, build);
    }

    @Override
    public void close() {
        agents.values().forEach(ServiceProcess::kill);
    }
}
