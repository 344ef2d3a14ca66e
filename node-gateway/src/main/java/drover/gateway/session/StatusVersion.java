package drover.gateway.session;

/**
 * Which status: what an agent tells of a node is ordered by it.
 *
 * @param attempt 0 when the node never had one
 * @param sequence within the attempt
 */
public record StatusVersion(long attempt, long sequence) implements Comparable<StatusVersion> {
    @Override
    public int compareTo(StatusVersion other) {
        return attempt == other.attempt
                ? Long.compare(sequence, other.sequence)
                : Long.compare(attempt, other.attempt);
    }
}
