package drover.standalone.command;

import drover.localenv.UserFacingError;
import picocli.CommandLine.Command;

/** {@code drover cluster …}: clustered programs, such as etcd. */
@Command(
        name = "cluster",
        description = "Check clustered programs before their members are upgraded.",
        subcommands = ClusterCheckCommand.class)
public final class ClusterCommand extends StandaloneCommandBase {
    @Override
    int run() {
        throw new UserFacingError("State what to do: check.");
    }
}
