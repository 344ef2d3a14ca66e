package drover.coordinator.engine.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.export.SpanExportLoop.RoundResult;
import drover.coordinator.engine.leader.TermFixture;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.kit.telemetry.EndedSpan;
import drover.kit.telemetry.InMemoryTraceExporter;
import drover.kit.telemetry.TraceExporter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SpanExportLoopIT {
    private static final int NODES = 3;
    private static final Duration SOON = Waits.LIMIT;
    @AutoClose private TermFixture rig;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", NODES, 1));
    }

    private void complete() {
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(rig.rollout().state())
                                        .isInstanceOf(RolloutState.Completed.class));
    }

    private long mark() {
        return rig.database.count("SELECT coalesce(max(through), 0) FROM span_mark");
    }

    @Test
    void sendsARolloutAsOneTraceWithoutOrphans() {
        complete();
        await().atMost(SOON).until(() -> names(rig.spans.exported()).contains("rollout"));
        List<EndedSpan> spans = rig.spans.exported();
        assertThat(names(spans))
                .containsOnly("rollout", "batch", "node")
                .filteredOn("node"::equals)
                .hasSize(NODES);
        assertThat(spans).allMatch(span -> span.traceId().equals(spans.getFirst().traceId()));
        assertThat(orphans(spans)).isEmpty();
        await().atMost(SOON)
                .until(() -> mark() == rig.database.count("SELECT max(seq) FROM history"));
    }

    @Test
    @DisplayName("a receiver that is away slows nothing, and loses nothing")
    void keepsSpansUntilTheyAreTaken() {
        rig.spans.setFailing(true);
        complete();
        await().atMost(SOON).until(() -> rig.spans.failures() > 0);
        assertThat(
                        rig.database.count(
                                "SELECT count(*) FROM span_mark JOIN history USING (rollout_id)"
                                        + " WHERE seq <= through AND to_status = 'succeeded'"))
                .as("the mark moves only after they were taken")
                .isZero();
        rig.spans.setFailing(false);
        await().atMost(SOON).until(() -> names(rig.spans.exported()).contains("rollout"));
        assertThat(orphans(rig.spans.exported())).isEmpty();
    }

    @Test
    @DisplayName("spans sent twice, as after a crash before the mark, are the same spans")
    void whatIsSentAgainIsTheSame() {
        complete();
        await().atMost(SOON).until(() -> names(rig.spans.exported()).contains("rollout"));
        List<EndedSpan> first = rig.spans.exported();
        rig.database.run("DELETE FROM span_mark");
        InMemoryTraceExporter again = new InMemoryTraceExporter();
        long epoch = rig.store.takeOver("another");
        assertThat(loop(epoch, again).runRound()).isEqualTo(RoundResult.SENT);
        assertThat(new HashSet<>(again.exported())).isEqualTo(new HashSet<>(first));
    }

    @Test
    @DisplayName("B1: a stale leader cannot move the mark")
    void aStaleLeaderCannotMoveTheMark() {
        long stale = rig.store.takeOver("old");
        long present = rig.store.takeOver("new");
        assertThat(loop(stale, new InMemoryTraceExporter()).runRound())
                .isEqualTo(RoundResult.STALE);
        assertThat(mark()).isZero();
        assertThat(loop(present, new InMemoryTraceExporter()).runRound())
                .isEqualTo(RoundResult.SENT);
        assertThat(mark()).isPositive();
    }

    @Test
    void runsNothingWithoutASpanReceiver() {
        SpanExportLoop unwanted = loop(1, TraceExporter.disabled());
        unwanted.start();
        assertThat(unwanted.isRunning()).isFalse();
        SpanExportLoop wanted = loop(1, new InMemoryTraceExporter());
        wanted.start();
        assertThat(wanted.isRunning()).isTrue();
        wanted.stop();
    }

    private SpanExportLoop loop(long epoch, TraceExporter receiver) {
        return new SpanExportLoop(epoch, new SpanExportLoop.Dependencies(rig.spanStore, receiver));
    }

    private static List<String> names(List<EndedSpan> spans) {
        return spans.stream().map(EndedSpan::name).toList();
    }

    private static List<EndedSpan> orphans(List<EndedSpan> spans) {
        Set<String> ids = spans.stream().map(EndedSpan::spanId).collect(Collectors.toSet());
        ids.add("");
        return spans.stream().filter(span -> !ids.contains(span.parentId())).toList();
    }
}
