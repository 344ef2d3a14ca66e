package drover.bench.limit;

/**
 * What goes over bare streams: to each agent one command, back from it some statuses, and one
 * acknowledgement for the last.
 *
 * @param perConnection agents that share an HTTP/2 connection; real ones have one each
 * @param statuses how many each agent sends
 * @param commandBytes size of a command's body
 * @param statusBytes size of a status
 */
public record StreamShape(
        int agents, int perConnection, int statuses, int commandBytes, int statusBytes) {
    /** What an upgrade without configuration was measured to be. */
    public static StreamShape of(int agents, int perConnection) {
        return new StreamShape(agents, perConnection, 4, 600, 1_200);
    }
}
