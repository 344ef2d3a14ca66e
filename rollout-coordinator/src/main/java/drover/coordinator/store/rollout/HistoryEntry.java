package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.model.Digest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * One row of a rollout's history.
 *
 * @param actor who did it: a principal, or {@code drover}
 * @param node node concerned; empty when a rollout or batch moved
 */
public record HistoryEntry(
        Instant at,
        long epoch,
        String actor,
        String subject,
        String node,
        String from,
        String to,
        Cause because) {

    /** What every chain begins with. */
    public static final String GENESIS = "genesis";

    /** The row that tells of a transition. */
    public static HistoryEntry of(Transition transition, Instant at, long epoch, String actor) {
        return new HistoryEntry(
                at,
                epoch,
                actor,
                transition.subject(),
                transition.node() == null ? "" : transition.node().value(),
                transition.from(),
                transition.to(),
                transition.because());
    }

    /**
     * As the table {@code history} holds it.
     *
     * @throws SQLException when the columns are not all there
     */
    public static HistoryEntry read(ResultSet row) throws SQLException {
        return new HistoryEntry(
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getLong("epoch"),
                row.getString("actor"),
                row.getString("subject"),
                row.getString("node_id"),
                row.getString("from_status"),
                row.getString("to_status"),
                new Cause(row.getString("code"), row.getString("sentence")));
    }

    /**
     * The hash of this row after another: any edit, removal or exchange changes every later one
     * (invariant G2).
     */
    public String hashAfter(String previous) {
        String canonical =
                String.join(
                        "\u001f",
                        previous,
                        Long.toString(at.getEpochSecond() * 1_000_000 + at.getNano() / 1_000),
                        Long.toString(epoch),
                        actor,
                        subject,
                        node,
                        from,
                        to,
                        because.code(),
                        because.sentence());
        return Digest.of(canonical).value();
    }
}
