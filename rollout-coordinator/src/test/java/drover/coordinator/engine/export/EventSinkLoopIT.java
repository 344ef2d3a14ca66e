package drover.coordinator.engine.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.export.EventSinkLoop.RoundResult;
import drover.coordinator.engine.leader.LeaderTerm;
import drover.coordinator.engine.leader.TermFixture;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.engine.metrics.CoordinatorMetrics;
import drover.coordinator.event.EventKind;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.sink.InMemoryEventSink;
import drover.coordinator.sink.NatsServer;
import drover.coordinator.sink.NatsSink;
import drover.coordinator.store.export.DeadLetterViews.Position;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.export.EventViews.SinkProgress;
import drover.coordinator.store.export.PostgresOperatorDeadLetterStore;
import drover.coordinator.store.query.HistoryForMetricsViews;
import drover.kit.telemetry.Metrics;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // a close that is interrupted fails the test, as it should
class EventSinkLoopIT {
    private static final Duration SOON = Waits.LIMIT;
    @AutoClose private TermFixture rig;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", 3, 1));
    }

    private void enrolled(String... sinks) {
        await().atMost(SOON)
                .until(() -> rig.database.count("SELECT count(*) FROM event_sink") == sinks.length);
    }

    private void completed() {
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(rig.rollout().state())
                                        .isInstanceOf(RolloutState.Completed.class));
    }

    /** What everybody should have been told since the creation, in its order. */
    private List<String> all() {
        return ids(EventMapper.of(rig.events.findAfter(1, RolloutAndNodeFilter.ALL, 1_000)));
    }

    private static List<String> ids(List<RolloutEvent> events) {
        return events.stream().map(RolloutEvent::id).toList();
    }

    @Test
    @DisplayName("G4: every event is told, in its order, and a dead receiver holds up nobody")
    void deliversInOrderWhileAnotherSinkFails() {
        InMemoryEventSink healthy = new InMemoryEventSink("well");
        InMemoryEventSink dead = new InMemoryEventSink("dead");
        dead.acceptOnlyNext(2);
        rig.lead(rig.store, List.of(dead, healthy));
        enrolled("dead", "well");
        rig.submit(new OperatorRequest.Start());
        completed();
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(ids(healthy.deliveredEvents())).isEqualTo(all()));
        assertThat(healthy.deliveredEvents())
                .extracting(event -> event.kind().subjectSuffix())
                .startsWith("started")
                .endsWith("completed")
                .contains("progress", "upgrade_started", "upgrade_completed");
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(ids(dead.deliveredEvents()))
                                        .isEqualTo(all().subList(0, 2)));
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(rig.events.sinks())
                                        .filteredOn(sink -> sink.name().equals("dead"))
                                        .singleElement()
                                        .satisfies(EventSinkLoopIT::assertSinkFails));
        dead.acceptOnlyNext(Integer.MAX_VALUE);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(ids(dead.deliveredEvents())).isEqualTo(all()));
    }

    private static void assertSinkFails(SinkProgress sink) {
        assertThat(sink.problem()).isEqualTo("It takes nothing now.");
        assertThat(sink.failingSince()).isNotNull();
        assertThat(sink.lag()).isPositive();
    }

    @Test
    @DisplayName("G4: what was taken and not yet marked is told again by the next leader")
    void theNextLeaderGoesOnFromTheMark() throws Exception {
        InMemoryEventSink sink = new InMemoryEventSink("sink");
        LeaderTerm first = rig.lead(rig.store, List.of(sink));
        enrolled("sink");
        sink.acceptOnlyNext(3);
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> sink.incompleteDeliveryCount() > 0);
        first.close();
        long marked = rig.database.count("SELECT through FROM event_sink");
        long earlier = Math.max(1, marked - 2); // as a crash leaves it; 1 is before the enrolment
        rig.database.run("UPDATE event_sink SET through = ?", earlier);
        sink.acceptOnlyNext(Integer.MAX_VALUE);
        rig.lead(rig.store, List.of(sink));
        completed();
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(ids(sink.deliveredEvents())).endsWith(all().getLast()));
        List<String> received = ids(sink.deliveredEvents());
        assertThat(received).as("more than once, but none left out").containsAll(all());
        assertThat(received).hasSizeGreaterThan(all().size());
        assertThat(new ArrayList<>(new java.util.LinkedHashSet<>(received)))
                .as("in their order, without those that came again")
                .isEqualTo(all());
    }

    @Test
    @DisplayName("S4-20 an election publishes no event")
    void anElectionPublishesNoEvent() throws Exception {
        InMemoryEventSink sink = new InMemoryEventSink("sink");
        LeaderTerm first = rig.lead(rig.store, List.of(sink));
        enrolled("sink");
        long rows = rig.database.count("SELECT count(*) FROM history");
        first.close();
        rig.lead(rig.store, List.of(sink));
        await().atMost(SOON).until(() -> rig.database.count("SELECT epoch FROM leader_epoch") == 2);
        assertThat(rig.database.count("SELECT count(*) FROM history")).isEqualTo(rows);

        rig.submit(new OperatorRequest.Start());
        completed();

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(ids(sink.deliveredEvents())).isEqualTo(all()));
        assertThat(sink.deliveredEvents().getFirst().kind()).isEqualTo(EventKind.STARTED);
    }

    @Test
    @DisplayName("B1: a stale leader moves no mark")
    void aStaleLeaderMovesNoMark() throws Exception {
        long stale = rig.store.takeOver("old");
        InMemoryEventSink sink = new InMemoryEventSink("sink");
        EventSinkLoop loop = loop(stale, sink, LoopMeter.NONE);
        assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        completed();
        assertThat(loop.runRound()).isEqualTo(RoundResult.STALE);
        assertThat(rig.database.count("SELECT through FROM event_sink")).isEqualTo(1);
    }

    @Test
    @DisplayName("G4: a rejected event is a dead letter, blocks no other event, and is sent again")
    void aRejectedEventBlocksNoOtherAndIsSentAgainOnRequest() throws Exception {
        InMemoryEventSink sink = new InMemoryEventSink("pager");
        sink.rejectMatching(event -> event.kind().subjectSuffix().equals("started"));
        try (Metrics scraped = Metrics.open();
                CoordinatorMetrics meter =
                        new CoordinatorMetrics(
                                scraped, HistoryForMetricsViews.NONE, System::nanoTime)) {
            EventSinkLoop loop = startedAndRead(sink, meter);
            List<String> kinds =
                    sink.deliveredEvents().stream()
                            .map(event -> event.kind().subjectSuffix())
                            .toList();
            assertThat(kinds).contains("upgrade_started", "completed").doesNotContain("started");
            assertThat(ids(sink.deliveredEvents())).hasSize(all().size() - 1);
            assertThat(rig.events.sinks())
                    .singleElement()
                    .satisfies(
                            one -> {
                                assertThat(one.deadLetters()).isOne();
                                assertThat(one.lag()).isZero();
                                assertThat(one.problem()).isEmpty();
                            });
            assertThat(scraped.toPrometheusText()).contains("drover_events_rejected_total 1.0");

            PostgresOperatorDeadLetterStore letters =
                    new PostgresOperatorDeadLetterStore(rig.database.database());
            String rejected = letters.list("pager", Position.START, 10).getFirst().eventId();
            assertThat(letters.requestRetry("pager", List.of(rejected), "alice")).isOne();
            assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
            assertThat(letters.list("", Position.START, 10))
                    .singleElement()
                    .satisfies(
                            letter -> {
                                assertThat(letter.attempts()).isEqualTo(2);
                                assertThat(letter.retrying()).isFalse();
                            });

            sink.rejectMatching(event -> false);
            assertThat(letters.requestRetry("pager", List.of(), "alice")).isOne();
            assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
            assertThat(sink.deliveredEvents().getLast().id()).isEqualTo(rejected);
            assertThat(letters.list("", Position.START, 10)).isEmpty();
        }
    }

    @Test
    @DisplayName("G4: dead letters are sent again although new events arrive in every round")
    void deadLettersAreSentAgainWhileNewEventsArrive() throws Exception {
        InMemoryEventSink sink = new InMemoryEventSink("pager");
        sink.rejectMatching(event -> event.kind().subjectSuffix().equals("started"));
        EventSinkLoop loop = startedAndRead(sink, LoopMeter.NONE);
        PostgresOperatorDeadLetterStore letters =
                new PostgresOperatorDeadLetterStore(rig.database.database());
        String rejected = letters.list("pager", Position.START, 10).getFirst().eventId();
        sink.rejectMatching(event -> false);

        assertThat(letters.requestRetry("pager", List.of(rejected), "alice")).isOne();
        addNewEvents(3);
        assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
        assertThat(sink.deliveredEvents().getLast().id()).isEqualTo(rejected);
        assertThat(letters.list("", Position.START, 10)).isEmpty();
    }

    @Test
    @DisplayName("G4: dead letters are sent again between full pages of new events")
    void deadLettersAreSentAgainBetweenFullPages() throws Exception {
        InMemoryEventSink sink = new InMemoryEventSink("pager");
        sink.rejectMatching(event -> event.kind().subjectSuffix().equals("started"));
        EventSinkLoop loop = startedAndRead(sink, LoopMeter.NONE);
        PostgresOperatorDeadLetterStore letters =
                new PostgresOperatorDeadLetterStore(rig.database.database());
        sink.rejectMatching(event -> false);

        assertThat(letters.requestRetry("pager", List.of(), "alice")).isOne();
        addNewEvents(150);
        assertThat(loop.runRound()).isEqualTo(RoundResult.MORE);
        assertThat(letters.list("", Position.START, 10)).isEmpty();
        assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
    }

    /** History that is not delivered yet: the latest rows again. */
    private void addNewEvents(int count) {
        String columns =
                "rollout_id, at, epoch, actor, subject, node_id, from_status, to_status, code,"
                        + " sentence, prev_hash, hash";
        rig.database.run(
                "INSERT INTO history (%1$s) SELECT %1$s FROM (SELECT * FROM history"
                        .concat(" ORDER BY seq DESC LIMIT 1) latest, generate_series(1, ?)")
                        .formatted(columns),
                count);
    }

    /** A loop that has read all events of a completed rollout, from its start. */
    private EventSinkLoop startedAndRead(InMemoryEventSink sink, LoopMeter meter) throws Exception {
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        completed();
        long epoch = rig.store.takeOver("reader");
        EventSinkLoop first = loop(epoch, new InMemoryEventSink(sink.name()), LoopMeter.NONE);
        assertThat(first.runRound()).isEqualTo(RoundResult.DONE);
        rig.database.run("UPDATE event_sink SET through = 1"); // 1 is the creation
        EventSinkLoop loop = loop(epoch, sink, meter);
        assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
        return loop;
    }

    private EventSinkLoop loop(long epoch, InMemoryEventSink sink, LoopMeter meter) {
        EventSinkLoop.Dependencies ends =
                new EventSinkLoop.Dependencies(rig.events, rig.events, List.of(sink));
        return new EventSinkLoop(epoch, ends, sink, meter, Instant::now);
    }

    @Test
    void reportsTheAgeOfTheOldestUndeliveredEvent() throws Exception {
        InMemoryEventSink sink = new InMemoryEventSink("slow");
        try (Metrics scraped = Metrics.open();
                CoordinatorMetrics meter =
                        new CoordinatorMetrics(
                                scraped, HistoryForMetricsViews.NONE, System::nanoTime)) {
            EventSinkLoop loop = loop(rig.store.takeOver("one"), sink, meter);
            assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
            assertThat(lag(scraped)).isZero();

            rig.database.run("UPDATE event_sink SET through = 0");
            loop = loop(rig.store.takeOver("two"), sink, meter);
            sink.acceptOnlyNext(0);
            assertThat(loop.runRound()).isEqualTo(RoundResult.RETRY);
            assertThat(lag(scraped)).isPositive();

            sink.acceptOnlyNext(Integer.MAX_VALUE);
            assertThat(loop.runRound()).isEqualTo(RoundResult.DONE);
            assertThat(lag(scraped)).isZero();
        }
    }

    private static double lag(Metrics scraped) {
        return scraped.toPrometheusText()
                .lines()
                .filter(line -> line.startsWith("drover_outbox_lag_seconds "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("G4: a real NATS that is killed in the middle has every event once, in its order")
    void natsIsKilledInTheMiddle() throws Exception {
        try (NatsServer server = NatsServer.start(true);
                NatsSink sink = new NatsSink(server.url(), "")) {
            rig.lead(rig.store, List.of(sink));
            enrolled("nats");
            rig.submit(new OperatorRequest.Start());
            await().atMost(SOON)
                    .until(() -> rig.database.count("SELECT through FROM event_sink") > 1);
            completed();
            server.kill();
            rig.submit(new OperatorRequest.Rollback());
            await().atMost(SOON)
                    .until(() -> rig.rollout().state() instanceof RolloutState.RolledBack);
            await().atMost(SOON).until(() -> !rig.events.sinks().getFirst().problem().isEmpty());
            server.start();
            await().atMost(SOON).until(() -> rig.events.sinks().getFirst().lag() == 0);
            assertThat(kept(server)).isEqualTo(all());
        }
    }

    private static List<String> kept(NatsServer server) throws Exception {
        try (Connection nats = Nats.connect(server.url())) {
            var streams = nats.jetStreamManagement();
            String name = streams.getStreamNames("events.>").getFirst();
            var state = streams.getStreamInfo(name).getStreamState();
            List<String> ids = new ArrayList<>();
            for (long seq = state.getFirstSequence(); seq <= state.getLastSequence(); seq++) {
                Headers headers = streams.getMessage(name, seq).getHeaders();
                ids.add(headers == null ? "none" : headers.getFirst("Nats-Msg-Id"));
            }
            return ids;
        }
    }
}
