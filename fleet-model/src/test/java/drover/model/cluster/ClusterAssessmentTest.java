package drover.model.cluster;

import static drover.model.cluster.ClusterFixture.cluster;
import static drover.model.cluster.ClusterFixture.name;
import static drover.model.cluster.ClusterFixture.ofCluster;
import static drover.model.cluster.ClusterFixture.withHealthy;
import static drover.model.cluster.ClusterFixture.withLag;
import static drover.model.cluster.ClusterFixture.withRole;
import static drover.model.cluster.ClusterFixture.withSafety;
import static drover.model.cluster.ClusterFixture.withVoters;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.cluster.ClusterVerdict.AtRisk;
import drover.model.cluster.ClusterVerdict.NoData;
import drover.model.cluster.ClusterVerdict.Split;
import drover.model.cluster.ClusterVerdict.Steady;
import drover.model.cluster.StopDecision.Allowed;
import drover.model.cluster.StopDecision.NeedsConfirmation;
import drover.model.cluster.StopDecision.NotNow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verdict, stop decisions and order, case by case. */
class ClusterAssessmentTest {
    private static final ReplicationLag LAGGING = new ReplicationLag(90_000, "entries", false);

    private static Set<String> allowed(ClusterAssessment assessment) {
        return assessment.stops().entrySet().stream()
                .filter(each -> each.getValue() instanceof Allowed)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static StopDecision stop(ClusterAssessment assessment, String member) {
        return Objects.requireNonNull(assessment.stops().get(member), member);
    }

    private static List<String> missing(ClusterAssessment assessment) {
        assertThat(assessment.verdict()).isInstanceOf(AtRisk.class);
        return ((AtRisk) assessment.verdict()).missing();
    }

    private static List<String> withoutData(ClusterAssessment assessment) {
        assertThat(assessment.verdict()).isInstanceOf(NoData.class);
        return ((NoData) assessment.verdict()).members();
    }

    /** Quorum of N voters: 1, 2, 2, 3, 3, 4, 4; an even number adds no spare voter. */
    @ParameterizedTest(name = "{0} voters")
    @CsvSource({"2, 0", "3, 1", "4, 1", "5, 2", "6, 2", "7, 3"})
    void countsTheSpareVotersOfAHealthyCluster(int voters, int spare) {
        ClusterAssessment assessment = cluster(voters, 1).assess();
        assertThat(assessment.verdict()).isEqualTo(new Steady("m-1", 7, spare, List.of()));
        assertThat(allowed(assessment)).hasSize(spare == 0 ? 0 : voters - 1);
    }

    @Test
    @DisplayName("K3: the leader is stopped only after a step-down")
    void doesNotAllowToStopTheLeader() {
        StopDecision leader = stop(cluster(3, 2).assess(), "m-2");
        assertThat(leader).isInstanceOf(NotNow.class);
        assertThat(leader.sentence()).contains("m-2 leads", "transfer leadership");
    }

    @Test
    void requiresAConfirmationIfTheOnlyVoterStops() {
        ClusterAssessment assessment = cluster(1, 1).assess();
        assertThat(assessment.verdict()).isEqualTo(new Steady("m-1", 7, 0, List.of()));
        assertThat(stop(assessment, "m-1")).isInstanceOf(NeedsConfirmation.class);
        assertThat(assessment.upgradeOrder()).containsExactly("m-1");
    }

    @Test
    @DisplayName("K2: neither of two voters may stop")
    void explainsWhyTwoVotersCannotBeUpgraded() {
        ClusterAssessment assessment = cluster(2, 1).assess();
        assertThat(stop(assessment, "m-2").sentence())
                .isEqualTo("Only 1 of 2 voters are healthy without m-2, and the quorum needs 2.");
    }

    @Test
    @DisplayName("K2: with one of three members down, no member may stop")
    void namesAStoppedMember() {
        ClusterAssessment assessment = cluster(3, 1).down(2).assess();
        assertThat(missing(assessment)).containsExactly("m-2");
        assertThat(assessment.verdict().sentence())
                .contains("m-2", "2 of 3 voters are healthy", "the quorum needs 2");
        assertThat(allowed(assessment)).isEmpty();
        assertThat(stop(assessment, "m-3").sentence()).contains("m-2");
    }

    @Test
    void allowsAStoppedMemberIfItIsTheLastOldOne() {
        ClusterAssessment assessment = cluster(3, 1).down(2).upgraded(1, 3).assess();
        assertThat(missing(assessment)).containsExactly("m-2");
        assertThat(allowed(assessment)).containsExactly("m-2");
        assertThat(assessment.upgradeOrder()).containsExactly("m-2");
    }

    @Test
    void doesNotAllowAnUpgradedMemberOrASecondOldOneWhileOneIsDown() {
        assertThat(allowed(cluster(3, 1).down(2).upgraded(1).assess())).isEmpty();
        assertThat(allowed(cluster(3, 1).down(2).upgraded(1, 2).assess())).isEmpty();
        assertThat(allowed(cluster(3, 1).down(2).upgraded(1, 2, 3).assess())).isEmpty();
    }

    @Test
    @DisplayName("K2: five voters tolerate one that is down and one that stops")
    void upgradesAMemberThatIsDownFirstIfThatCostsNoVote() {
        ClusterAssessment assessment = cluster(5, 5).down(2).assess();
        assertThat(assessment.verdict()).isEqualTo(new Steady("m-5", 7, 1, List.of("m-2")));
        assertThat(assessment.verdict().sentence())
                .isEqualTo(
                        "Member m-5 leads in term 7; the quorum can lose 1 voter; not healthy:"
                                + " m-2.");
        assertThat(allowed(assessment)).containsExactly("m-1", "m-2", "m-3", "m-4");
        assertThat(assessment.upgradeOrder()).containsExactly("m-2", "m-4", "m-3", "m-1", "m-5");
    }

    @Test
    void twoOfFiveDownIsARisk() {
        ClusterAssessment assessment = cluster(5, 1).down(2).down(4).assess();
        assertThat(missing(assessment)).containsExactly("m-2", "m-4");
        assertThat(allowed(assessment)).isEmpty();
    }

    @Test
    @DisplayName("K4: two leaders are a split, also in different terms")
    void reportsASplit() {
        ClusterAssessment assessment =
                cluster(3, 1)
                        .changed(3, report -> withRole(report, ClusterRole.LEADER, 8))
                        .assess();
        assertThat(assessment.verdict()).isEqualTo(new Split(List.of("m-1", "m-3")));
        assertThat(allowed(assessment)).isEmpty();
        assertThat(assessment.upgradeOrder()).isEmpty();
    }

    @Test
    @DisplayName("K4: a missing report is no data, although the leader counts the member")
    void waitsForAMissingReport() {
        ClusterAssessment assessment = cluster(3, 1).unreported(3).assess();
        assertThat(withoutData(assessment)).containsExactly("m-3");
        assertThat(allowed(assessment)).isEmpty();
    }

    @Test
    @DisplayName("K4: a report older than 5 s is no data")
    void waitsForAStaleReport() {
        assertThat(withoutData(cluster(3, 1).aged(2, Duration.ofMillis(5_001)).assess()))
                .containsExactly("m-2");
        assertThat(cluster(3, 1).aged(2, Duration.ofSeconds(5)).assess().verdict())
                .isInstanceOf(Steady.class);
    }

    @Test
    void noReportAtAllIsNoData() {
        ClusterAssessment assessment =
                cluster(3, 1).unreported(1).unreported(2).unreported(3).assess();
        assertThat(withoutData(assessment)).containsExactly("m-1", "m-2", "m-3");
        assertThat(assessment.stops()).isEmpty();
        assertThat(withoutData(ClusterAssessment.assess(List.of(), Set.of()))).isEmpty();
    }

    @Test
    void aMissingReportOfTheLeaderIsNoData() {
        assertThat(withoutData(cluster(3, 1).unreported(1).assess())).containsExactly("m-1");
    }

    @Test
    void anElectionIsARisk() {
        ClusterAssessment assessment =
                cluster(3, 1)
                        .changed(1, report -> withRole(report, ClusterRole.FOLLOWER, 8))
                        .assess();
        assertThat(missing(assessment)).isEmpty();
        assertThat(assessment.verdict().sentence()).contains("election");
        assertThat(allowed(assessment)).isEmpty();
    }

    @Test
    void aLostQuorumNamesTheVotersThatAreDown() {
        ClusterAssessment assessment =
                cluster(3, 3)
                        .down(2)
                        .down(3)
                        .changed(1, report -> withRole(report, ClusterRole.UNKNOWN, 7))
                        .assess();
        assertThat(missing(assessment)).containsExactly("m-2", "m-3");
    }

    @Test
    @DisplayName("K4: the view of a partitioned member adds no vote")
    void usesTheViewOfTheLeader() {
        ClusterAssessment partitioned =
                cluster(3, 1)
                        .changed(1, report -> withHealthy(report, List.of("m-1", "m-2")))
                        .changed(3, report -> withRole(report, ClusterRole.UNKNOWN, 7))
                        .assess();
        assertThat(missing(partitioned)).containsExactly("m-3");
        ClusterAssessment optimistic =
                cluster(3, 1)
                        .changed(1, report -> withHealthy(report, List.of("m-1", "m-2")))
                        .assess();
        assertThat(missing(optimistic)).containsExactly("m-3");
    }

    @Test
    @DisplayName("K4: a voter that the leader counts, but that contradicts it, is not healthy")
    void crossChecksTheViewOfTheLeader() {
        assertThat(
                        missing(
                                cluster(3, 1)
                                        .changed(
                                                2,
                                                report -> withRole(report, ClusterRole.UNKNOWN, 7))
                                        .assess()))
                .containsExactly("m-2");
        assertThat(
                        missing(
                                cluster(3, 1)
                                        .changed(
                                                2,
                                                report -> withRole(report, ClusterRole.FOLLOWER, 6))
                                        .assess()))
                .containsExactly("m-2");
        assertThat(
                        missing(
                                cluster(3, 1)
                                        .changed(
                                                2,
                                                report ->
                                                        withHealthy(report, List.of("m-2", "m-3")))
                                        .assess()))
                .as("it does not reach the leader")
                .containsExactly("m-2");
        assertThat(missing(cluster(3, 1).changed(2, report -> withLag(report, LAGGING)).assess()))
                .containsExactly("m-2");
    }

    @Test
    void aNewerTermThanTheLeadersIsNoData() {
        ClusterAssessment assessment =
                cluster(3, 1)
                        .changed(2, report -> withRole(report, ClusterRole.FOLLOWER, 8))
                        .assess();
        assertThat(withoutData(assessment)).containsExactly("m-1");
        assertThat(assessment.verdict().sentence()).contains("m-2 (term 8)");
        assertThat(assessment.upgradeOrder())
                .as("the leader may be another member, also one without a report")
                .isEmpty();
        assertThat(allowed(assessment)).isEmpty();
    }

    @Test
    void otherVotersThanTheLeadersAreNoData() {
        ClusterAssessment assessment =
                cluster(3, 1)
                        .changed(
                                3,
                                report -> withVoters(report, List.of("m-1", "m-2", "m-3", "m-4")))
                        .assess();
        assertThat(withoutData(assessment)).containsExactly("m-3");
        assertThat(assessment.upgradeOrder()).isEmpty();
        assertThat(allowed(assessment)).isEmpty();
    }

    @Test
    void reportsOfTwoClustersAreNoData() {
        ClusterFixture three = cluster(3, 1);
        ClusterAssessment assessment =
                three.also("n-9", ofCluster(three.reportOf(2), "c2", "other-1")).assess();
        assertThat(withoutData(assessment)).contains("m-1", "other-1");
        assertThat(assessment.verdict().sentence()).contains("c1, c2");
    }

    @Test
    void twoReportsOfOneMemberAreNoData() {
        ClusterFixture three = cluster(3, 1);
        assertThat(withoutData(three.also("n-9", three.reportOf(2)).assess()))
                .containsExactly("m-2");
    }

    @Test
    @DisplayName("K8: a member without a vote never counts and is upgraded before followers")
    void learnersDoNotCount() {
        ClusterAssessment assessment = cluster(3, 3).learner(9).assess();
        assertThat(assessment.verdict()).isEqualTo(new Steady("m-3", 7, 1, List.of()));
        assertThat(allowed(assessment)).containsExactly("m-1", "m-2", "m-9");
        assertThat(assessment.upgradeOrder()).containsExactly("m-9", "m-2", "m-1", "m-3");
        assertThat(missing(cluster(3, 3).learner(9).down(1).assess()))
                .as("a learner replaces no voter")
                .containsExactly("m-1");
    }

    @Test
    @DisplayName(
            "K4: a member that neither votes nor learns may not stop, and has no place in the order")
    void aMemberOfUnknownRoleMayNotStop() {
        ClusterFixture three = cluster(3, 3);
        ClusterReport unknown =
                withRole(ofCluster(three.reportOf(1), "c1", "host5"), ClusterRole.UNKNOWN, 7);
        ClusterAssessment assessment = three.also("n-5", withVoters(unknown, List.of())).assess();
        assertThat(stop(assessment, "host5")).isInstanceOf(NotNow.class);
        assertThat(assessment.upgradeOrder()).containsExactly("m-2", "m-1", "m-3");
    }

    @Test
    @DisplayName(
            "K4: without a report that the leader's view needs, the last old member waits, too")
    void aMissingReportIsNoDataAlsoIfAnotherVoterIsDown() {
        ClusterAssessment assessment =
                cluster(5, 1).down(2).unreported(3).upgraded(1, 3, 4, 5).assess();
        assertThat(withoutData(assessment)).containsExactly("m-3");
        assertThat(assessment.verdict().sentence()).contains("m-3", "not healthy: m-2");
        assertThat(allowed(assessment)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"NO", "UNKNOWN"})
    void aDriverMayRefuse(StopSafety safety) {
        ClusterAssessment assessment =
                cluster(3, 1)
                        .changed(2, report -> withSafety(report, safety, "2 partitions lag."))
                        .assess();
        assertThat(assessment.verdict()).isInstanceOf(Steady.class);
        assertThat(allowed(assessment)).containsExactly("m-3");
        assertThat(stop(assessment, "m-2").sentence()).contains("2 partitions lag.");
    }

    @Test
    void ordersFollowersByTheNumberAtTheEndOfTheirName() {
        assertThat(cluster(11, 11).assess().upgradeOrder())
                .containsExactly(
                        "m-10", "m-9", "m-8", "m-7", "m-6", "m-5", "m-4", "m-3", "m-2", "m-1",
                        "m-11");
        assertThat(cluster(3, 2).upgraded(3).assess().upgradeOrder()).containsExactly("m-1", "m-2");
    }

    @Test
    void theLeaderIsNeverStoppedAlsoAsTheLastOldMemberAtRisk() {
        ClusterAssessment assessment =
                cluster(3, 1)
                        .upgraded(2, 3)
                        .changed(1, report -> withLag(report, LAGGING))
                        .assess();
        assertThat(missing(assessment)).containsExactly(name(1));
        assertThat(allowed(assessment)).isEmpty();
    }
}
