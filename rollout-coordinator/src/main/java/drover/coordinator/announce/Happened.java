package drover.coordinator.announce;

import java.time.Instant;

/**
 * A row of history, with what its rollout is about.
 *
 * @param seq its place among all rows
 * @param hash its place in the rollout's chain of hashes: no other row ever has it
 * @param subject {@code rollout}, {@code batch 2} or {@code node}
 * @param node empty unless a node moved
 * @param code stable code of the reason
 * @param sentence the reason in one sentence
 */
public record Happened(
        long seq,
        String hash,
        Instant at,
        About about,
        String actor,
        String subject,
        String node,
        String from,
        String to,
        String code,
        String sentence) {
    private static final String BATCH = "batch ";

    /**
     * What never changes of a rollout.
     *
     * @param sourceVersion separated by commas when there are several
     */
    public record About(
            String rollout,
            String chain,
            String program,
            String sourceVersion,
            String targetVersion,
            String strategy) {}

    boolean isRollout() {
        return subject.equals("rollout");
    }

    boolean isBatch() {
        return subject.startsWith(BATCH);
    }

    /** Number of the batch that moved, from 1; 0 when none did. */
    public int batch() {
        return isBatch() ? Integer.parseInt(subject.substring(BATCH.length())) : 0;
    }
}
