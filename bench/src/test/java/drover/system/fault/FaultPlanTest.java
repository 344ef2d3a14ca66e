package drover.system.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.FaultPlan.Turn;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    private static final long SEED = 20261122;

    private static List<FaultEpisode> bouts() {
        return IntStream.range(0, 10_000).mapToObj(n -> FaultPlan.bout(SEED, n)).toList();
    }

    @Test
    void seedAndNumberDetermineAFaultEpisode() {
        assertThat(bouts()).isEqualTo(bouts());
        assertThat(FaultPlan.bout(SEED + 1, 7)).isNotEqualTo(FaultPlan.bout(SEED, 7));
    }

    @Test
    void servicesAreDownForUpToTwoMinutesSinglyAndInPairs() {
        assertThat(bouts())
                .allSatisfy(bout -> assertThat(bout.turns()).hasSizeBetween(1, 2))
                .anySatisfy(bout -> assertThat(bout.turns()).hasSize(1))
                .anySatisfy(bout -> assertThat(bout.turns()).hasSize(2))
                .flatExtracting(FaultEpisode::turns)
                .extracting(Turn::unavailableFor)
                .allSatisfy(
                        unavailableFor ->
                                assertThat(unavailableFor)
                                        .isBetween(Duration.ofSeconds(1), FaultPlan.LONGEST))
                .anySatisfy(
                        unavailableFor ->
                                assertThat(unavailableFor).isGreaterThan(Duration.ofSeconds(110)));
    }

    @Test
    void eachKindOfFaultComesToEachOfItsVictims() {
        Set<Fault> drawn =
                bouts().stream()
                        .flatMap(bout -> bout.turns().stream())
                        .map(Turn::fault)
                        .collect(Collectors.toSet());
        // 12 processes in two ways; 24 edges in five ways; 4 of them lead to PostgreSQL
        assertThat(NetworkPath.all()).hasSize(24);
        assertThat(drawn).hasSize(12 * 2 + 24 * 5 + 4);
    }

    @Test
    void twoAtATimeOverlapAndHaveNotTheSameVictim() {
        assertThat(bouts())
                .filteredOn(bout -> bout.turns().size() == 2)
                .allSatisfy(
                        bout -> {
                            Turn first = bout.turns().getFirst();
                            Turn second = bout.turns().getLast();
                            assertThat(FaultPlan.victim(first.fault()))
                                    .isNotEqualTo(FaultPlan.victim(second.fault()));
                            assertThat(second.after()).isLessThanOrEqualTo(first.until());
                        });
    }

    @Test
    void theAgentsAreNeverKeptFromBothGateways() {
        assertThat(bouts())
                .noneMatch(
                        bout ->
                                bout.turns().size() == 2
                                        && bout.turns().stream()
                                                .allMatch(
                                                        turn ->
                                                                FaultPlan.victim(turn.fault())
                                                                        .startsWith("agents")));
    }

    @Test
    void whatIsPlayedInEachBuildIsOverInAMinute() {
        Duration unavailableFor =
                FaultPlan.brief().stream()
                        .map(
                                bout ->
                                        bout.turns().stream()
                                                .map(Turn::until)
                                                .max(Duration::compareTo)
                                                .orElseThrow())
                        .reduce(Duration.ZERO, Duration::plus);
        assertThat(unavailableFor).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void onePassStopsEachServiceOnceForTwoMinutes() {
        List<Turn> turns = FaultPlan.singly().stream().flatMap(it -> it.turns().stream()).toList();
        assertThat(FaultPlan.singly()).allSatisfy(bout -> assertThat(bout.turns()).hasSize(1));
        assertThat(turns).extracting(Turn::unavailableFor).containsOnly(FaultPlan.LONGEST);
        assertThat(turns)
                .extracting(Turn::fault)
                .hasSize(12 * 2 + 24 * 5 + 4)
                .doesNotHaveDuplicates();
    }

    @Test
    void pairsAreDownForTwoMinutes() {
        List<FaultEpisode> pairs =
                IntStream.range(0, 1_000).mapToObj(n -> FaultPlan.pair(SEED, n)).toList();
        assertThat(pairs)
                .isEqualTo(
                        IntStream.range(0, 1_000).mapToObj(n -> FaultPlan.pair(SEED, n)).toList())
                .allSatisfy(
                        pair -> {
                            assertThat(pair.turns()).hasSize(2);
                            assertThat(pair.turns())
                                    .extracting(Turn::after, Turn::unavailableFor)
                                    .containsOnly(tuple(Duration.ZERO, FaultPlan.LONGEST));
                            assertThat(pair.turns())
                                    .extracting(turn -> FaultPlan.victim(turn.fault()))
                                    .doesNotHaveDuplicates();
                        });
    }
}
