package drover.coordinator.event;

import java.time.Instant;

/**
 * A row of history, or the opening or resolution of an incident, with what its rollout is about.
 *
 * @param seq its place among all rows
 * @param hash its place in the rollout's chain of hashes: no other row ever has it
 * @param subject {@code rollout}, {@code batch 2}, {@code node}, {@code phase} of a node or {@code
 *     incident}
 * @param node empty unless a node moved
 * @param code stable code of the reason
 * @param sentence the reason in one sentence
 * @param incident what was opened or resolved; {@link IncidentDescription#NONE} in a row of history
 */
public record EventHistoryEntry(
        long seq,
        String hash,
        Instant at,
        RolloutDescription rolloutFacts,
        String actor,
        String subject,
        String node,
        String from,
        String to,
        String code,
        String sentence,
        IncidentDescription incident) {
    private static final String BATCH = "batch ";
    private static final String PHASE = "phase";

    /** A row of history. */
    public EventHistoryEntry(
            long seq,
            String hash,
            Instant at,
            RolloutDescription about,
            String actor,
            String subject,
            String node,
            String from,
            String to,
            String code,
            String sentence) {
        this(
                seq,
                hash,
                at,
                about,
                actor,
                subject,
                node,
                from,
                to,
                code,
                sentence,
                IncidentDescription.NONE);
    }

    /** An incident; category and severity in the words that REST uses. */
    public record IncidentDescription(String id, String category, String severity) {
        /** No incident is concerned. */
        public static final IncidentDescription NONE = new IncidentDescription("", "", "");
    }

    /**
     * What never changes of a rollout.
     *
     * @param sourceVersion separated by commas when there are several
     */
    public record RolloutDescription(
            String rollout,
            String chain,
            String program,
            String sourceVersion,
            String targetVersion,
            String strategy) {
        /** No rollout is concerned. */
        public static final RolloutDescription NOTHING =
                new RolloutDescription("", "", "", "", "", "");
    }

    boolean isIncident() {
        return !incident.id().isEmpty();
    }

    boolean isRollout() {
        return subject.equals("rollout");
    }

    boolean isPhase() {
        return subject.equals(PHASE);
    }

    boolean isBatch() {
        return subject.startsWith(BATCH);
    }

    /** Number of the batch that moved, from 1; 0 when none did. */
    public int batchNumber() {
        return isBatch() ? Integer.parseInt(subject.substring(BATCH.length())) : 0;
    }
}
