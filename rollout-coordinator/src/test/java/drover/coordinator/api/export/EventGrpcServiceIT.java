package drover.coordinator.api.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.export.EventStreams;
import drover.coordinator.engine.request.DeadLetterRetryRequester;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.export.PostgresEventDeliveryStore;
import drover.coordinator.store.export.PostgresOperatorDeadLetterStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.event.v1.EventServiceGrpc;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.rest.HttpServer;
import drover.kit.rest.RestTranscoder;
import drover.model.NodeId;
import drover.model.RolloutId;
import io.cloudevents.CloudEvent;
import io.cloudevents.SpecVersion;
import io.cloudevents.jackson.JsonFormat;
import io.grpc.ManagedChannel;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Server-sent events over a real database and a real socket. */
class EventGrpcServiceIT {
    private static final Duration SOON = Waits.LIMIT;
    private final HttpClient client = HttpClient.newHttpClient();
    private TestDatabase database;
    private EventStreams streams;
    private GrpcServer services;
    private ManagedChannel channel;
    private HttpServer host;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
        PostgresEventDeliveryStore events = new PostgresEventDeliveryStore(database.database());
        PostgresOperatorDeadLetterStore letters =
                new PostgresOperatorDeadLetterStore(database.database());
        streams = new EventStreams(events, System::nanoTime);
        Address inside = new Address.InProcess("events-" + UUID.randomUUID());
        services =
                GrpcServer.builder()
                        .addService(
                                new EventGrpcService(
                                        streams,
                                        events,
                                        letters,
                                        new DeadLetterRetryRequester(letters)))
                        .listen(inside);
        channel = Channels.open(inside);
        host =
                HttpServer.builder()
                        .rest(RestTranscoder.of(channel, EventServiceGrpc.getServiceDescriptor()))
                        .listen(new Address.Tcp("127.0.0.1", 0));
    }

    @AfterEach
    void close() {
        if (host != null) {
            streams.close();
            host.close();
            channel.shutdownNow();
            services.close();
            database.close();
        }
    }

    /** A listener that keeps every line until it is closed. */
    private final class Ear implements AutoCloseable {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private final Stream<String> body;

        Ear(String query, String lastEvent) throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(address(query));
            if (!lastEvent.isEmpty()) {
                request.header("Last-Event-ID", lastEvent);
            }
            body = client.send(request.build(), BodyHandlers.ofLines()).body();
            Thread.ofVirtual().start(this::listen);
        }

        private void listen() {
            try {
                body.forEach(lines::add);
            } catch (UncheckedIOException e) {
                assertThat(e).as("closed by the test").isNotNull();
            }
        }

        List<String> values(String name) {
            return lines.stream()
                    .filter(line -> line.startsWith(name + ": "))
                    .map(line -> line.substring(name.length() + 2))
                    .toList();
        }

        void awaitEvents(int events) {
            await().atMost(SOON).until(() -> values("data").size() >= events);
        }

        @Override
        public void close() {
            body.close();
        }
    }

    private URI address(String query) {
        return URI.create("http://127.0.0.1:" + host.port() + "/api/v1/events" + query);
    }

    private RolloutId create(String chain) {
        return StoredRollout.create(database, Plan.rolling(chain, 1, 1));
    }

    @Test
    @DisplayName(
            "a listener that comes back with the last id misses nothing and hears nothing twice")
    void resumesAfterTheLastEvent() throws Exception {
        RolloutId one = create("one");
        List<String> first;
        try (Ear ear = new Ear("?from_start=true", "")) {
            ear.awaitEvents(1);
            RolloutId two = create("two");
            ear.awaitEvents(2);
            assertThat(ear.values("event")).containsOnly("drover.rollout.created");
            assertThat(ear.values("data").get(0)).contains(one.value());
            assertThat(ear.values("data").get(1)).contains(two.value());
            first = ear.values("id");
        }
        create("three");
        try (Ear ear = new Ear("", first.getFirst())) {
            ear.awaitEvents(2);
            create("four");
            ear.awaitEvents(3);
            assertThat(ear.values("id"))
                    .hasSize(3)
                    .startsWith(first.get(1))
                    .doesNotContain(first.getFirst());
        }
    }

    @Test
    void startsWithWhatHappensFromNowOn() throws Exception {
        create("before");
        try (Ear ear = new Ear("", "")) {
            await().atMost(SOON).until(() -> !ear.lines.isEmpty()); // the sign of life
            RolloutId now = create("now");
            ear.awaitEvents(1);
            assertThat(ear.values("data")).singleElement().asString().contains(now.value());
        }
    }

    @Test
    void sendsEventsOfTheRequestedRolloutOnly() throws Exception {
        RolloutId wanted = create("wanted");
        create("other");
        try (Ear ear = new Ear("?from_start=true&rollout_id=" + wanted.value(), "")) {
            ear.awaitEvents(1);
            create("another");
            database.run(
                    "INSERT INTO history (rollout_id, at, epoch, actor, subject, node_id,"
                            + " from_status, to_status, code, sentence, prev_hash, hash) SELECT"
                            + " rollout_id, at, epoch, actor, 'node', 'n-1', 'pending', 'assigned',"
                            + " 'X', 'X.', hash, hash || 'x' FROM history WHERE rollout_id = ?::uuid",
                    wanted.value());
            ear.awaitEvents(2);
            assertThat(ear.values("data")).allMatch(data -> data.contains(wanted.value()));
            assertThat(ear.values("data").getLast())
                    .contains("\"subject\":\"events.node.n-1.upgrade_started\"");
        }
        try (Ear ear = new Ear("?from_start=true&node_id=n-1", "")) {
            ear.awaitEvents(1);
            assertThat(ear.values("event")).containsExactly("drover.node.upgrade_started");
        }
    }

    @Test
    void everyEventIsACloudEvent() throws Exception {
        RolloutId id = create("one");
        try (Ear ear = new Ear("?from_start=true", "")) {
            ear.awaitEvents(1);
            CloudEvent event =
                    new JsonFormat()
                            .deserialize(
                                    ear.values("data").getFirst().getBytes(StandardCharsets.UTF_8));
            assertThat(event.getSpecVersion()).isEqualTo(SpecVersion.V1);
            assertThat(event.getId()).isEqualTo(ear.values("id").getFirst());
            assertThat(event.getSource()).isEqualTo(URI.create("/rollouts/" + id.value()));
            assertThat(event.getType()).isEqualTo("drover.rollout.created");
            assertThat(event.getSubject()).isEqualTo("events.rollout." + id.value() + ".created");
            assertThat(event.getTime()).isNotNull();
            assertThat(event.getExtension("sequence")).asString().hasSize(19);
            assertThat(event.getData()).isNotNull();
        }
    }

    @Test
    void anIncidentOutsideAnyRolloutIsACloudEventOfItsNode() throws Exception {
        NodeId node = new NodeId("n-1");
        PostgresLeaderStore leader = new PostgresLeaderStore(database.database());
        Cause crashes = new Cause("CRASH_LOOP", "It crashes.");
        IncidentChange opened =
                new IncidentChange.Open(
                        IncidentCategory.CRASH_LOOP,
                        IncidentSeverity.MAJOR,
                        node,
                        null,
                        crashes,
                        "");
        leader.incidents().write(leader.takeOver("leader"), List.of(opened), Instant.EPOCH);
        try (Ear ear = new Ear("?from_start=true&node_id=n-1", "")) {
            ear.awaitEvents(1);
            String data = ear.values("data").getFirst();
            CloudEvent event = new JsonFormat().deserialize(data.getBytes(StandardCharsets.UTF_8));
            assertThat(event.getType()).isEqualTo("drover.node.incident_opened");
            assertThat(event.getSource()).isEqualTo(URI.create("/nodes/n-1"));
            assertThat(event.getSubject()).isEqualTo("events.node.n-1.incident_opened");
            assertThat(data)
                    .contains("\"incident_category\":\"crash_loop\"")
                    .contains("\"incident_severity\":\"major\"")
                    .contains("\"notification\":\"incident_opened\"")
                    .contains("\"message\":\"It crashes.\"");
        }
    }

    @Test
    void refusesAnEventOfAnotherHistory() throws Exception {
        create("one");
        assertThat(get("?last_event_id=1-0123456789ab"))
                .startsWith("409 ")
                .contains("EVENT_UNKNOWN");
        assertThat(get("?last_event_id=nonsense")).startsWith("400 ").contains("last_event_id");
        assertThat(get("?rollout_id=nonsense")).startsWith("404 ").contains("ROLLOUT_NOT_FOUND");
        assertThat(get("?node_id=NO")).startsWith("400 ").contains("node_id");
    }

    private String get(String query) throws Exception {
        var answer =
                client.send(
                        HttpRequest.newBuilder(address(query)).build(), BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    @Test
    void listsDeadLettersByPageAndRequestsThatTheyAreSentAgain() throws Exception {
        for (int seq = 1; seq <= 3; seq++) {
            database.run(
                    "INSERT INTO dead_letter (sink, seq, event_id, type, subject, problem) VALUES"
                            + " ('pager', ?, ?, 'drover.rollout.started', 's', 'It answers 400.')",
                    seq,
                    seq + "-0123456789ab");
        }
        String first = rest("GET", "/api/v1/dead-letters?sink=pager&page_size=2", "");
        assertThat(first)
                .contains("1-0123456789ab", "2-0123456789ab", "It answers 400.")
                .contains("\"next_page_token\":\"2/pager\"")
                .doesNotContain("3-0123456789ab");
        assertThat(rest("GET", "/api/v1/dead-letters?page_token=2/pager", ""))
                .contains("3-0123456789ab")
                .doesNotContain("2-0123456789ab");
        assertThat(
                        rest(
                                "POST",
                                "/api/v1/dead-letters/retry",
                                "{\"sink\":\"pager\",\"event_ids\":[\"2-0123456789ab\"]}"))
                .contains("\"requested\":1");
        assertThat(database.texts("SELECT event_id FROM dead_letter WHERE retry"))
                .containsExactly("2-0123456789ab");
        assertThat(rest("POST", "/api/v1/dead-letters/retry", "{\"sink\":\"pager\"}"))
                .contains("\"requested\":3");
        assertThat(rest("POST", "/api/v1/dead-letters/retry", "{}")).contains("MISSING_FIELD");
        assertThat(rest("GET", "/api/v1/dead-letters?page_token=x", "")).contains("INVALID_FIELD");
    }

    private String rest(String method, String path, String body) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + host.port() + path))
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }
}
