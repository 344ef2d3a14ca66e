package drover.opsagent.runtime.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Command line that runs without capabilities, without a way to gain privileges, and never as root
 * (H16).
 */
public sealed interface UnprivilegedCommandResult {
    /**
     * The command line can be run.
     *
     * @param environment variables that it needs in addition
     */
    record Ready(List<String> line, Map<String, String> environment)
            implements UnprivilegedCommandResult {
        public Ready {
            line = List.copyOf(line);
            environment = Map.copyOf(environment);
        }
    }

    /** This machine cannot drop the privileges. */
    record Unavailable(String problem) implements UnprivilegedCommandResult {}

    /**
     * Wraps a command.
     *
     * @param user account that runs it if the agent is root
     */
    static UnprivilegedCommandResult of(List<String> command, String user) throws IOException {
        return PrivilegeDrop.wrap(command, user);
    }
}
