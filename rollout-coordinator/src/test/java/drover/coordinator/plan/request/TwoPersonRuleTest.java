package drover.coordinator.plan.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.batch.BatchPlanner;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A16, H6: what nobody lets happen alone. */
class TwoPersonRuleTest {
    private static final OperatorRequest START = new OperatorRequest.Start();

    /** Five nodes at once, created by alice. */
    private static Given atOnce(boolean force, boolean skip, int chainNodes) {
        Given given =
                Given.of(
                        5,
                        new Strategy.AllAtOnce(5, force, skip),
                        new Threshold.Count(0),
                        MigrationType.NONE);
        given.rollout =
                given.rollout.withSpec(
                        given.rollout.spec().withTwoPersonRuleInput("alice", chainNodes));
        return given;
    }

    private static String answer(RequestDecision decision) {
        return decision instanceof RequestDecision.Refused refused
                ? refused.code().name()
                : "started";
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, 25, started",
        "false, false, 24, CREATOR_CANNOT_APPROVE",
        "false, false, 5, CREATOR_CANNOT_APPROVE",
        "false, true, 25, CREATOR_CANNOT_APPROVE",
        "true, false, 25, CREATOR_CANNOT_APPROVE",
    })
    @DisplayName("A16: more than 20 % of a chain at once, and what skips protection, takes two")
    void theCreatorStartsOnlyWhatIsSmallAndProtected(
            boolean force, boolean skip, int chainNodes, String expected) {
        assertThat(answer(atOnce(force, skip, chainNodes).request(START, "alice")))
                .isEqualTo(expected);
        assertThat(answer(atOnce(force, skip, chainNodes).request(START, "bob")))
                .isEqualTo("started");
    }

    @Test
    void refusalNamesTheRuleAndTheSecondApprover() {
        assertThat(atOnce(true, true, 5).request(START, "alice"))
                .isEqualTo(
                        new RequestDecision.Refused(
                                RefusalCode.CREATOR_CANNOT_APPROVE,
                                "It does not wait for health, goes on whatever fails, upgrades 5"
                                        + " of the 5 nodes of its chain at once. Somebody else"
                                        + " than its creator must start it."));
    }

    @Test
    void batchAfterBatchIsStartedByItsCreator() {
        assertThat(answer(Given.rolling(5, 5).request(START, "alice"))).isEqualTo("started");
    }

    /** Twelve nodes of a chain, created by alice. */
    private static Given startedWith(Strategy strategy, int chainNodes) {
        Given given = Given.of(12, strategy, new Threshold.Count(0), MigrationType.NONE);
        given.rollout =
                given.rollout.withSpec(
                        given.rollout.spec().withTwoPersonRuleInput("alice", chainNodes));
        return given;
    }

    static Stream<Arguments> beginnings() {
        return Stream.of(
                arguments(new Strategy.Rolling(6), 29, "CREATOR_CANNOT_APPROVE"),
                arguments(new Strategy.Rolling(6), 30, "started"),
                arguments(new Strategy.Rolling(5), 12, "started"),
                arguments(new Strategy.Rolling(100), 59, "CREATOR_CANNOT_APPROVE"),
                arguments(new Strategy.Rolling(100), 60, "started"),
                arguments(new Strategy.Canary(6, 1), 29, "CREATOR_CANNOT_APPROVE"),
                arguments(new Strategy.Canary(6, 1), 30, "started"),
                arguments(new Strategy.Canary(1, 100), 12, "started"),
                arguments(new Strategy.Progressive(100), 12, "started"),
                arguments(new Strategy.Rolling(100), 0, "started"));
    }

    @ParameterizedTest
    @MethodSource("beginnings")
    @DisplayName("A16: whatever goes to many of a chain before it is proven on any takes two")
    void aLargeFirstBatchIsAllAtOnceUnderAnotherName(
            Strategy strategy, int chainNodes, String expected) {
        Given given = startedWith(strategy, chainNodes);
        assertThat(answer(given.request(START, "alice"))).isEqualTo(expected);
        assertThat(answer(startedWith(strategy, chainNodes).request(START, "bob")))
                .isEqualTo("started");
    }

    @ParameterizedTest
    @MethodSource("beginnings")
    void whatIsReckonedUntriedIsTheFirstBatchOfThePlan(Strategy strategy) {
        List<NodeId> nodes = IntStream.range(0, 12).mapToObj(i -> new NodeId("node-" + i)).toList();
        assertThat(strategy.firstBatchSize(nodes.size()))
                .isEqualTo(
                        BatchPlanner.plan(strategy, NodeOrder.DEFAULT, nodes, 1)
                                .getFirst()
                                .nodes()
                                .size());
    }

    @Test
    @DisplayName("A door that asks nobody who they are tells nobody apart")
    void withoutAuthenticationNoCallerIsTheCreator() {
        Given given = atOnce(true, true, 5);
        given.rollout =
                given.rollout.withSpec(
                        given.rollout.spec().withTwoPersonRuleInput(TwoPersonRule.ANONYMOUS, 5));
        assertThat(answer(given.request(START, TwoPersonRule.ANONYMOUS))).isEqualTo("started");
    }

    @Test
    void whoIsNotTheCreatorStopsNothingByThat() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        given.fails(given.inFlight().getFirst());
        assertThat(given.request(new OperatorRequest.Rollback(), "alice"))
                .isInstanceOf(RequestDecision.Applied.class);
    }
}
