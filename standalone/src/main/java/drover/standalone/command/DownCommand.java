package drover.standalone.command;

import drover.machine.database.Database;
import drover.machine.home.DataDirectory;
import drover.machine.home.DirectoryLock;
import drover.machine.home.Patience;
import drover.machine.home.RunningMesh;
import drover.machine.home.Unusable;
import drover.standalone.fleet.Programs;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code drover down}: ends the mesh of a data directory with its programs; after a {@code kill
 * -9}, the programs and the database that it left behind.
 */
@Command(
        name = "down",
        description = "Ends the mesh of a data directory and the programs of its nodes.")
public final class DownCommand extends LocalCommand {
    private static final Duration POLITE = Duration.ofSeconds(90); // programs 20 s, database 30 s

    @Mixin private DataOption data = new DataOption();

    @Override
    int run() {
        DataDirectory directory = data.directory();
        if (!directory.exists()) {
            throw new Unusable(
                    "There is no Drover data at "
                            + directory.root()
                            + "; name the directory that you gave to 'up' with --data.");
        }
        Optional<ProcessHandle> mesh = directory.occupant();
        if (mesh.isPresent()) {
            end(directory, mesh.get());
        } else {
            if (!endLeftovers(directory)) {
                say("Nothing runs on " + directory.root() + ".");
            }
        }
        return DONE;
    }

    private void end(DataDirectory directory, ProcessHandle mesh) {
        mesh.destroy();
        if (!Patience.await(POLITE, () -> directory.occupant().isEmpty())) {
            throw new Unusable(
                    "The mesh (process "
                            + mesh.pid()
                            + ") has not ended yet; its log is "
                            + directory.log()
                            + ". Look there, or kill that process and run this command again.");
        }
        say("The mesh on " + directory.root() + " has ended, with the programs of its nodes.");
        endLeftovers(directory);
    }

    /** True when there was something to end. */
    private boolean endLeftovers(DataDirectory directory) {
        DirectoryLock lock = directory.occupy(); // nobody may start it meanwhile
        try {
            int processes = Programs.end(directory.existingNodes());
            boolean database = Database.endLeftover(directory);
            RunningMesh.forget(directory.mesh());
            if (processes > 0 || database) {
                say(
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
