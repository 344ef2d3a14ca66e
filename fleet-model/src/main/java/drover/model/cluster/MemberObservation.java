package drover.model.cluster;

import java.time.Duration;

/** Result of the latest probe of one member. */
public sealed interface MemberObservation {
    /** Node or endpoint that was probed. */
    String node();

    /**
     * The probe returned a report.
     *
     * @param age by a monotonic clock, since the start of the probe: its data may be as old
     */
    record Reported(String node, ClusterReport report, Duration age) implements MemberObservation {}

    /**
     * The probe failed.
     *
     * @param reason one sentence
     */
    record Unreported(String node, String reason) implements MemberObservation {}
}
