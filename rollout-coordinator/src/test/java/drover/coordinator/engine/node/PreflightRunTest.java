package drover.coordinator.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.ScriptedFleet;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.plan.preflight.NodePreflightResult.Outcome;
import drover.coordinator.plan.preflight.NodePreflightResult.Problem;
import drover.coordinator.plan.preflight.PreflightRules;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PreflightRunTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final UUID REQUESTED = new UUID(0, 1);
    private static final String UNHEALTHY =
            " The rollout does not start while more targets than its unhealthy budget are"
                    + " unhealthy.";

    private final ScriptedFleet fleet = new ScriptedFleet();

    private BinaryName binary = new BinaryName("demo");

    private PreflightRun run(int nodes) {
        Rollout rollout =
                SampleRollout.of(
                        new RolloutId("rollout-1"),
                        SampleRollout.Plan.rolling("demo", nodes, 1),
                        NOW);
        binary = rollout.spec().binary();
        rollout.nodes().keySet().forEach(node -> connect(node, PreflightRules.FEATURE));
        return new PreflightRun(REQUESTED, rollout, NOW);
    }

    private void connect(NodeId node, String feature) {
        fleet.nodes.put(node, new NodeView.Present("s1", "process", Set.of(feature), 0, Map.of()));
    }

    private static NodeId node(int number) {
        return SampleRollout.node("demo", number);
    }

    private Map<NodeId, String> next(PreflightRun run, Duration later) {
        return run.takeNextRequests(fleet::node, NOW.plus(later));
    }

    private void receive(PreflightRun run, NodeId node, AgentPreflightReport report) {
        run.applyReport(node, report);
    }

    private static AgentPreflightReport report(UUID requested, Problem... problems) {
        return new AgentPreflightReport(requested.toString(), List.of(problems), "", "");
    }

    @Test
    void sendsOnePreflightPerSessionAndEndsWithTheLastReport() {
        PreflightRun run = run(2);
        assertThat(next(run, Duration.ZERO)).isEqualTo(Map.of(node(1), "s1", node(2), "s1"));
        assertThat(next(run, Duration.ofSeconds(1))).isEmpty();

        receive(
                run,
                node(2),
                report(REQUESTED, new Problem("stop_node", "PROGRAM_REFUSED", "No.")));
        assertThat(run.hasEnded()).isFalse();
        receive(run, node(1), report(REQUESTED));

        assertThat(run.hasEnded()).isTrue();
        assertThat(run.results(fleet))
                .extracting(NodePreflightResult::node, NodePreflightResult::result)
                .containsExactly(tuple(node(1), Outcome.OK), tuple(node(2), Outcome.WOULD_FAIL));
    }

    @Test
    void requestsAtMostTheInFlightLimit() {
        PreflightRun run = run(250);
        assertThat(next(run, Duration.ZERO)).hasSize(100);
        assertThat(next(run, Duration.ofSeconds(1))).isEmpty();
        receive(run, node(7), report(REQUESTED));
        assertThat(next(run, Duration.ofSeconds(2))).hasSize(1);
    }

    @Test
    void ignoresEarlierRequestsAndOtherNodes() {
        PreflightRun run = run(1);
        receive(run, node(1), report(REQUESTED));
        assertThat(run.results(fleet)).isEmpty();
        next(run, Duration.ZERO);
        receive(run, node(1), report(new UUID(9, 9)));
        assertThat(run.results(fleet)).isEmpty();
    }

    @Test
    void reportsWhyNodesCannotBeChecked() {
        PreflightRun run = run(3);
        fleet.nodes.put(node(1), new NodeView.Absent(NOW));
        connect(node(2), "upgrade/1");
        fleet.nodes.remove(node(3));

        assertThat(next(run, Duration.ZERO)).isEmpty();
        assertThat(run.results(fleet))
                .extracting(NodePreflightResult::reason)
                .containsExactly("OFFLINE", "AGENT_TOO_OLD");
        assertThat(run.hasEnded()).as("no gateway has spoken of the third").isFalse();

        next(run, Duration.ofSeconds(31));
        assertThat(run.results(fleet).getLast().reason()).isEqualTo("NO_ANSWER");
        assertThat(run.results(fleet)).allMatch(it -> it.result() == Outcome.NOT_CHECKED);
        assertThat(run.hasEnded()).isTrue();
    }

    @Test
    void anUnresponsiveAgentDoesNotHoldItUp() {
        PreflightRun run = run(1);
        next(run, Duration.ZERO);
        next(run, Duration.ofSeconds(30));
        assertThat(run.hasEnded()).isFalse();
        next(run, Duration.ofSeconds(31));
        assertThat(run.hasEnded()).isTrue();
        assertThat(run.results(fleet).getFirst().reason()).isEqualTo("NO_ANSWER");
    }

    @Test
    @DisplayName(
            "A24: a target that is unhealthy already is listed, though every action can be done")
    void anUnhealthyTargetIsListed() {
        PreflightRun run = run(2);
        unhealthy(node(2), "demo is critical.");
        next(run, Duration.ZERO);

        receive(run, node(1), report(REQUESTED));
        receive(run, node(2), report(REQUESTED));

        assertThat(run.results(fleet))
                .extracting(NodePreflightResult::result, NodePreflightResult::reason)
                .containsExactly(tuple(Outcome.OK, ""), tuple(Outcome.WOULD_FAIL, "UNHEALTHY"));
        assertThat(run.results(fleet).getLast().sentence())
                .isEqualTo(
                        "demo is critical. The rollout does not start while more targets than its"
                                + " unhealthy budget are unhealthy.");
    }

    @Test
    @DisplayName("A24: an unhealthy target is listed, too, if its agent cannot check anything")
    void anUnhealthyTargetWhoseAgentDoesNotCheckIsListed() {
        PreflightRun run = run(3);
        unhealthy(node(1), "demo is critical.");
        unhealthy(node(2), "demo is down.");
        unhealthy(node(3), "demo restarts again and again.", "upgrade/1");
        next(run, Duration.ZERO);
        receive(
                run,
                node(1),
                new AgentPreflightReport(
                        REQUESTED.toString(), List.of(), "BUSY", "An attempt runs."));
        next(run, Duration.ofSeconds(31));

        assertThat(run.results(fleet))
                .allMatch(result -> result.result() == Outcome.WOULD_FAIL)
                .allMatch(result -> result.reason().equals("UNHEALTHY"))
                .extracting(NodePreflightResult::sentence)
                .containsExactly(
                        "demo is critical." + UNHEALTHY + " An attempt runs.",
                        "demo is down."
                                + UNHEALTHY
                                + " "
                                + PreflightRules.noResponseResult(node(2)).sentence(),
                        "demo restarts again and again."
                                + UNHEALTHY
                                + " Its agent knows no preflight: upgrade the agent.");
    }

    private void unhealthy(NodeId node, String detail) {
        unhealthy(node, detail, PreflightRules.FEATURE);
    }

    private void unhealthy(NodeId node, String detail, String feature) {
        ProgramHealth health = new ProgramHealth(ProgramHealth.Level.CRITICAL, detail, NOW);
        ProgramView program = new ProgramView(new Version("v1"), "", "", true, health);
        fleet.nodes.put(
                node,
                new NodeView.Present("s1", "process", Set.of(feature), 0, Map.of(binary, program)));
    }

    @Test
    void workingAgentReportsItself() {
        PreflightRun run = run(1);
        next(run, Duration.ZERO);
        receive(
                run,
                node(1),
                new AgentPreflightReport(
                        REQUESTED.toString(), List.of(), "BUSY", "An attempt runs."));
        assertThat(run.results(fleet).getFirst().result()).isEqualTo(Outcome.NOT_CHECKED);
        assertThat(run.results(fleet).getFirst().reason()).isEqualTo("BUSY");
    }
}
