package drover.system.fault;

import static org.assertj.core.api.Assertions.assertThat;

import drover.system.fault.Fault.CommitsUnanswered;
import drover.system.fault.Fault.Cut;
import drover.system.fault.Fault.Direction;
import drover.system.fault.Fault.Frozen;
import drover.system.fault.Fault.Held;
import drover.system.fault.Fault.Killed;
import drover.system.fault.Fault.Lost;
import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.FaultPlan.Turn;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UncoveredGatewayTest {
    private static boolean isIn(Turn... turns) {
        return UncoveredGateway.isIn(new FaultEpisode(0, List.of(turns)));
    }

    private static boolean isIn(Fault one, Fault other) {
        return isIn(turn(one, 0, 120), turn(other, 0, 120));
    }

    private static Turn turn(Fault fault, int after, int unavailable) {
        return new Turn(fault, Duration.ofSeconds(after), Duration.ofSeconds(unavailable));
    }

    private static Fault cut(String from, String to) {
        return new Cut(new NetworkPath(from, to));
    }

    @Test
    void oneFaultLeavesAReachableEvaluator() {
        assertThat(FaultPlan.singly()).noneMatch(UncoveredGateway::isIn);
        assertThat(FaultPlan.brief()).noneMatch(UncoveredGateway::isIn);
    }

    @Test
    void bothEvaluatorsWithoutTheSameGatewayLeaveNone() {
        assertThat(isIn(cut("health-1", "gateway-1"), cut("health-2", "gateway-1"))).isTrue();
        assertThat(isIn(new Killed("health-1"), new Frozen("health-2"))).isTrue();
        assertThat(
                        isIn(
                                new Held(
                                        new NetworkPath("health-2", "gateway-2"),
                                        Direction.ANSWERS),
                                new Frozen("health-1")))
                .isTrue();
    }

    @Test
    void eachEvaluatorWithoutAnotherGatewayLeavesOneForEach() {
        assertThat(isIn(cut("health-1", "gateway-1"), cut("health-2", "gateway-2"))).isFalse();
    }

    @Test
    void coordinatorWithoutEvaluatorsReceivesNoVerdicts() {
        NetworkPath way = new NetworkPath("coordinator-2", "health-1");
        assertThat(isIn(new Lost(way, Direction.QUESTIONS), new Killed("health-2"))).isTrue();
        assertThat(isIn(new Cut(way), cut("health-2", "gateway-1"))).isTrue();
        assertThat(isIn(new Cut(way), cut("coordinator-1", "health-2")))
                .as("either coordinator reaches one")
                .isFalse();
    }

    @Test
    void whatIsNotBetweenThemLeavesThemAsTheyWere() {
        assertThat(isIn(cut("health-1", "gateway-1"), new Killed("gateway-1"))).isFalse();
        assertThat(isIn(cut("health-1", "gateway-1"), cut(NetworkPath.AGENTS, "gateway-1")))
                .isFalse();
        assertThat(
                        isIn(
                                new Killed("health-1"),
                                new CommitsUnanswered(
                                        new NetworkPath("gateway-1", NetworkPath.POSTGRES))))
                .isFalse();
    }

    @Test
    void gapThatEndsInTimePausesNothing() {
        Fault one = new Killed("health-1");
        Fault other = new Killed("health-2");
        assertThat(isIn(turn(one, 0, 120), turn(other, 5, 59))).isFalse();
        assertThat(isIn(turn(one, 0, 65), turn(other, 5, 120))).isTrue();
    }

    @Test
    void suchPairsAreDrawnAndAreFew() {
        List<FaultEpisode> pairs =
                IntStream.range(0, 10_000).mapToObj(n -> FaultPlan.pair(7, n)).toList();
        assertThat(pairs.stream().filter(UncoveredGateway::isIn).count()).isBetween(1L, 500L);
    }
}
