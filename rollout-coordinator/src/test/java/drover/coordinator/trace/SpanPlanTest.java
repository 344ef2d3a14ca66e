package drover.coordinator.trace;

import static drover.coordinator.trace.GivenHistory.at;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SpanPlanTest {
    private final GivenHistory given = new GivenHistory();

    /** Two batches of one node each, from creation to the end. */
    private GivenHistory twoBatches() {
        return given.rollout("", "pending")
                .rollout("pending", "running")
                .node("a", "pending", "assigned")
                .batch(1, "pending", "settling")
                .node("a", "assigned", "upgrading", "settling", "succeeded")
                .batch(1, "settling", "promoted")
                .node("b", "pending", "assigned")
                .batch(2, "pending", "settling")
                .node("b", "assigned", "upgrading", "settling", "succeeded")
                .batch(2, "settling", "promoted")
                .rollout("running", "completed")
                .upgrade("a", 1)
                .upgrade("b", 4);
    }

    @Test
    void aRolloutIsOneTraceOfBatchesNodesAndActions() {
        assertThat(tree(twoBatches().spans()))
                .containsExactlyInAnyOrder(
                        "rollout",
                        "rollout/batch 1",
                        "rollout/batch 1/node a",
                        "rollout/batch 1/node a/stop_node",
                        "rollout/batch 1/node a/start_node",
                        "rollout/batch 2",
                        "rollout/batch 2/node b",
                        "rollout/batch 2/node b/stop_node",
                        "rollout/batch 2/node b/start_node");
    }

    @Test
    void aSpanHasTheTimesOfTheMovesThatStartedAndEndedIt() {
        List<FinishedSpan> spans = twoBatches().spans();
        FinishedSpan root = named(spans, "rollout").getFirst();
        assertThat(root.start()).as("its start, not its creation").isEqualTo(at(1));
        assertThat(root.end()).isEqualTo(at(14));
        FinishedSpan node = named(spans, "node").getFirst();
        assertThat(node.start()).isEqualTo(at(2));
        assertThat(node.end()).isEqualTo(at(6));
        assertThat(node.events().stream().map(FinishedSpan.Event::name))
                .containsExactly("upgrading", "settling");
        assertThat(node.attributes())
                .containsEntry("drover.node.id", "a")
                .containsEntry("drover.attempt", 1L)
                .containsEntry("drover.outcome", "succeeded");
    }

    @Test
    void theCommandCarriesTheSpanOfItsAttempt() {
        FinishedSpan node = named(twoBatches().spans(), "node").getLast();
        assertThat(new SpanIds(GivenHistory.TRACE).traceparent(new NodeId("b"), 4))
                .isEqualTo("00-" + GivenHistory.TRACE + "-" + node.spanId() + "-01");
    }

    @Test
    @DisplayName("however the history is cut into pages, the same spans come, each once")
    void pagesMakeTheSameSpansAsTheWhole() {
        GivenHistory growing = new GivenHistory();
        List<FinishedSpan> inPages = new ArrayList<>();
        growing.rollout("", "pending").rollout("pending", "running");
        long mark = growing.now();
        growing.node("a", "pending", "assigned").upgrade("a", 1).batch(1, "pending", "settling");
        growing.node("a", "assigned", "upgrading", "settling", "succeeded");
        inPages.addAll(growing.spans(mark));
        mark = growing.now();
        growing.batch(1, "settling", "promoted");
        inPages.addAll(growing.spans(mark));
        mark = growing.now();
        growing.node("b", "pending", "assigned").upgrade("b", 4).batch(2, "pending", "settling");
        growing.node("b", "assigned", "upgrading", "settling", "succeeded");
        growing.batch(2, "settling", "promoted").rollout("running", "completed");
        inPages.addAll(growing.spans(mark));
        assertThat(inPages).containsExactlyInAnyOrderElementsOf(twoBatches().spans());
        assertThat(given.spans(given.now())).as("nothing beyond the mark").isEmpty();
    }

    @Test
    void failedNodeAndFailedActionHaveTheirReason() {
        given.rollout("", "pending").rollout("pending", "running");
        given.node("a", "pending", "assigned").batch(1, "pending", "settling");
        given.node("a", "assigned", "upgrading").because("a", "upgrading", "failed", "FELL");
        given.upgrade("a", 1);
        List<FinishedSpan> spans = given.spans();
        assertThat(named(spans, "node").getFirst().failure()).isEqualTo("Because of FELL.");
        assertThat(named(spans, "start_node").getFirst().failure()).isEqualTo("It fell.");
        assertThat(named(spans, "stop_node").getFirst().failure()).isEmpty();
        assertThat(named(spans, "rollout")).as("it goes on").isEmpty();
    }

    @Test
    void anUnhealthyNodesRestoreIsAPartOfItsSpan() {
        given.rollout("", "pending").rollout("pending", "running");
        given.node("a", "pending", "assigned").batch(1, "pending", "settling");
        given.node("a", "assigned", "settling", "restoring", "failed");
        given.rollout("running", "failed").upgrade("a", 1).restore("a", 2, 1);
        List<FinishedSpan> spans = given.spans();
        assertThat(tree(spans))
                .contains(
                        "rollout/batch 1/node a",
                        "rollout/batch 1/node a/restore",
                        "rollout/batch 1/node a/restore/stop_node");
        assertThat(named(spans, "node").getFirst().end())
                .isEqualTo(named(spans, "restore").getFirst().end());
        assertThat(named(spans, "restore").getFirst().failure()).isEmpty();
        assertThat(named(spans, "rollout").getFirst().failure()).isNotEmpty();
    }

    @Test
    void aRollbackIsASpanBesideTheBatches() {
        given.rollout("", "pending").rollout("pending", "running");
        given.node("a", "pending", "assigned").batch(1, "pending", "settling");
        given.node("a", "assigned", "upgrading", "settling");
        given.rollout("running", "rolling_back");
        given.because("a", "settling", "restoring", "ROLLBACK");
        given.rollout("rolling_back", "paused").rollout("paused", "rolling_back");
        given.node("a", "restoring", "unreachable");
        given.because("a", "unreachable", "restoring", "RETURNED");
        given.node("a", "restoring", "rolled_back").rollout("rolling_back", "rolled_back");
        given.upgrade("a", 1).restore("a", 2, 1);
        List<FinishedSpan> spans = given.spans();
        assertThat(tree(spans))
                .containsExactlyInAnyOrder(
                        "rollout",
                        "rollout/batch 1",
                        "rollout/batch 1/node a",
                        "rollout/batch 1/node a/stop_node",
                        "rollout/batch 1/node a/start_node",
                        "rollout/rollback",
                        "rollout/rollback/node a",
                        "rollout/rollback/node a/stop_node",
                        "rollout/rollback/node a/start_node");
        assertThat(named(spans, "rollback").getFirst().events()).hasSize(2);
        assertThat(named(spans, "node").getLast().end())
                .as("being heard of again is neither an end nor new work")
                .isEqualTo(at(12));
    }

    @Test
    void aRollbackOfAnEndedRolloutLeavesItsRootAsItWas() {
        FinishedSpan before = named(twoBatches().spans(), "rollout").getFirst();
        long mark = given.now();
        given.rollout("completed", "rolling_back");
        given.because("b", "succeeded", "restoring", "ROLLBACK").restore("b", 5, 4);
        given.node("b", "restoring", "rolled_back").rollout("rolling_back", "rolled_back");
        assertThat(named(given.spans(), "rollout")).containsExactly(before);
        List<FinishedSpan> later = given.spans(mark);
        assertThat(later.stream().map(FinishedSpan::name))
                .containsExactlyInAnyOrder("rollback", "node", "stop_node", "start_node");
        assertThat(named(later, "rollback").getFirst().parentId()).isEqualTo(before.spanId());
    }

    @Test
    void aRetriedNodeHasASpanForEachAttemptInTheBatchThatWasInFlight() {
        given.rollout("", "pending").rollout("pending", "running");
        given.node("a", "pending", "assigned").batch(1, "pending", "settling");
        given.node("a", "assigned", "failed").batch(1, "settling", "promoted");
        given.node("a", "failed", "pending", "assigned").batch(2, "pending", "settling");
        given.node("a", "assigned", "settling", "succeeded").batch(2, "settling", "promoted");
        given.rollout("running", "completed").upgrade("a", 1).upgrade("a", 2);
        assertThat(tree(given.spans()))
                .contains("rollout/batch 1/node a", "rollout/batch 2/node a");
    }

    @Test
    @DisplayName("R1: a silent node's span ends with its rollout; its actions come when it returns")
    void anUnresponsiveNodeEndsWithItsRolloutAndItsActionsComeLate() {
        given.rollout("", "pending").rollout("pending", "running");
        given.node("a", "pending", "assigned").batch(1, "pending", "settling");
        given.node("a", "assigned", "unreachable").openUpgrade("a", 1);
        assertThat(given.spans()).as("silence is no end").isEmpty();
        given.batch(1, "settling", "promoted").rollout("running", "completed");
        List<FinishedSpan> spans = given.spans();
        FinishedSpan node = named(spans, "node").getFirst();
        assertThat(node.failure()).isEqualTo("Because of NODE.");
        assertThat(node.end()).isEqualTo(named(spans, "rollout").getFirst().end());
        assertThat(named(spans, "stop_node")).isEmpty();
        long mark = given.now();
        given.because("a", "open", "SUCCEEDED", "RETURNED_LATE").closed();
        List<FinishedSpan> late = given.spans(mark);
        assertThat(late.stream().map(FinishedSpan::name))
                .containsExactly("stop_node", "start_node");
        assertThat(late).allMatch(span -> span.parentId().equals(node.spanId()));
        assertThat(named(given.spans(), "node")).containsExactly(node);
    }

    @Test
    void aBatchThatNeverPassedEndsWhenTheRolloutDoes() {
        given.rollout("", "pending").rollout("pending", "running");
        given.node("a", "pending", "assigned").batch(1, "pending", "settling");
        given.rollout("running", "cancelling");
        given.node("a", "assigned", "pending").rollout("cancelling", "cancelled");
        given.upgrade("a", 1);
        FinishedSpan batch = named(given.spans(), "batch").getFirst();
        assertThat(batch.end()).isEqualTo(at(6));
        assertThat(batch.attributes()).containsEntry("drover.outcome", "cancelled");
    }

    @Test
    void idsAreDistinctAndOfTheRightLength() {
        SpanIds ids = new SpanIds(GivenHistory.TRACE);
        Set<String> all = new HashSet<>(Set.of(ids.rollout(), ids.rollback(1), ids.rollback(2)));
        for (int i = 0; i < 500; i++) {
            all.add(ids.batch(i));
            all.add(ids.attempt("a", i));
            all.add(ids.action("a", i, 1));
        }
        assertThat(all).hasSize(1_503).allMatch(id -> id.matches("[0-9a-f]{16}"));
        assertThat(new SpanIds("f".repeat(32)).rollout()).isNotEqualTo(ids.rollout());
    }

    private static List<FinishedSpan> named(List<FinishedSpan> spans, String name) {
        return spans.stream().filter(span -> span.name().equals(name)).toList();
    }

    /** Every span with its parents, which must all be there. */
    private static List<String> tree(List<FinishedSpan> spans) {
        var byId = spans.stream().collect(Collectors.toMap(FinishedSpan::spanId, span -> span));
        return spans.stream()
                .map(
                        span -> {
                            String path = label(span);
                            String parent = span.parentId();
                            while (!parent.isEmpty()) {
                                FinishedSpan above = byId.get(parent);
                                if (above == null) {
                                    throw new AssertionError("An orphan: " + span);
                                }
                                path = label(above) + "/" + path;
                                parent = above.parentId();
                            }
                            return path;
                        })
                .toList();
    }

    private static String label(FinishedSpan span) {
        return switch (span.name()) {
            case "batch" -> "batch " + span.attributes().get("drover.batch");
            case "node" -> "node " + span.attributes().get("drover.node.id");
            default -> span.name();
        };
    }
}
