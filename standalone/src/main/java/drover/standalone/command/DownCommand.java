package drover.standalone.command;

import drover.kit.text.ShellWord;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.DirectoryLock;
import drover.localenv.KeepProgramsRequestFile;
import drover.localenv.NodeDirectory;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.standalone.fleet.AgentlessProgramStopper;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code drover down}: stops the deployment of a data directory and, unless they are kept, its
 * programs; after a {@code kill -9}, what the deployment left behind.
 */
@Command(
        name = "down",
        description =
                "Stops the deployment of a data directory and, without --keep-programs, the"
                        + " programs of its nodes.")
public final class DownCommand extends StandaloneCommandBase {
    /** The services and the database; programs have limits of their own. */
    private static final Duration SERVICES_STOP = Duration.ofSeconds(80);

    @Mixin private DataDirectoryOption data = new DataDirectoryOption();

    @Option(
            names = "--keep-programs",
            description =
                    "Leaves the programs of the nodes running, without supervision; the next 'up'"
                            + " adopts them.")
    private boolean keepPrograms;

    /** How to stop a deployment without the programs of its nodes. */
    static String keepProgramsHint(DataDirectory directory) {
        return "To leave the programs running: ./drover down --keep-programs --data "
                + ShellWord.of(directory.root());
    }

    @Override
    int run() {
        DataDirectory directory = data.directory();
        if (!directory.isInitialized()) {
            throw new UserFacingError(
                    "There is no Drover data at "
                            + directory.root()
                            + "; name the directory that you gave to 'up' with --data.");
        }
        Optional<ProcessHandle> deployment = directory.runningProcess();
        if (deployment.isPresent()) {
            stop(directory, deployment.get());
        } else {
            boolean stopped = stopLeftovers(directory);
            String external = listExternalNodes(directory);
            if (!external.isEmpty()) {
                print("Nodes with external agents keep running: " + external + ".");
            }
            if (!printRunningPrograms(directory) && external.isEmpty() && !stopped) {
                print("Nothing runs on " + directory.root() + ".");
            }
        }
        return DONE;
    }

    /** Prints which programs run without supervision; true if there are any. */
    private boolean printRunningPrograms(DataDirectory directory) {
        String left = StatusCommand.describeRunningPrograms(directory);
        if (!left.isEmpty()) {
            print(left);
        }
        return !left.isEmpty();
    }

    /** Names of the nodes that run under external agents, which stop their own programs. */
    private static String listExternalNodes(DataDirectory directory) {
        return directory.existingNodes().stream()
                .filter(NodeDirectory::hasExternalAgent)
                .map(NodeDirectory::name)
                .collect(Collectors.joining(", "));
    }

    private void stop(DataDirectory directory, ProcessHandle deployment) {
        if (keepPrograms) {
            KeepProgramsRequestFile.write(directory, deployment.pid());
        } else {
            KeepProgramsRequestFile.delete(directory);
        }
        Duration programs =
                keepPrograms
                        ? Duration.ZERO
                        : AgentlessProgramStopper.longestStop(directory.existingNodes());
        if (programs.compareTo(SERVICES_STOP) > 0) {
            print(
                    "The programs have up to "
                            + programs.toSeconds()
                            + " s to stop (stop.timeout of their profiles).");
        }
        deployment.destroy();
        if (!Await.until(
                SERVICES_STOP.plus(programs), () -> directory.runningProcess().isEmpty())) {
            throw new UserFacingError(
                    "The deployment (process "
                            + deployment.pid()
                            + ") has not stopped yet; its log is "
                            + directory.log()
                            + ". Read it, or kill that process and run this command again.");
        }
        print(
                "The deployment on "
                        + directory.root()
                        + " has stopped"
                        + (keepPrograms ? "" : describeStoppedPrograms(directory))
                        + ".");
        stopLeftovers(directory);
        if (keepPrograms) {
            printRunningPrograms(directory);
        }
    }

    private static String describeStoppedPrograms(DataDirectory directory) {
        String external = listExternalNodes(directory);
        return ", with the programs of its nodes"
                + (external.isEmpty()
                        ? ""
                        : ", except those of nodes with external agents: " + external);
    }

    /** True when there was something to end. */
    private boolean stopLeftovers(DataDirectory directory) {
        DirectoryLock lock = directory.createAndLock(); // no start meanwhile
        try {
            int processes =
                    keepPrograms
                            ? 0
                            : AgentlessProgramStopper.stopAllButExternal(
                                    directory.existingNodes(), this::print);
            boolean database = EmbeddedOrExternalDatabase.stopLeftover(directory);
            RunningDeployment.delete(directory.runningDeploymentFile());
            if (processes > 0 || database) {
                print(
                        "Stopped what an earlier deployment left running: "
                                + processes
                                + " processes"
                                + (database ? " and the database." : "."));
            }
            return processes > 0 || database;
        } finally {
            lock.close();
        }
    }
}
