package drover.model.cluster;

import static drover.model.cluster.ClusterFixture.cluster;
import static drover.model.cluster.ClusterFixture.name;
import static drover.model.cluster.ClusterFixture.withLag;
import static drover.model.cluster.ClusterFixture.withRole;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.cluster.ClusterVerdict.Steady;
import drover.model.cluster.StopDecision.Allowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every combination of member states in clusters of up to six voters. */
class QuorumPropertyTest {
    /** State of a member that does not lead in term 7; the leader counts all but the one down. */
    private enum State {
        HEALTHY,
        DOWN,
        UNREPORTED,
        WITHOUT_LEADER,
        LAGGING,
        IN_OLD_TERM,
        IN_NEW_TERM,
        ALSO_LEADS
    }

    /** Verdicts other than steady and at risk allow nothing. */
    private static final Set<State> WITHOUT_VERDICT =
            Set.of(State.UNREPORTED, State.IN_NEW_TERM, State.ALSO_LEADS);

    @ParameterizedTest(name = "{0} voters")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    @DisplayName("K2: an allowed stop leaves a majority of members that are certainly healthy")
    void neverBelowTheQuorum(int voters) {
        int states = voters < 5 ? 8 : 3; // all states of large clusters take too long
        int allowed = 0;
        for (int leader = 1; leader <= voters; leader++) {
            for (int code = 0; code < Math.pow(states, voters - 1); code++) {
                List<State> scene = decode(code, states, voters, leader);
                for (int lastOld = 0; lastOld <= voters; lastOld++) {
                    allowed += check(scene, leader, lastOld);
                }
            }
        }
        assertThat(allowed > 0).isEqualTo(voters > 2);
    }

    private static List<State> decode(int code, int states, int voters, int leader) {
        List<State> scene = new ArrayList<>();
        int rest = code;
        for (int number = 1; number <= voters; number++) {
            boolean leads = number == leader;
            scene.add(leads ? State.HEALTHY : State.values()[rest % states]);
            rest = leads ? rest : rest / states;
        }
        return scene;
    }

    /**
     * Number of members that may stop.
     *
     * @param lastOld the only member that is not upgraded; 0 if none is upgraded
     */
    private static int check(List<State> scene, int leader, int lastOld) {
        ClusterFixture fixture = cluster(scene.size(), leader);
        for (int number = 1; number <= scene.size(); number++) {
            apply(fixture, number, scene.get(number - 1));
            if (lastOld != 0 && number != lastOld) {
                fixture.upgraded(number);
            }
        }
        ClusterAssessment assessment = fixture.assess();
        Supplier<String> name = () -> scene + " leader " + leader + " last old " + lastOld;
        assertThat(assessment.verdict() instanceof Steady).as(name).isEqualTo(isSteady(scene));
        int allowed = 0;
        for (int number = 1; number <= scene.size(); number++) {
            if (assessment.stops().get(name(number)) instanceof Allowed) {
                allowed++;
                int left = countHealthyWithout(scene, number);
                assertThat(2 * left).as(name).isGreaterThan(scene.size());
                assertThat(number).as(name).isNotEqualTo(leader);
                assertThat(scene).as(name).doesNotContainAnyElementsOf(WITHOUT_VERDICT);
                assertThat(isSteady(scene) || number == lastOld).as(name).isTrue();
            }
        }
        return allowed;
    }

    private static void apply(ClusterFixture fixture, int number, State state) {
        switch (state) {
            case HEALTHY -> {}
            case DOWN -> fixture.down(number);
            case UNREPORTED -> fixture.unreported(number);
            case WITHOUT_LEADER ->
                    fixture.changed(number, report -> withRole(report, ClusterRole.UNKNOWN, 7));
            case LAGGING ->
                    fixture.changed(
                            number,
                            report -> withLag(report, new ReplicationLag(9, "entries", false)));
            case IN_OLD_TERM ->
                    fixture.changed(number, report -> withRole(report, ClusterRole.FOLLOWER, 6));
            case IN_NEW_TERM ->
                    fixture.changed(number, report -> withRole(report, ClusterRole.FOLLOWER, 8));
            case ALSO_LEADS ->
                    fixture.changed(number, report -> withRole(report, ClusterRole.LEADER, 6));
        }
    }

    private static int countHealthyWithout(List<State> scene, int number) {
        int healthy = 0;
        for (int other = 1; other <= scene.size(); other++) {
            healthy += other != number && scene.get(other - 1) == State.HEALTHY ? 1 : 0;
        }
        return healthy;
    }

    /** All are healthy, or one more voter than the majority is, and all reports agree. */
    private static boolean isSteady(List<State> scene) {
        int healthy = countHealthyWithout(scene, 0);
        boolean agree = scene.stream().noneMatch(WITHOUT_VERDICT::contains);
        return agree && (healthy == scene.size() || 2 * (healthy - 1) > scene.size());
    }
}
