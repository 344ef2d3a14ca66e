package drover.standalone.command;

import drover.kit.log.Logging;
import drover.opsagent.main.OpsAgentMain;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code drover agent}: one agent as a process of its own. Its flags are the agent's. */
@Command(
        name = "agent",
        description = "Runs the agent of one node as a process of its own.",
        subcommands = {AgentAdoptCommand.class, ProfileProgramSpecCommand.class},
        footer = {
            "",
            "Flags: --gateway HOST:PORT,... --state DIR --root DIR",
            "       [--join-token-file FILE --enrol-at HOST:PORT,... | --token-file FILE]",
            "       [--allow-host HOST ...] [--allow-local]",
            "Taking the last attempt back, with no server and the agent stopped:",
            "       rollback --state DIR --root DIR",
            "Pinning the root of trust that the policy names, once:",
            "       --pin-trust --state DIR --root DIR --policy FILE"
        })
public final class AgentCommand extends StandaloneCommandBase {
    @Unmatched private List<String> flags = new ArrayList<>();

    @Override
    int run() {
        try {
            Logging.startForService(System.getenv());
            OpsAgentMain.main(flags.toArray(String[]::new));
        } catch (IllegalArgumentException e) {
            printError(String.valueOf(e.getMessage()));
            return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return DONE;
    }
}
