package drover.model.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * State of a cluster as one member reports it (contract {@code drover-cluster/1}).
 *
 * @param cluster id of the cluster, equal at all its members
 * @param member name of the reporting member, unique in the cluster
 * @param term election term; a newer leader has a higher one
 * @param voters names of all voters; empty only if the role is unknown
 * @param healthyVoters voters that take part in the quorum, as this member sees them
 * @param clusterVersion version of data and protocol of the whole cluster; may be empty
 * @param safeToStop the driver's own view; the quorum is checked in addition
 * @param reason one sentence if {@code safeToStop} is not yes; otherwise may be empty
 */
public record ClusterReport(
        String cluster,
        String member,
        ClusterRole role,
        boolean voter,
        long term,
        List<String> voters,
        List<String> healthyVoters,
        ReplicationLag lag,
        String clusterVersion,
        StopSafety safeToStop,
        String reason) {
    /** Clusters with a quorum have few voters; the bound keeps a report small. */
    public static final int MAX_VOTERS = 64;

    private static final int MAX_VERSION_LENGTH = 64;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");

    /**
     * Checks each field and that the fields are consistent.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public ClusterReport {
        requireName("cluster", cluster);
        requireName("member", member);
        require(term >= 0, "term must be 0 or more.");
        voters = List.copyOf(voters);
        healthyVoters = List.copyOf(healthyVoters);
        requireDistinctNames("voters", voters);
        requireDistinctNames("healthy_voters", healthyVoters);
        require(
                new HashSet<>(voters).containsAll(healthyVoters),
                "healthy_voters has a member that voters does not list.");
        require(
                voter == voters.contains(member),
                "voter must be true exactly if voters lists the member itself.");
        requireConsistentRole(role, voter, voters);
        require(
                role != ClusterRole.UNKNOWN || safeToStop != StopSafety.YES,
                "safe_to_stop must not be yes if role is unknown: report unknown and a reason.");
        requirePrintable("cluster_version", clusterVersion, MAX_VERSION_LENGTH);
        requirePrintable("reason", reason, PrintableLine.MAX_LENGTH);
        require(
                safeToStop == StopSafety.YES || !reason.isBlank(),
                "reason is empty, but safe_to_stop is not yes: state why.");
    }

    private static void requireConsistentRole(
            ClusterRole role, boolean voter, List<String> voters) {
        switch (role) {
            case LEADER, FOLLOWER ->
                    require(
                            voter && voters.size() > 1,
                            "role leader and follower need a vote and at least two voters; the only"
                                    + " voter is alone, and a member without a vote is a learner.");
            case ALONE ->
                    require(
                            voter && voters.size() == 1,
                            "role alone means that the member is the only voter.");
            case LEARNER ->
                    require(
                            !voter && !voters.isEmpty(),
                            "role learner means that others vote, but not the member.");
            case UNKNOWN -> {} // a member that sees no leader may know no voters
        }
    }

    /** Whether the text is a valid name of a member or a cluster. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static void requireName(String field, String name) {
        require(
                isName(name),
                field
                        + " must be 1 to 128 letters, digits, '.', '_', ':' and '-', and start with"
                        + " a letter or digit.");
    }

    private static void requireDistinctNames(String field, List<String> names) {
        require(names.size() <= MAX_VOTERS, field + " lists more than " + MAX_VOTERS + " members.");
        names.forEach(name -> requireName(field, name));
        require(new HashSet<>(names).size() == names.size(), field + " lists a member twice.");
    }

    static void requirePrintable(String field, String text, int maxLength) {
        require(
                text.length() <= maxLength && PrintableLine.isPrintable(text),
                field
                        + " must be at most "
                        + maxLength
                        + " characters without control characters and format characters.");
    }

    private static void require(boolean valid, String sentence) {
        if (!valid) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
