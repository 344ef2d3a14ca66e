package drover.model.cluster;

/** Role of a member in its cluster. */
public enum ClusterRole {
    /** Leads the cluster; other voters follow. */
    LEADER,

    /** Voter that follows a leader. */
    FOLLOWER,

    /** Member without a vote. It never counts for the quorum. */
    LEARNER,

    /** The only voter of its cluster. */
    ALONE,

    /** Neither leads nor follows, for example during an election or a partition. */
    UNKNOWN
}
