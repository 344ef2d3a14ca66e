package drover.opsagent.cluster.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.StopSafety;
import drover.opsagent.cluster.VerbResult;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports and step-downs from responses of etcd. */
class EtcdReportsTest {
    private static final String CLUSTER = "13455796455940752355";

    private static String member(long id, String more) {
        return "{\"ID\": \"%d\", \"name\": \"st-%d\", \"clientURLs\": [\"http://10.0.0.%d:2379\"]%s}"
                .formatted(id, id, id, more);
    }

    private static EtcdStatus status(long id, long leader, long index, String more) {
        return EtcdStatus.of(
                EtcdGateway.JSON.readTree(
                        """
                        {"header": {"cluster_id": "%s", "member_id": "%d", "raft_term": "4"},
                         "leader": "%d", "raftTerm": "4", "raftIndex": "%d",
                         "raftAppliedIndex": "%d"%s}
                        """
                                .formatted(CLUSTER, id, leader, index, index, more)));
    }

    /** Members 1 to 3; statuses of the listed ones, of which the first is probed. */
    private static EtcdClusterState state(EtcdStatus... statuses) {
        return state(List.of(member(1, ""), member(2, ""), member(3, "")), statuses);
    }

    private static EtcdClusterState state(List<String> members, EtcdStatus... statuses) {
        Map<String, EtcdStatus> byId = new HashMap<>();
        for (EtcdStatus each : statuses) {
            byId.put(each.memberId(), each);
        }
        List<EtcdMember> read =
                new ArrayList<>(
                        EtcdMember.listOf(
                                EtcdGateway.JSON.readTree(
                                        "{\"members\": [" + String.join(",", members) + "]}"),
                                "http"));
        return new EtcdClusterState(statuses[0], read, byId, byId.keySet(), "3.4.0");
    }

    private static EtcdStatus status(long id) {
        return status(id, 1, 100, "");
    }

    @Test
    void reportsAHealthyFollower() {
        ClusterReport report = EtcdReports.toReport(state(status(2), status(1), status(3)));
        assertThat(report.cluster()).isEqualTo(new BigInteger(CLUSTER).toString(16));
        assertThat(report.member()).isEqualTo("st-2");
        assertThat(report.role()).isEqualTo(ClusterRole.FOLLOWER);
        assertThat(report.term()).isEqualTo(4);
        assertThat(report.voters()).containsExactly("st-1", "st-2", "st-3");
        assertThat(report.healthyVoters()).containsExactly("st-1", "st-2", "st-3");
        assertThat(report.lag().ok()).isTrue();
        assertThat(report.safeToStop()).isEqualTo(StopSafety.YES);
    }

    @Test
    void theMemberThatEveryoneFollowsLeads() {
        assertThat(EtcdReports.toReport(state(status(1), status(2), status(3))).role())
                .isEqualTo(ClusterRole.LEADER);
    }

    @Test
    void aMemberThatDoesNotRespondIsNotHealthy() {
        assertThat(EtcdReports.toReport(state(status(1), status(2))).healthyVoters())
                .containsExactly("st-1", "st-2");
    }

    @Test
    @DisplayName("K4: a member whose linearizable read fails is not healthy and may not lead")
    void aMemberWithoutContactIsNotHealthy() {
        EtcdClusterState all = state(status(1), status(2), status(3));
        EtcdClusterState cut =
                new EtcdClusterState(
                        all.own(), all.members(), all.statuses(), Set.of("1", "3"), "3.4.0");
        assertThat(EtcdReports.toReport(cut).healthyVoters()).containsExactly("st-1", "st-3");
        assertThat(outcome(StepDownChoice.chooseNamed(cut, "st-2")))
                .isEqualTo(VerbResult.Outcome.NOT_NOW);
    }

    @Test
    void aMemberThatFollowsAnotherLeaderOrHasAnAlarmIsNotHealthy() {
        EtcdStatus other = status(2, 3, 100, "");
        EtcdStatus alarm = status(3, 1, 100, ", \"errors\": [\"memberID:3 alarm:NOSPACE\"]");
        assertThat(EtcdReports.toReport(state(status(1), other, alarm)).healthyVoters())
                .containsExactly("st-1");
        ClusterReport own = EtcdReports.toReport(state(alarm, status(1)));
        assertThat(own.safeToStop()).isEqualTo(StopSafety.NO);
        assertThat(own.reason()).contains("NOSPACE");
    }

    /** etcd's status lists the alarms of the whole cluster at each member. */
    @ParameterizedTest
    @ValueSource(strings = {"memberID:3 alarm:NOSPACE ", "memberID:3  alarm:CORRUPT"})
    @DisplayName("An alarm counts for the member that it names, not for all that list it")
    void anAlarmCountsForTheMemberThatItNames(String alarm) {
        String errors = ", \"errors\": [\"" + alarm + "\"]";
        EtcdClusterState led =
                state(
                        status(1, 1, 100, errors),
                        status(2, 1, 100, errors),
                        status(3, 1, 100, errors));
        ClusterReport leader = EtcdReports.toReport(led);
        assertThat(leader.healthyVoters()).containsExactly("st-1", "st-2");
        assertThat(leader.safeToStop()).isEqualTo(StopSafety.YES);
        assertThat(StepDownChoice.chooseBest(led))
                .isInstanceOfSatisfying(
                        StepDownChoice.Transfer.class,
                        transfer -> assertThat(transfer.target().name()).isEqualTo("st-2"));
        assertThat(outcome(StepDownChoice.chooseNamed(led, "st-3")))
                .isEqualTo(VerbResult.Outcome.NOT_NOW);
        ClusterReport own =
                EtcdReports.toReport(state(status(3, 1, 100, errors), status(1), status(2)));
        assertThat(own.safeToStop()).isEqualTo(StopSafety.NO);
        assertThat(own.reason()).contains(alarm.strip());
        assertThat(
                        EtcdReports.toReport(state(status(1, 1, 100, errors), status(3)))
                                .healthyVoters())
                .as("the member has not applied its own alarm yet")
                .containsExactly("st-1");
    }

