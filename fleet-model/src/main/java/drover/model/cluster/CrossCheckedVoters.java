package drover.model.cluster;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Voters as the leader reports them, cross-checked with each voter's own report. A partitioned
 * member reports only its own view, so its list of healthy voters never adds a vote.
 *
 * @param unhealthy reason for each voter that does not count as healthy
 * @param unreported voters that the leader counts, but that have no report
 * @param reports by member
 */
record CrossCheckedVoters(
        ClusterReport leader,
        Map<String, String> unhealthy,
        Set<String> unreported,
        Map<String, ClusterReport> reports) {
    static CrossCheckedVoters of(ClusterReport leader, Collection<ClusterReport> reports) {
        Map<String, ClusterReport> byMember = new LinkedHashMap<>();
        reports.forEach(report -> byMember.put(report.member(), report));
        Map<String, String> unhealthy = new LinkedHashMap<>();
        Set<String> unreported = new TreeSet<>();
        for (String voter : leader.voters()) {
            ClusterReport own = byMember.get(voter);
            if (!leader.healthyVoters().contains(voter)) {
                unhealthy.put(voter, "the leader does not count it as healthy");
            } else if (own == null) {
                unreported.add(voter);
            } else {
                findProblem(leader, own).ifPresent(problem -> unhealthy.put(voter, problem));
            }
        }
        return new CrossCheckedVoters(leader, unhealthy, unreported, byMember);
    }

    private static Optional<String> findProblem(ClusterReport leader, ClusterReport own) {
        if (own.role() == ClusterRole.UNKNOWN) {
            return Optional.of("it neither leads nor follows");
        }
        if (own.term() != leader.term()) {
            return Optional.of(
                    "it reports term " + own.term() + ", the leader term " + leader.term());
        }
        if (!own.healthyVoters().containsAll(List.of(own.member(), leader.member()))) {
            return Optional.of("it does not count itself and the leader as healthy");
        }
        return own.lag().ok()
                ? Optional.empty()
                : Optional.of("it is not caught up, lag " + own.lag());
    }

    int quorum() {
        return leader.voters().size() / 2 + 1;
    }

    int spare() {
        return countHealthyWithout("") - quorum();
    }

    /** Number of healthy voters that remain if this member stops. */
    int countHealthyWithout(String member) {
        return (int)
                leader.voters().stream()
                        .filter(voter -> !voter.equals(member))
                        .filter(voter -> !unhealthy.containsKey(voter))
                        .filter(voter -> !unreported.contains(voter))
                        .count();
    }

    boolean isVoter(String member) {
        return leader.voters().contains(member);
    }

    /** Whether the member reports that it has no vote, as the leader does. */
    boolean isLearner(String member) {
        ClusterReport own = reports.get(member);
        return !isVoter(member) && own != null && own.role() == ClusterRole.LEARNER;
    }

    /** Whether the cluster already works without this member's vote. */
    boolean costsNoVote(String member) {
        return !leader.healthyVoters().contains(member);
    }

    /** Voters, and members without a vote that have a report. */
    Set<String> members() {
        Set<String> members = new TreeSet<>(leader.voters());
        members.addAll(reports.keySet());
        return members;
    }
}
