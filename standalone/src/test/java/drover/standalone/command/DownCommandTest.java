package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.DataDirectory;
import drover.localenv.DirectoryLock;
import drover.localenv.KeepProgramsRequestFile;
import drover.localenv.NodeDirectory;
import drover.model.NodeId;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code down} and {@code status} on a data directory whose deployment was killed. */
class DownCommandTest {
    @TempDir Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private DataDirectory data = new DataDirectory(Path.of("."));
    private @Nullable Process program; // null before it is started

    @BeforeEach
    void startProgram() throws IOException {
        data = new DataDirectory(folder.resolve("data"));
        data.createAndLock().close(); // writes the version
        String marker = UUID.randomUUID().toString();
        NodeDirectory node = data.node(new NodeId("berth-01"));
        Path run = Files.createDirectories(node.state().resolve("run/greeter"));
        Files.writeString(run.resolve("run.json"), "{\"marker\":\"" + marker + "\"}");
        ProcessBuilder builder = new ProcessBuilder("sleep", "60");
        builder.environment().put("DROVER_RUN", marker);
        program = builder.start();
    }

    @AfterEach
    void leaveNoProcess() {
        startedProgram().destroyForcibly();
    }

    @Test
    void keepsPrograms() {
        assertThat(drover("down", "--keep-programs")).as(err.toString()).isZero();

        assertThat(startedProgram().isAlive()).isTrue();
        assertThat(out.toString())
                .contains(
                        "1 process of its nodes' programs still runs", "up --data", "down --data");
    }

    @Test
    void stopsProgramsWithoutTheOption() throws InterruptedException {
        assertThat(drover("down")).as(err.toString()).isZero();

        assertThat(startedProgram().waitFor()).isNotZero();
    }

    @Test
    @DisplayName("Programs under an external agent are not reported as unsupervised, and run on")
    void leavesProgramsToTheirExternalAgent() throws IOException {
        Path lock = data.node(new NodeId("berth-01")).state().resolve("executor.lock");
        try (FileChannel agent =
                        FileChannel.open(
                                lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = agent.lock()) {
            assertThat(drover("down", "--keep-programs")).as(err.toString()).isZero();
            assertThat(drover("down")).as(err.toString()).isZero();
        }

        assertThat(startedProgram().isAlive()).isTrue();
        String external = "Nodes with external agents keep running: berth-01.\n";
        assertThat(out.toString()).isEqualTo(external + external);
    }

    @Test
    @DisplayName("down of a deployment without programs prints one line")
    void printsNoEmptyLine() throws Exception {
        startedProgram().destroyForcibly().waitFor();
        Process deployment = startDeployment();
        try {
            assertThat(drover("down", "--keep-programs")).as(err.toString()).isZero();
        } finally {
            deployment.destroyForcibly();
        }
        assertThat(out.toString())
                .isEqualTo("The deployment on " + data.root() + " has stopped.\n");
    }

    @Test
    @DisplayName("down says which programs run on under external agents")
    void namesExternalAgents() throws Exception {
        Path lock = data.node(new NodeId("berth-01")).state().resolve("executor.lock");
        Process deployment = startDeployment();
        try (FileChannel agent =
                        FileChannel.open(
                                lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = agent.lock()) {
            assertThat(drover("down")).as(err.toString()).isZero();
        } finally {
            deployment.destroyForcibly();
        }
        assertThat(startedProgram().isAlive()).isTrue();
        assertThat(out.toString())
                .isEqualTo(
                        "The deployment on "
                                + data.root()
                                + " has stopped, with the programs of its nodes, except those of"
                                + " nodes with external agents: berth-01.\n");
    }

    /** A process that holds the lock of the data directory until it is stopped. */
    private Process startDeployment() throws IOException {
        Process deployment =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Deployment.class.getName(),
                                data.root().toString())
                        .redirectErrorStream(true)
                        .start();
        assertThat(deployment.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("locked");
        return deployment;
    }

    /** A deployment that runs nothing. */
    static final class Deployment {
        private Deployment() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (DirectoryLock _ = new DataDirectory(Path.of(arguments[0])).createAndLock()) {
                System.out.println("locked");
                new CountDownLatch(1).await();
            }
        }
    }

    @Test
    @DisplayName("status counts the processes of programs that run without a deployment")
    void statusCountsRemainingProcesses() {
        assertThat(drover("status")).isEqualTo(1);

        assertThat(out.toString())
                .contains(
                        "No mesh runs on " + data.root(),
                        "1 process of its nodes' programs still runs");
    }

    @Test
    @DisplayName("A request to keep programs counts for the process that it names, and no other")
    void aRequestIsForOneProcess() {
        assertThat(KeepProgramsRequestFile.isForThisProcess(data)).isFalse();

        KeepProgramsRequestFile.write(data, ProcessHandle.current().pid() + 1);
        assertThat(KeepProgramsRequestFile.isForThisProcess(data)).isFalse();

        KeepProgramsRequestFile.write(data, ProcessHandle.current().pid());
        assertThat(KeepProgramsRequestFile.isForThisProcess(data)).isTrue();

        KeepProgramsRequestFile.delete(data);
        assertThat(KeepProgramsRequestFile.isForThisProcess(data)).isFalse();
    }

    private Process startedProgram() {
        if (program == null) {
            throw new IllegalStateException("The program was not started");
        }
        return program;
    }

    private int drover(String command, String... options) {
        String[] line = new String[options.length + 3];
        line[0] = command;
        line[1] = "--data";
        line[2] = data.root().toString();
        System.arraycopy(options, 0, line, 3, options.length);
        return CommandTreeTest.tree(out, err).execute(line);
    }
}
