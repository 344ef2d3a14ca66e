package drover.model.cluster;

import drover.model.cluster.MemberObservation.Reported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decisions about a cluster, from the latest probe of each member (K1 to K4).
 *
 * @param upgradeOrder members that are not upgraded yet; empty unless one leader is known and the
 *     verdict is steady or at risk
 * @param stops decision for each known member
 */
public record ClusterAssessment(
        ClusterVerdict verdict, List<String> upgradeOrder, Map<String, StopDecision> stops) {
    /** Maximum age of a report; an older one may be of another leader. */
    public static final Duration MAX_REPORT_AGE = Duration.ofSeconds(5);

    /** Copies the collections. */
    public ClusterAssessment {
        upgradeOrder = List.copyOf(upgradeOrder);
        stops = Collections.unmodifiableMap(new TreeMap<>(stops));
    }

    /**
     * Assesses a cluster.
     *
     * @param observations one for each node of the cluster
     * @param upgraded members that already run the new version
     */
    public static ClusterAssessment assess(
            List<MemberObservation> observations, Set<String> upgraded) {
        List<ClusterReport> reports = new ArrayList<>();
        List<String> unusable = new ArrayList<>();
        for (MemberObservation each : observations) {
            if (each instanceof Reported current && isCurrent(current)) {
                reports.add(current.report());
            } else {
                unusable.add(nameOf(each));
            }
        }
        if (reports.isEmpty()) {
            return refuse(
                    new ClusterVerdict.NoData(unusable, "No member has a current report."),
                    reports);
        }
        List<ClusterVerdict> mixed = VerdictRules.findMixedReports(reports);
        return mixed.isEmpty()
                ? assessReports(reports, unusable, upgraded)
                : refuse(mixed.getFirst(), reports);
    }

    /** Whether the report is at most {@link #MAX_REPORT_AGE} old. */
    public static boolean isCurrent(Reported report) {
        return report.age().compareTo(MAX_REPORT_AGE) <= 0;
    }

    private static String nameOf(MemberObservation observation) {
        return switch (observation) {
            case Reported stale -> stale.report().member();
            case MemberObservation.Unreported failed -> failed.node();
        };
    }

    private static ClusterAssessment assessReports(
            List<ClusterReport> reports, List<String> unusable, Set<String> upgraded) {
        List<ClusterReport> leaders =
                reports.stream()
                        .filter(
                                report ->
                                        report.role() == ClusterRole.LEADER
                                                || report.role() == ClusterRole.ALONE)
                        .toList();
        if (leaders.isEmpty()) {
            return refuse(VerdictRules.withoutLeader(reports, unusable), reports);
        }
        if (leaders.size() > 1) {
            return refuse(new ClusterVerdict.Split(VerdictRules.membersOf(leaders)), reports);
        }
        return assessLed(CrossCheckedVoters.of(leaders.getFirst(), reports), upgraded);
    }

    private static ClusterAssessment assessLed(CrossCheckedVoters view, Set<String> upgraded) {
        ClusterVerdict verdict = VerdictRules.withLeader(view);
        StopRules rules = new StopRules(view, verdict, upgraded);
        Map<String, StopDecision> stops = new TreeMap<>();
        view.members().forEach(member -> stops.put(member, rules.decide(member)));
        return new ClusterAssessment(verdict, orderOf(verdict, view, upgraded), stops);
    }

    /** Without a verdict on the leader, an order might put the real leader first (K3). */
    private static List<String> orderOf(
            ClusterVerdict verdict, CrossCheckedVoters view, Set<String> upgraded) {
        return switch (verdict) {
            case ClusterVerdict.Steady _, ClusterVerdict.AtRisk _ ->
                    UpgradeOrder.next(view, upgraded);
            case ClusterVerdict.Split _, ClusterVerdict.NoData _ -> List.of();
        };
    }

    private static ClusterAssessment refuse(ClusterVerdict verdict, List<ClusterReport> reports) {
        Set<String> members = new TreeSet<>();
        reports.forEach(
                report -> {
                    members.add(report.member());
                    members.addAll(report.voters());
                });
        Map<String, StopDecision> stops = new TreeMap<>();
        members.forEach(member -> stops.put(member, new StopDecision.NotNow(verdict.sentence())));
        return new ClusterAssessment(verdict, List.of(), stops);
    }
}
