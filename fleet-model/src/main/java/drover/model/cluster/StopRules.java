package drover.model.cluster;

import drover.model.cluster.StopDecision.Allowed;
import drover.model.cluster.StopDecision.NeedsConfirmation;
import drover.model.cluster.StopDecision.NotNow;
import java.util.HashSet;
import java.util.Set;

/** Decision on whether one member may be stopped now (K2, K3). */
final class StopRules {
    private final CrossCheckedVoters view;
    private final ClusterVerdict verdict;
    private final Set<String> upgraded;

    StopRules(CrossCheckedVoters view, ClusterVerdict verdict, Set<String> upgraded) {
        this.view = view;
        this.verdict = verdict;
        this.upgraded = upgraded;
    }

    StopDecision decide(String member) {
        return switch (verdict) {
            case ClusterVerdict.Steady _ -> decideWhileSteady(member);
            case ClusterVerdict.AtRisk _ -> decideAtRisk(member);
            case ClusterVerdict.Split _, ClusterVerdict.NoData _ -> new NotNow(verdict.sentence());
        };
    }

    private StopDecision decideWhileSteady(String member) {
        ClusterReport own = view.reports().get(member);
        boolean unhealthy = view.isVoter(member) && view.costsNoVote(member);
        if (own != null
                && (own.safeToStop() == StopSafety.NO
                        || (own.safeToStop() == StopSafety.UNKNOWN && !unhealthy))) {
            return new NotNow(refusalOf(own));
        }
        if (member.equals(view.leader().member())) {
            return decideLeader(member);
        }
        if (view.isVoter(member)) {
            return decideByVotes(member);
        }
        return view.isLearner(member)
                ? new Allowed(member + " has no vote.")
                : new NotNow(
                        "The leader does not count "
                                + member
                                + " as a voter, and it is no learner.");
    }

    private StopDecision decideLeader(String member) {
        return view.leader().role() == ClusterRole.ALONE
                ? new NeedsConfirmation(
                        member + " is the only voter: its stop interrupts the cluster.")
                : new NotNow(member + " leads: transfer leadership to another member first.");
    }

    private StopDecision decideByVotes(String member) {
        int left = view.countHealthyWithout(member);
        String count =
                left
                        + " of "
                        + view.leader().voters().size()
                        + " voters are healthy without "
                        + member
                        + ", and the quorum needs "
                        + view.quorum()
                        + ".";
        return left >= view.quorum() ? new Allowed(count) : new NotNow("Only " + count);
    }

    /** Only the last member on the old version: nothing else can complete the upgrade. */
    private StopDecision decideAtRisk(String member) {
        ClusterReport own = view.reports().get(member);
        if (own != null && own.safeToStop() == StopSafety.NO) {
            return new NotNow(refusalOf(own));
        }
        boolean leads = member.equals(view.leader().member());
        return view.unhealthy().containsKey(member) && !leads && isLastOld(member)
                ? decideByVotes(member)
                : new NotNow(verdict.sentence());
    }

    private boolean isLastOld(String member) {
        Set<String> others = new HashSet<>(view.members());
        others.remove(member);
        return !upgraded.contains(member) && upgraded.containsAll(others);
    }

    private static String refusalOf(ClusterReport own) {
        return "The driver reports for " + own.member() + ": " + own.reason();
    }
}
