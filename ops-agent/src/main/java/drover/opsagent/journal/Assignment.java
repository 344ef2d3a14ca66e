package drover.opsagent.journal;

import java.time.Duration;

/**
 * An attempt as it was accepted; never changes.
 *
 * @param attempt per node, strictly increasing (R1)
 * @param bodyDigest digest of the accepted body; empty for a withdrawal
 * @param budget time for all actions; compensation has the same again
 * @param stagingName random name of the staged artifact (H12)
 */
public record Assignment(
        long attempt,
        String bodyDigest,
        String rolloutId,
        Work work,
        Duration budget,
        String stagingName) {}
