package drover.model.cluster;

/**
 * A driver's view of whether stopping its member now is safe. It covers reasons that only the
 * software knows, such as partitions with too few replicas; votes are counted by {@link
 * ClusterAssessment}.
 */
public enum StopSafety {
    YES,
    NO,

    /** The driver cannot determine it. Never treated as {@link #YES}. */
    UNKNOWN
}
