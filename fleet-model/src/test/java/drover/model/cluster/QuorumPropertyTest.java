package drover.model.cluster;

import static drover.model.cluster.ClusterFixture.cluster;
import static drover.model.cluster.ClusterFixture.name;
import static drover.model.cluster.ClusterFixture.withRole;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.cluster.ClusterVerdict.Steady;
import drover.model.cluster.StopDecision.Allowed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every combination of member states in clusters of up to six voters. */
class QuorumPropertyTest {
    /** State of a member that does not lead. */
    private enum State {
        HEALTHY,
        DOWN,
        UNREPORTED,
        WITHOUT_LEADER
    }

    @ParameterizedTest(name = "{0} voters")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    @DisplayName("K2: an allowed stop leaves a majority of members that are certainly healthy")
    void neverBelowTheQuorum(int voters) {
        int combinations = 1 << (2 * (voters - 1));
        int allowed = 0;
        for (int leader = 1; leader <= voters; leader++) {
            for (int combination = 0; combination < combinations; combination++) {
                allowed += check(voters, leader, combination);
            }
        }
        assertThat(allowed > 0).isEqualTo(voters > 2);
    }

    private static int check(int voters, int leader, int combination) {
        ClusterFixture fixture = cluster(voters, leader);
        List<String> healthy = new ArrayList<>(List.of(name(leader)));
        int rest = combination;
        for (int number = 1; number <= voters; number++) {
            if (number != leader) {
                apply(fixture, number, State.values()[rest & 3], healthy);
                rest >>= 2;
            }
        }
        ClusterAssessment assessment = fixture.assess();
        String scene = "leader " + leader + " combination " + combination;
        assertThat(assessment.verdict() instanceof Steady)
                .as(scene)
                .isEqualTo(isSteady(voters, healthy.size(), combination, leader));
        int allowed = 0;
        for (int number = 1; number <= voters; number++) {
            String member = name(number);
            if (assessment.stops().get(member) instanceof Allowed) {
                allowed++;
                long left = healthy.stream().filter(each -> !each.equals(member)).count();
                assertThat(2 * left).as(scene + " stops " + member).isGreaterThan(voters);
                assertThat(number).as(scene).isNotEqualTo(leader);
            }
        }
        return allowed;
    }

    private static void apply(
            ClusterFixture fixture, int number, State state, List<String> healthy) {
        switch (state) {
            case HEALTHY -> healthy.add(name(number));
            case DOWN -> fixture.down(number);
            case UNREPORTED -> fixture.unreported(number);
            case WITHOUT_LEADER ->
                    fixture.changed(number, report -> withRole(report, ClusterRole.UNKNOWN, 7));
        }
    }

    /** All healthy; or no report is missing and one more voter than the majority is healthy. */
    private static boolean isSteady(int voters, int healthy, int combination, int leader) {
        if (healthy == voters) {
            return true;
        }
        int rest = combination;
        for (int number = 1; number <= voters; number++) {
            if (number != leader) {
                if (State.values()[rest & 3] == State.UNREPORTED) {
                    return false;
                }
                rest >>= 2;
            }
        }
        return 2 * (healthy - 1) > voters;
    }
}
