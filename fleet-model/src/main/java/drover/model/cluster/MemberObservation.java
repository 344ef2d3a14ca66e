package drover.model.cluster;

import java.time.Instant;

/** Result of the latest probe of one member. */
public sealed interface MemberObservation {
    /** Node or endpoint that was probed. */
    String node();

    /**
     * The probe returned a report.
     *
     * @param receivedAt by the clock that the assessment uses
     */
    record Reported(String node, ClusterReport report, Instant receivedAt)
            implements MemberObservation {}

    /**
     * The probe failed.
     *
     * @param reason one sentence
     */
    record Unreported(String node, String reason) implements MemberObservation {}
}
