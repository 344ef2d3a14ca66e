package drover.coordinator.store.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange.CloseMatching;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.sink.EventSink.RejectedEvent;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.Query;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.query.AttentionCountViews;
import drover.coordinator.store.query.PostgresAttentionCountViews;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.HistorySql;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EventStoreIT {
    private static final Duration SOON = Waits.LIMIT;
    @AutoClose private TestDatabase database;
    private PostgresEventDeliveryStore events;
    private PostgresLeaderStore leader;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
        events = new PostgresEventDeliveryStore(database.database());
        leader = new PostgresLeaderStore(database.database());
    }

    private void move(long epoch, RolloutId id) {
        LeaderStore.RolloutWithHistoryHead loaded = leader.load(id).orElseThrow();
        RolloutState next = new RolloutState.Running(StoredRollout.NOW);
        leader.commit(StoredRollout.move(epoch, loaded, next));
    }

    @Test
    @DisplayName("G4: a row is never seen before one with a lower number, whoever commits first")
    void rowsBecomeVisibleInTheOrderOfTheirNumbers() throws Exception {
        RolloutId slow = StoredRollout.create(database, Plan.rolling("slow", 1, 1));
        RolloutId quick = StoredRollout.create(database, Plan.rolling("quick", 1, 1));
        long before = events.newestSequence();
        CountDownLatch appended = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> first = threads.submit(() -> appendAndWait(slow, appended, mayCommit));
            appended.await();
            long epoch = leader.takeOver("leader");
            Future<?> second = threads.submit(() -> move(epoch, quick));
            await().atMost(SOON).until(this::someoneWaitsForTheOrder);
            assertThat(events.findAfter(before, RolloutAndNodeFilter.ALL, 10))
                    .as("the second row would have the higher number, and must wait")
                    .isEmpty();
            mayCommit.countDown();
            first.get();
            second.get();
        }
        assertThat(events.findAfter(before, RolloutAndNodeFilter.ALL, 10))
                .extracting(row -> row.rolloutFacts().rollout())
                .containsExactly(slow.value(), quick.value());
    }

    private boolean appendAndWait(RolloutId id, CountDownLatch appended, CountDownLatch mayCommit) {
        return database.database()
                .write(
                        "a slow commit",
                        handle -> {
                            HistorySql.append(
                                    handle,
                                    java.util.UUID.fromString(id.value()),
                                    "head",
                                    List.of(
                                            new HistoryEntry(
                                                    StoredRollout.NOW,
                                                    0,
                                                    "drover",
                                                    "rollout",
                                                    "",
                                                    "here",
                                                    "there",
                                                    new drover.coordinator.plan.observed.Cause(
                                                            "X", "X."))));
                            appended.countDown();
                            try {
                                mayCommit.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return true;
                        });
    }

    private boolean someoneWaitsForTheOrder() {
        return database.count(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                > 0;
    }

    @Test
    @DisplayName("G4: a reader that follows the newest row misses none of many writers'")
    void aReaderBesideManyWritersMissesNothing() throws Exception {
        long rollouts = 8;
        long moves = 20;
        long epoch = leader.takeOver("leader");
        List<RolloutId> ids = new ArrayList<>();
        for (int i = 0; i < rollouts; i++) {
            ids.add(StoredRollout.create(database, Plan.rolling("chain-" + i, 1, 1)));
        }
        Set<Long> seen = new TreeSet<>();
        long place = events.newestSequence();
        long start = place;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers =
                    ids.stream()
                            .<Future<?>>map(
                                    id ->
                                            threads.submit(
                                                    () -> {
                                                        for (int i = 0; i < moves; i++) {
                                                            move(epoch, id);
                                                        }
                                                    }))
                            .toList();
            while (seen.size() < rollouts * moves
                    && !(writers.stream().allMatch(Future::isDone)
                            && events.newestSequence() == place)) {
                for (EventHistoryEntry row : events.findAfter(place, RolloutAndNodeFilter.ALL, 3)) {
                    seen.add(row.seq());
                    place = row.seq();
                }
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        assertThat((long) seen.size())
                .isEqualTo(database.count("SELECT count(*) FROM history WHERE seq > ?", start))
                .isEqualTo(rollouts * moves);
        ids.forEach(id -> assertThat(StoredHashChain.breaks(database, id)).isEmpty());
    }

    @Test
    @DisplayName("G4: incidents are events in the order of all events, when opened and resolved")
    void incidentsAreEventsWhenTheyAreOpenedAndResolved() {
        RolloutId id = StoredRollout.create(database, Plan.rolling("demo", 1, 1));
        long epoch = leader.takeOver("leader");
        NodeId node = SampleRollout.node("demo", 1);
        leader.incidents().write(epoch, List.of(crashLoop(node)), StoredRollout.NOW);
        leader.incidents().write(epoch, List.of(crashLoop(node)), StoredRollout.NOW);
        move(epoch, id);
        PostgresOperatorIncidentStore operators =
                new PostgresOperatorIncidentStore(database.database());
        Incident open = operators.list(new Query(null, null, "", null, null, 10)).getFirst();
        operators.acknowledge(open.id(), "bob", "I look.");
        operators.resolve(open.id(), "bob", "Disk replaced.");
        operators.resolve(open.id(), "bob", "Again.");
        CloseMatching over =
                new CloseMatching(
                        Set.of(IncidentCategory.CRASH_LOOP),
                        node,
                        null,
                        new Cause("OVER", "It is over."));
        leader.incidents().write(epoch, List.of(over), StoredRollout.NOW);

        List<EventHistoryEntry> rows =
                events.findAfter(1, RolloutAndNodeFilter.ALL, 10); // 1 is the creation
        assertThat(rows).extracting(EventHistoryEntry::seq).isSorted().doesNotHaveDuplicates();
        assertThat(EventMapper.of(rows))
                .extracting(event -> event.kind().subjectSuffix())
                .containsExactly("incident_opened", "progress", "incident_resolved");
        EventHistoryEntry opened = rows.getFirst();
        assertThat(opened.incident())
                .isEqualTo(
                        new EventHistoryEntry.IncidentDescription(
                                open.id().toString(), "crash_loop", "major"));
        assertThat(opened.rolloutFacts())
                .as("no rollout")
                .isEqualTo(EventHistoryEntry.RolloutDescription.NOTHING);
        assertThat(events.findHash(opened.seq())).contains(opened.hash());
        assertThat(rows.getLast())
                .satisfies(
                        row -> {
                            assertThat(row.actor()).isEqualTo("bob");
                            assertThat(row.sentence()).isEqualTo("Disk replaced.");
                            assertThat(row.from()).isEqualTo("acknowledged");
                        });
        assertThat(events.newestSequence()).isEqualTo(rows.getLast().seq());
        assertThat(events.findAfter(0, new RolloutAndNodeFilter("", node.value()), 10)).hasSize(2);
    }

    private static Open crashLoop(NodeId node) {
        return new Open(
                IncidentCategory.CRASH_LOOP,
                IncidentSeverity.MAJOR,
                node,
                null,
                new Cause("CRASH_LOOP", "It crashes."),
                "");
    }

    @Test
    void countsWhatWaitsForOperators() {
        PostgresAttentionCountViews views = new PostgresAttentionCountViews(database.database());
        assertThat(views.readCounts()).isEqualTo(AttentionCountViews.AttentionCounts.NONE);
        RolloutId id = StoredRollout.create(database, Plan.rolling("demo", 1, 1));
        long epoch = leader.takeOver("leader");
        events.registerSinkAndReadMark(epoch, "pager", "webhook");
        RolloutEvent created =
                EventMapper.of(events.findAfter(0, RolloutAndNodeFilter.ALL, 1)).getFirst();
        events.writeDelivered(
                epoch, "pager", 1, List.of(new RejectedEvent(created, "It answers 400.")));
        move(epoch, id);
        LeaderStore.RolloutWithHistoryHead loaded = leader.load(id).orElseThrow();
        leader.commit(
                StoredRollout.move(
                        epoch,
                        loaded,
                        new RolloutState.AwaitingApproval(StoredRollout.NOW.minusSeconds(90))));
        leader.incidents()
                .write(epoch, List.of(crashLoop(SampleRollout.node("demo", 1))), StoredRollout.NOW);
        assertThat(views.readCounts())
                .satisfies(
                        counted -> {
                            assertThat(counted.incidents()).isEqualTo(Map.of("crash_loop", 1L));
                            assertThat(counted.approvals()).isOne();
                            assertThat(counted.oldestApproval())
                                    .isGreaterThanOrEqualTo(Duration.ofSeconds(90));
                            assertThat(counted.deadLetters()).isOne();
                        });
    }

    @Test
    void findsOnlyTheRowsOfARollout() {
        RolloutId one = StoredRollout.create(database, Plan.rolling("one", 1, 1));
        StoredRollout.create(database, Plan.rolling("two", 1, 1));
        assertThat(events.findAfter(0, new RolloutAndNodeFilter(one.value(), ""), 10))
                .singleElement()
                .satisfies(
                        row -> {
                            assertThat(row.rolloutFacts().chain()).isEqualTo("one");
                            assertThat(events.findHash(row.seq())).contains(row.hash());
                        });
        assertThat(events.findAfter(0, new RolloutAndNodeFilter("", "nobody"), 10)).isEmpty();
    }

    @Test
    void aReceiverStartsWithWhatHappensFromNowOnAndGoesOnWhereItWas() {
        StoredRollout.create(database, Plan.rolling("one", 1, 1));
        long epoch = leader.takeOver("leader");
        assertThat(events.registerSinkAndReadMark(epoch, "nats", "nats"))
                .hasValue(events.newestSequence());
        assertThat(events.writeDelivered(epoch, "nats", 40)).isTrue();
        assertThat(events.writeDelivered(epoch, "nats", 30)).as("never back").isTrue();
        long next = leader.takeOver("another");
        assertThat(events.registerSinkAndReadMark(next, "nats", "nats")).hasValue(40);
    }

    @Test
    @DisplayName("B1: a stale leader moves no mark")
    void aStaleLeaderMovesNoMark() {
        long stale = leader.takeOver("old");
        events.registerSinkAndReadMark(stale, "nats", "nats");
        leader.takeOver("new");
        assertThat(events.writeDelivered(stale, "nats", 7)).isFalse();
        assertThat(events.writeSinkFailure(stale, "nats", "It is away.")).isFalse();
        assertThat(events.registerSinkAndReadMark(stale, "nats", "nats"))
                .isEqualTo(OptionalLong.empty());
        assertThat(database.count("SELECT through FROM event_sink")).isZero();
    }

    @Test
    void reportsSinceWhenASinkFails() {
        long epoch = leader.takeOver("leader");
        events.registerSinkAndReadMark(epoch, "hook", "webhook");
        StoredRollout.create(database, Plan.rolling("one", 1, 1));
        events.writeSinkFailure(epoch, "hook", "It answers 500.");
        assertThat(events.sinks())
                .singleElement()
                .satisfies(
                        sink -> {
                            assertThat(sink.problem()).isEqualTo("It answers 500.");
                            assertThat(sink.failingSince()).isNotNull();
                            assertThat(sink.lag()).isEqualTo(1);
                        });
        events.writeDelivered(epoch, "hook", events.newestSequence());
        assertThat(events.sinks())
                .singleElement()
                .satisfies(
                        sink -> {
                            assertThat(sink.failingSince()).isNull();
                            assertThat(sink.lag()).isZero();
                        });
        leader.takeOver("one without it");
        assertThat(events.sinks()).as("of the present configuration only").isEmpty();
    }
}
