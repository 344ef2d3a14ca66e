package drover.coordinator.plan.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.model.MigrationType;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A16: what nobody starts without saying why. */
class JustificationTest {
    static Stream<Arguments> starts() {
        return Stream.of(
                arguments(new Strategy.AllAtOnce(9, false, true), 0, "does not wait for health"),
                arguments(new Strategy.AllAtOnce(9, true, false), 0, "goes on whatever fails"),
                arguments(new Strategy.AllAtOnce(9, false, false), 999, "all of its nodes at once"),
                arguments(new Strategy.Rolling(9), 10, "large share of its chain"),
                arguments(new Strategy.Rolling(9), 0, ""),
                arguments(new Strategy.Rolling(9), 999, ""),
                arguments(new Strategy.Progressive(9), 10, ""),
                arguments(new Strategy.Canary(1, 9), 10, ""));
    }

    @ParameterizedTest
    @MethodSource("starts")
    @DisplayName("A16: a start that skips what protects others, or goes to many at once, says why")
    void whatIsRiskyIsJustified(Strategy strategy, int chainNodes, String expected) {
        assertThat(of(strategy, MigrationType.NONE, chainNodes))
                .satisfies(
                        message -> {
                            assertThat(message).contains(expected);
                            assertThat(message.isEmpty()).isEqualTo(expected.isEmpty());
                        });
    }

    @ParameterizedTest
    @MethodSource("starts")
    void aBreakingMigrationIsJustifiedRegardlessOfItsStrategy(Strategy strategy, int chainNodes) {
        assertThat(of(strategy, MigrationType.BREAKING, chainNodes)).isNotEmpty();
    }

    private static String of(Strategy strategy, MigrationType migration, int chainNodes) {
        Given given = Given.of(9, strategy, new Threshold.Count(0), migration);
        return RiskyStartRules.startRiskPhrase(
                given.rollout.spec().withTwoPersonRuleInput("alice", chainNodes),
                given.rollout.nodes().size());
    }
}
