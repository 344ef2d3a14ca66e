package drover.model.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Verdict on a cluster from its members' reports, none of which is stale. */
final class VerdictRules {
    private VerdictRules() {}

    /** Reports that name several clusters or one member twice; empty if there are none. */
    static List<ClusterVerdict> findMixedReports(List<ClusterReport> reports) {
        Set<String> clusters =
                reports.stream()
                        .map(ClusterReport::cluster)
                        .collect(Collectors.toCollection(TreeSet::new));
        if (clusters.size() > 1) {
            return List.of(
                    new ClusterVerdict.NoData(
                            membersOf(reports),
                            "The reports are of different clusters: "
                                    + String.join(", ", clusters)
                                    + "; probe the members of one cluster."));
        }
        Map<String, Long> counts =
                reports.stream()
                        .collect(
                                Collectors.groupingBy(
                                        ClusterReport::member,
                                        TreeMap::new,
                                        Collectors.counting()));
        List<String> repeated =
                counts.entrySet().stream()
                        .filter(count -> count.getValue() > 1)
                        .map(Map.Entry::getKey)
                        .toList();
        return repeated.isEmpty()
                ? List.of()
                : List.of(
                        new ClusterVerdict.NoData(
                                repeated,
                                "Several probes report the same member: "
                                        + String.join(", ", repeated)
                                        + "; probe each member once."));
    }

    /** Verdict if no report comes from a leader. */
    static ClusterVerdict withoutLeader(List<ClusterReport> reports, List<String> unusable) {
        Set<String> voters = new TreeSet<>();
        Set<String> healthy = new HashSet<>();
        for (ClusterReport report : reports) {
            voters.addAll(report.voters());
            healthy.addAll(report.healthyVoters());
        }
        Set<String> missing = new TreeSet<>(voters);
        missing.removeAll(healthy);
        if (!missing.isEmpty()) {
            return new ClusterVerdict.AtRisk(
                    List.copyOf(missing),
                    "No member reports that it leads, and no report counts these voters as"
                            + " healthy: "
                            + String.join(", ", missing)
                            + ".");
        }
        Set<String> unreported = new TreeSet<>(voters);
        unreported.removeAll(membersOf(reports));
        if (!unreported.isEmpty() || voters.isEmpty()) {
            List<String> names = unreported.isEmpty() ? unusable : List.copyOf(unreported);
            return new ClusterVerdict.NoData(
                    names,
                    "No member reports that it leads, and there is no current report of "
                            + (names.isEmpty() ? "any voter" : String.join(", ", names))
                            + ".");
        }
        return new ClusterVerdict.AtRisk(
                List.of(), "No member reports that it leads; wait for the end of the election.");
    }

    /** Verdict if exactly one member reports that it leads. */
    static ClusterVerdict withLeader(CrossCheckedVoters view) {
        ClusterReport leader = view.leader();
        List<String> newer =
                view.reports().values().stream()
                        .filter(report -> report.term() > leader.term())
                        .map(report -> report.member() + " (term " + report.term() + ")")
                        .toList();
        if (!newer.isEmpty()) {
            return new ClusterVerdict.NoData(
                    List.of(leader.member()),
                    "The report of leader "
                            + leader.member()
                            + " is of term "
                            + leader.term()
                            + ", but a newer term is reported by "
                            + String.join(", ", newer)
                            + ".");
        }
        List<String> contradicting = findContradicting(view);
        if (!contradicting.isEmpty()) {
            return new ClusterVerdict.NoData(
                    contradicting,
                    "These members report other voters than leader "
                            + leader.member()
                            + ": "
                            + String.join(", ", contradicting)
                            + ".");
        }
        return fromVotes(view);
    }

    /** A voter that the leader does not count may have an old list; its view has no effect. */
    private static List<String> findContradicting(CrossCheckedVoters view) {
        Set<String> voters = Set.copyOf(view.leader().voters());
        return view.reports().values().stream()
                .filter(report -> !report.voters().isEmpty())
                .filter(report -> !voters.equals(Set.copyOf(report.voters())))
                .filter(
                        report ->
                                !view.isVoter(report.member())
                                        || !view.costsNoVote(report.member()))
                .map(ClusterReport::member)
                .toList();
    }

    private static ClusterVerdict fromVotes(CrossCheckedVoters view) {
        ClusterReport leader = view.leader();
        if (!view.unreported().isEmpty()) {
            return new ClusterVerdict.NoData(
                    List.copyOf(view.unreported()),
                    "There is no current report of "
                            + String.join(", ", view.unreported())
                            + (view.unhealthy().isEmpty()
                                    ? "."
                                    : "; not healthy: " + describeUnhealthy(view) + "."));
        }
        if (!view.unhealthy().isEmpty() && view.spare() < 1) {
            return new ClusterVerdict.AtRisk(
                    List.copyOf(view.unhealthy().keySet()), describeRisk(view));
        }
        return new ClusterVerdict.Steady(
                leader.member(),
                leader.term(),
                view.spare(),
                List.copyOf(view.unhealthy().keySet()));
    }

    private static String describeRisk(CrossCheckedVoters view) {
        return "Quorum is at risk: not healthy "
                + describeUnhealthy(view)
                + "; "
                + view.countHealthyWithout("")
                + " of "
                + view.leader().voters().size()
                + " voters are healthy, and the quorum needs "
                + view.quorum()
                + ".";
    }

    private static String describeUnhealthy(CrossCheckedVoters view) {
        return view.unhealthy().entrySet().stream()
                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                .collect(Collectors.joining(", "));
    }

    static List<String> membersOf(List<ClusterReport> reports) {
        return reports.stream().map(ClusterReport::member).distinct().sorted().toList();
    }
}
