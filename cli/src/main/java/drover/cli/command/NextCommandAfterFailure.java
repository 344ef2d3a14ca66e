package drover.cli.command;

import drover.cli.terminal.ShellQuoter;

/** The next command that helps, for each reason that has one. */
final class NextCommandAfterFailure {
    private NextCommandAfterFailure() {}

    /**
     * The next command; empty if none helps.
     *
     * @param group the commands that the failed one belongs to, such as {@code rollout}
     * @param id what the failed command named; may be empty
     */
    static String find(String group, String reason, String id) {
        String word = id.isEmpty() ? "" : ShellQuoter.of(id);
        return switch (group) {
            case "group" -> nextGroupCommand(reason, word);
            case "node" -> nextNodeCommand(reason, word);
            case "rollout" -> nextCommand(reason, word);
            default -> namesARollout(nextCommand(reason, word)) ? "" : nextCommand(reason, word);
        };
    }

    /** The next command after one about a node, whose name is no rollout's id. */
    private static String nextNodeCommand(String reason, String node) {
        String next = nextCommand(reason, node);
        return namesARollout(next) ? "drover node why " + (node.isEmpty() ? "NAME" : node) : next;
    }

    private static boolean namesARollout(String command) {
        return command.startsWith("drover rollout ") && !command.startsWith("drover rollout list");
    }

    /** The same where a group was asked. */
    static String nextGroupCommand(String reason, String id) {
        String about = id.isEmpty() ? "ID" : id;
        return switch (reason) {
            case "GROUP_NOT_FOUND" -> "drover group list";
            case "USE_RESUME" -> "drover group resume " + about;
            case "USE_PAUSE", "PAUSE_FIRST" -> "drover group pause " + about;
            case "NOT_STARTED" -> "drover group start " + about;
            case "COMPONENT_ENDED" -> "drover group skip " + about;
            case "ACKNOWLEDGE_FAILURES" ->
                    "drover group resume " + about + " --acknowledge-failures N";
            case "DEADLINE", "HISTORY_PRUNED" -> "drover group status " + about;
            case "ALREADY", "TOO_LATE", "FINAL", "NOTHING_DONE", "SUPERSEDED", "REQUEST_EXPIRED" ->
                    "drover group why " + about;
            default -> nextCommand(reason, id);
        };
    }

    /**
     * The command to type next; empty when none helps.
     *
     * @param id what the refused command was about: a rollout's or node's id; may be empty
     */
    static String nextCommand(String reason, String id) {
        String about = id.isEmpty() ? "ID" : id;
        return switch (reason) {
            case "ROLLOUT_NOT_FOUND" -> "drover rollout list";
            case "NODE_NOT_FOUND" -> "drover node list";
            case "NODE_NOT_IN_ROLLOUT" -> "drover rollout nodes " + about;
            case "MANIFEST_NOT_FOUND" -> "drover manifest list";
            case "MANIFEST_INVALID" -> "drover manifest validate FILE";
            case "CHAIN_BUSY" -> "drover rollout list --active";
            case "USE_RESUME", "RESUME_FIRST" -> "drover rollout resume " + about;
            case "EVIDENCE_CHANGED", "HISTORY_PRUNED" -> "drover rollout show " + about;
            case "USE_APPROVE" -> "drover rollout approve " + about;
            case "USE_PAUSE" -> "drover rollout pause " + about;
            case "NOT_STARTED" -> "drover rollout start " + about;
            case "ACKNOWLEDGE_FAILURES" ->
                    "drover rollout resume " + about + " --acknowledge-failures N";
            case "NO_TARGETS" -> "drover node list";
            case "TARGETS_UNHEALTHY" -> "drover rollout plan " + about;
            case "NODE_OFFLINE", "NODE_ONLINE" -> "drover node show " + about;
            case "NOTHING_TO_CLEAR", "CLEAR_REFUSED" -> "drover node why " + about;
            case "NODE_IN_FLIGHT" -> "drover rollout watch " + about;
            case "INCIDENT_NOT_FOUND", "INCIDENT_RESOLVED" -> "drover incident list --all";
            case "CREDENTIAL_MISSING" ->
                    "drover COMMAND --key-file DIR, where 'drover up' has its data; or"
                            + " set DROVER_KEY_FILE";
            case "KEY_NOT_FOUND", "KEY_EXISTS" -> "drover key list";
            case "JOIN_TOKEN_NOT_FOUND" -> "drover token list";
            case "DEADLINE" -> "drover rollout show " + about;
            case "ALREADY",
                    "TOO_LATE",
                    "FINAL",
                    "NOT_AWAITING",
                    "NOTHING_DONE",
                    "SUPERSEDED",
                    "NODE_NOT_FAILED",
                    "NODE_FAILED_ROLLBACK",
                    "NODE_NOT_PENDING",
                    "NODE_NOT_HELD",
                    "REQUEST_EXPIRED" ->
                    "drover rollout why " + about;
            default -> "";
        };
    }
}