    @Test
    void aMemberWithoutALeaderIsUnknownAndCountsNoVoterAsHealthy() {
        EtcdStatus alone = status(2, 0, 100, ", \"errors\": [\"etcdserver: no leader\"]");
        ClusterReport report = EtcdReports.toReport(state(alone));
        assertThat(report.role()).isEqualTo(ClusterRole.UNKNOWN);
        assertThat(report.healthyVoters()).isEmpty();
        assertThat(report.safeToStop()).isEqualTo(StopSafety.UNKNOWN);
        assertThat(report.lag().ok()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"100, 0, true", "1100, 1000, true", "1101, 1001, false"})
    void aMemberIsCaughtUpWithin1000Entries(long leaderIndex, long lag, boolean ok) {
        ClusterReport report =
                EtcdReports.toReport(state(status(2), status(1, 1, leaderIndex, ""), status(3)));
        assertThat(report.lag().value()).isEqualTo(lag);
        assertThat(report.lag().ok()).isEqualTo(ok);
    }

    @Test
    void learnersHaveNoVote() {
        List<String> members = List.of(member(1, ""), member(2, ", \"isLearner\": true"));
        ClusterReport learner = EtcdReports.toReport(state(members, status(2), status(1)));
        assertThat(learner.role()).isEqualTo(ClusterRole.LEARNER);
        assertThat(learner.voters()).containsExactly("st-1");
        assertThat(EtcdReports.toReport(state(members, status(1), status(2))).role())
                .isEqualTo(ClusterRole.ALONE);
    }

    @Test
    void membersWithoutAUniqueNameAreNamedById() {
        List<String> members =
                List.of(
                        member(1, ""),
                        member(255, "").replace("st-255", ""),
                        member(3, "").replace("st-3", "st-9"),
                        member(9, ""));
        assertThat(EtcdReports.toReport(state(members, status(1))).voters())
                .containsExactly("st-1", "ff", "3", "9");
    }

    @Test
    void aMemberThatTheClusterDoesNotListHasNoReport() {
        assertThatThrownBy(() -> EtcdReports.toReport(state(status(7), status(1))))
                .hasMessage("etcd's member list lacks the probed member 7.");
    }

    @Test
    void leadershipGoesToTheVoterWithTheSmallestLag() {
        EtcdClusterState led = state(status(1), status(2, 1, 60, ""), status(3, 1, 90, ""));
        assertThat(StepDownChoice.chooseBest(led))
                .isInstanceOfSatisfying(
                        StepDownChoice.Transfer.class,
                        transfer -> assertThat(transfer.target().name()).isEqualTo("st-3"));
        assertThat(StepDownChoice.chooseNamed(led, "st-2"))
                .isInstanceOfSatisfying(
                        StepDownChoice.Transfer.class,
                        transfer -> assertThat(transfer.target().name()).isEqualTo("st-2"));
    }

    @Test
    void aStepDownStatesWhyItDoesNotTransfer() {
        EtcdClusterState lagging = state(status(1, 1, 5000, ""), status(2));
        assertThat(outcome(StepDownChoice.chooseBest(lagging)))
                .isEqualTo(VerbResult.Outcome.NOT_NOW);
        assertThat(outcome(StepDownChoice.chooseNamed(lagging, "st-2")))
                .isEqualTo(VerbResult.Outcome.NOT_NOW);
        assertThat(outcome(StepDownChoice.chooseNamed(lagging, "st-3")))
                .isEqualTo(VerbResult.Outcome.NOT_NOW);
        assertThat(outcome(StepDownChoice.chooseNamed(lagging, "st-1")))
                .isEqualTo(VerbResult.Outcome.ALREADY);
        assertThat(outcome(StepDownChoice.chooseNamed(lagging, "st-8")))
                .isEqualTo(VerbResult.Outcome.NEVER);
        assertThat(outcome(StepDownChoice.chooseBest(state(status(2), status(1)))))
                .isEqualTo(VerbResult.Outcome.ALREADY);
        assertThat(outcome(StepDownChoice.chooseBest(state(status(2, 0, 1, "")))))
                .isEqualTo(VerbResult.Outcome.NOT_NOW);
        assertThat(outcome(StepDownChoice.chooseBest(state(List.of(member(1, "")), status(1)))))
                .isEqualTo(VerbResult.Outcome.NEVER);
    }

    private static VerbResult.Outcome outcome(StepDownChoice choice) {
        assertThat(choice).isInstanceOf(StepDownChoice.Finished.class);
        return ((StepDownChoice.Finished) choice).result().outcome();
    }
}
