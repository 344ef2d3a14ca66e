package drover.standalone.command;

import drover.agent.v1.ProgramReport;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.kit.rest.json.EnumNames;
import drover.kit.text.ShellWord;
import drover.localenv.DataDirectory;
import drover.localenv.LocalOperatorChannel;
import drover.localenv.NodeDirectory;
import drover.localenv.RunningDeployment;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeServiceGrpc;
import drover.standalone.fleet.AgentlessProgramStopper;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code drover status}: whether a mesh runs on a data directory, where, and how its nodes are. */
@Command(name = "status", description = "Says whether a mesh runs on a data directory, and where.")
public final class StatusCommand extends StandaloneCommandBase {
    private static final int MOST_NODES = 1000; // the most that one call lists
    private static final int DEADLINE_SECONDS = 5;

    @Mixin private DataDirectoryOption data = new DataDirectoryOption();

    @Override
    int run() {
        DataDirectory directory = data.directory();
        Optional<ProcessHandle> process =
                directory.isInitialized() ? directory.runningProcess() : Optional.empty();
        Optional<RunningDeployment> deployment =
                RunningDeployment.read(directory.runningDeploymentFile());
        if (process.isEmpty()) {
            return printNotRunning(directory);
        }
        if (deployment.isEmpty()) {
            print("A mesh is starting or ending on " + directory.root() + "; ask again.");
            return FAILED;
        }
        print("Drover runs on " + directory.root() + " (process " + process.get().pid() + ").");
        print("  REST    http://127.0.0.1:" + deployment.get().httpPort());
        print("  gRPC    127.0.0.1:" + deployment.get().grpcPort());
        print("  agents  127.0.0.1:" + deployment.get().agentPort());
        boolean missing =
                deployment.get().ownDatabase()
                        && EmbeddedOrExternalDatabase.findRunningUrl(directory).isEmpty();
        print("  database " + databaseText(deployment.get(), missing));
        print("");
        return missing ? FAILED : showNodes(deployment.get(), directory);
    }

    private static String databaseText(RunningDeployment deployment, boolean missing) {
        if (!deployment.ownDatabase()) {
            return "external (--postgres)";
        }
        return missing
                ? "PostgreSQL does not run; 'drover up' restarts it, see 'drover doctor'"
                : "PostgreSQL of the data directory, running";
    }

    private int printNotRunning(DataDirectory directory) {
        print("No mesh runs on " + directory.root() + ".");
        String left = describeRunningPrograms(directory);
        if (!left.isEmpty()) {
            print(left);
        }
        return FAILED;
    }

    /** Counts the processes of programs that no agent supervises; empty if there are none. */
    static String describeRunningPrograms(DataDirectory directory) {
        List<NodeDirectory> unsupervised =
                directory.isInitialized()
                        ? AgentlessProgramStopper.withoutExternalAgents(directory.existingNodes())
                        : List.of();
        int left = AgentlessProgramStopper.processesOf(unsupervised).size();
        return left == 0
                ? ""
                : (left == 1
                                ? "1 process of its nodes' programs still runs"
                                : left + " processes of its nodes' programs still run")
                        + " without supervision: './drover up --data "
                        + ShellWord.of(directory.root())
                        + "' adopts them, './drover down --data "
                        + ShellWord.of(directory.root())
                        + "' stops them.";
    }

    private int showNodes(RunningDeployment deployment, DataDirectory directory) {
        ManagedChannel channel = LocalOperatorChannel.connect(deployment, directory);
        try {
            List<Node> nodes =
                    NodeServiceGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                            .listNodes(
                                    ListNodesRequest.newBuilder().setPageSize(MOST_NODES).build())
                            .getNodesList();
            nodes.forEach(node -> print(line(node)));
            return DONE;
        } catch (StatusRuntimeException e) {
            printError(
                    RefusalParser.from(e)
                                    .map(Refused::getMessage)
                                    .orElse(
                                            "The nodes cannot be listed: the operators' API does not respond.")
                            + " Read "
                            + directory.log()
                            + ".");
            return FAILED;
        } finally {
            channel.shutdownNow();
        }
    }

    private static String line(Node node) {
        List<String> programs =
                node.getProgramsList().stream().map(StatusCommand::program).toList();
        return String.format(
                "  %-20s %-8s %-10s %s",
                node.getId(),
                node.getOnline() ? "online" : "offline",
                EnumNames.nameOf(node.getHealth().getValueDescriptor()),
                String.join(", ", programs));
    }

    private static String program(ProgramReport program) {
        return program.getName()
                + " "
                + program.getVersion()
                + (program.getRunning() ? "" : " (not running)");
    }
}
