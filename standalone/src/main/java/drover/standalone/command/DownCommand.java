package drover.standalone.command;

import drover.kit.text.ShellWord;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.DirectoryLock;
import drover.localenv.KeepProgramsRequest;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import drover.localenv.database.Database;
import drover.standalone.fleet.OrphanedPrograms;
import java.time.Duration;
import java.util.Optional;
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
public final class DownCommand extends LocalCommand {
    private static final Duration POLITE = Duration.ofSeconds(90); // programs 20 s, database 30 s

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
            String left = StatusCommand.describeRunningPrograms(directory);
            if (!left.isEmpty()) {
                print(left);
            } else if (!stopped) {
                print("Nothing runs on " + directory.root() + ".");
            }
        }
        return DONE;
    }

    private void stop(DataDirectory directory, ProcessHandle deployment) {
        if (keepPrograms) {
            KeepProgramsRequest.write(directory, deployment.pid());
        } else {
            KeepProgramsRequest.delete(directory);
        }
        deployment.destroy();
        if (!Await.until(POLITE, () -> directory.runningProcess().isEmpty())) {
            throw new UserFacingError(
                    "The mesh (process "
                            + deployment.pid()
                            + ") has not ended yet; its log is "
                            + directory.log()
                            + ". Look there, or kill that process and run this command again.");
        }
        print(
                "The mesh on "
                        + directory.root()
                        + " has ended"
                        + (keepPrograms ? "." : ", with the programs of its nodes."));
        stopLeftovers(directory);
        if (keepPrograms) {
            print(StatusCommand.describeRunningPrograms(directory));
        }
    }

    /** True when there was something to end. */
    private boolean stopLeftovers(DataDirectory directory) {
        DirectoryLock lock = directory.createAndLock(); // nobody may start it meanwhile
        try {
            int processes =
                    keepPrograms
                            ? 0
                            : OrphanedPrograms.stopAllButExternal(directory.existingNodes());
            boolean database = Database.stopLeftover(directory);
            RunningDeployment.delete(directory.runningDeploymentFile());
            if (processes > 0 || database) {
                print(
                        "Ended what an earlier mesh left behind: "
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
