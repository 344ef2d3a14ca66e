package drover.model.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reports whose fields contradict each other. */
class ClusterReportTest {
    private static ClusterReport report(
            ClusterRole role, boolean voter, List<String> voters, List<String> healthy) {
        return new ClusterReport(
                "c1",
                "m-1",
                role,
                voter,
                1,
                voters,
                healthy,
                new ReplicationLag(0, "entries", true),
                "",
                role == ClusterRole.UNKNOWN ? StopSafety.UNKNOWN : StopSafety.YES,
                role == ClusterRole.UNKNOWN ? "There is no leader." : "");
    }

    @Test
    @DisplayName("K4: a member that does not know its role cannot know that it may stop")
    void rejectsAnUnknownRoleThatMayStop() {
        ClusterReport unknown = report(ClusterRole.UNKNOWN, false, List.of(), List.of());
        assertThatThrownBy(() -> ClusterFixture.withSafety(unknown, StopSafety.YES, ""))
                .hasMessageContaining("must not be yes if role is unknown");
    }

    /** A voter list of "-" is empty. */
    @ParameterizedTest
    @CsvSource({
        "LEADER, true, m-1 m-2, true",
        "FOLLOWER, true, m-1 m-2, true",
        "LEARNER, false, m-2, true",
        "ALONE, true, m-1, true",
        "UNKNOWN, true, m-1 m-2, true",
        "UNKNOWN, false, -, true",
        "LEADER, true, m-1, false",
        "FOLLOWER, true, m-1, false",
        "LEADER, false, m-2 m-3, false",
        "FOLLOWER, true, m-2 m-3, false",
        "LEARNER, true, m-1 m-2, false",
        "LEARNER, false, -, false",
        "ALONE, true, m-1 m-2, false",
        "ALONE, false, -, false",
        "UNKNOWN, true, -, false",
        "FOLLOWER, true, m-1 m-2 m-2, false",
        "FOLLOWER, true, m-1 m/2, false"
    })
    void acceptsConsistentReportsOnly(
            ClusterRole role, boolean voter, String voters, boolean valid) {
        List<String> names = voters.equals("-") ? List.of() : List.of(voters.split(" ", -1));
        if (valid) {
            assertThat(report(role, voter, names, names).voters()).isEqualTo(names);
        } else {
            assertThatThrownBy(() -> report(role, voter, names, List.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void rejectsHealthyMembersWithoutAVoteAndTooManyVoters() {
        assertThatThrownBy(
                        () ->
                                report(
                                        ClusterRole.LEADER,
                                        true,
                                        List.of("m-1", "m-2"),
                                        List.of("m-9")))
                .hasMessage("healthy_voters has a member that voters does not list.");
        List<String> many = IntStream.rangeClosed(1, 65).mapToObj(number -> "m-" + number).toList();
        assertThatThrownBy(() -> report(ClusterRole.LEADER, true, many, many))
                .hasMessage("voters lists more than 64 members.");
    }

    @Test
    void rejectsARefusalWithoutAReason() {
        assertThatThrownBy(
                        () ->
                                new ClusterReport(
                                        "c1",
                                        "m-1",
                                        ClusterRole.ALONE,
                                        true,
                                        1,
                                        List.of("m-1"),
                                        List.of("m-1"),
                                        new ReplicationLag(0, "entries", true),
                                        "",
                                        StopSafety.NO,
                                        " "))
                .hasMessageContaining("state why");
    }

    @Test
    void rejectsALagWithoutAUnitOrBelowZero() {
        assertThatThrownBy(() -> new ReplicationLag(-1, "entries", true))
                .hasMessage("lag.value must be 0 or more.");
        assertThatThrownBy(() -> new ReplicationLag(1, "", true)).hasMessageContaining("lag.unit");
        assertThatThrownBy(() -> new ReplicationLag(1, "a\nb", true))
                .hasMessageContaining("control characters");
    }
}
