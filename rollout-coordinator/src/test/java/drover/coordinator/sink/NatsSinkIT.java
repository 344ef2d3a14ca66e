package drover.coordinator.sink;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Waits;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.sink.EventSink.DeliveryResult;
import io.cloudevents.CloudEvent;
import io.cloudevents.jackson.JsonFormat;
import io.nats.client.Connection;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.Subscription;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real server. */
@SuppressWarnings("try") // a close that is interrupted fails the test, as it should
class NatsSinkIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final Duration NO_MORE =
            Duration.ofSeconds(3); // far more than the next one takes
    private final List<RolloutEvent> events = SampleEvents.from(1, 20);

    private static List<String> ids(List<RolloutEvent> events) {
        return events.stream().map(RolloutEvent::id).toList();
    }

    /** Everything that the stream keeps, from the first message. */
    private static List<Message> kept(NatsServer server) throws Exception {
        try (Connection nats = Nats.connect(server.url())) {
            JetStreamSubscription all =
                    nats.jetStream()
                            .subscribe(
                                    "events.>",
                                    PushSubscribeOptions.builder()
                                            .ordered(true)
                                            .configuration(
                                                    ConsumerConfiguration.builder()
                                                            .deliverPolicy(DeliverPolicy.All)
                                                            .build())
                                            .build());
            return messages(all, Integer.MAX_VALUE);
        }
    }

    private static List<Message> messages(Subscription from, int most) throws InterruptedException {
        List<Message> messages = new ArrayList<>();
        Message next = from.nextMessage(SOON);
        while (next != null) {
            messages.add(next);
            next = messages.size() >= most ? null : from.nextMessage(NO_MORE);
        }
        return messages;
    }

    private static List<String> subjects(List<Message> messages) {
        return messages.stream()
                .map(message -> message.getHeaders().getFirst("Nats-Msg-Id"))
                .toList();
    }

    @Test
    @DisplayName("G4: JetStream keeps every event once and in order, however often it is told")
    void jetStreamKeepsEveryEventOnce() throws Exception {
        try (NatsServer server = NatsServer.start(true)) {
            try (NatsSink sink = new NatsSink(server.url(), "")) {
                assertThat(sink.deliver(events.subList(0, 10)))
                        .isEqualTo(new DeliveryResult(10, ""));
            }
            try (NatsSink afterACrash = new NatsSink(server.url(), "")) {
                assertThat(afterACrash.deliver(events)).isEqualTo(new DeliveryResult(20, ""));
            }
            List<Message> kept = kept(server);
            assertThat(subjects(kept)).isEqualTo(ids(events));
            assertThat(kept.getFirst().getSubject())
                    .isEqualTo("events.rollout." + SampleEvents.ROLLOUT + ".started");
            CloudEvent first = new JsonFormat().deserialize(kept.getFirst().getData());
            assertThat(first.getId()).isEqualTo(events.getFirst().id());
            assertThat(first.getType()).isEqualTo("drover.rollout.started");
            assertThat(first.getSubject()).isEqualTo(kept.getFirst().getSubject());
        }
    }

    @Test
    @DisplayName("a server that was killed takes nothing, and everything when it is back")
    void aServerThatIsUnavailableTakesNothing() throws Exception {
        try (NatsServer server = NatsServer.start(true);
                NatsSink sink = new NatsSink(server.url(), "")) {
            assertThat(sink.deliver(events.subList(0, 5)).delivered()).isEqualTo(5);
            server.kill();
            DeliveryResult refused = sink.deliver(events.subList(5, 20));
            assertThat(refused.delivered()).isZero();
            assertThat(refused.problem()).startsWith("The NATS server does not take events: ");
            server.start();
            assertThat(sink.deliver(events.subList(5, 20)).delivered()).isEqualTo(15);
            assertThat(subjects(kept(server))).isEqualTo(ids(events));
        }
    }

    @Test
    void withoutJetStreamListenersReceiveEveryEventInOrder() throws Exception {
        try (NatsServer server = NatsServer.start(false);
                Connection listener = Nats.connect(server.url());
                NatsSink sink = new NatsSink(server.url(), "")) {
            Subscription all = listener.subscribe("events.rollout.*.*");
            listener.flush(SOON);
            assertThat(sink.deliver(events)).isEqualTo(new DeliveryResult(20, ""));
            assertThat(subjects(messages(all, 20))).isEqualTo(ids(events));
            server.kill();
            assertThat(sink.deliver(events).delivered()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rejectsEventsThatAreTooLargeForTheServer(boolean jetStream) throws Exception {
        try (NatsServer server = NatsServer.start(jetStream, "max_payload: 1100");
                NatsSink sink = new NatsSink(server.url(), "")) {
            RolloutEvent large = SampleEvents.saying("x".repeat(2_000));
            List<RolloutEvent> mixed = List.of(events.get(0), large, events.get(1));
            DeliveryResult delivery = sink.deliver(mixed);
            assertThat(delivery.delivered()).isEqualTo(3);
            assertThat(delivery.problem()).isEmpty();
            assertThat(delivery.rejected())
                    .singleElement()
                    .satisfies(
                            one -> {
                                assertThat(one.event()).isEqualTo(large);
                                assertThat(one.problem()).contains("more than the NATS server's");
                            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rejectsEventsWhoseSubjectTheServerDoesNotAllow(boolean jetStream) throws Exception {
        String settings =
                "authorization { users: [ { user: drover, password: secret, permissions:"
                        + " { publish: { allow: [\"events.rollout.*.started\", \"$JS.API.>\"] } } } ] }";
        try (NatsServer server = NatsServer.start(jetStream, settings);
                NatsSink sink = new NatsSink(server.url().replace("//", "//drover:secret@"), "")) {
            DeliveryResult delivery = sink.deliver(events.subList(0, 2));
            assertThat(delivery.problem()).isEmpty();
            assertThat(delivery.delivered()).isEqualTo(2);
            assertThat(delivery.rejected())
                    .singleElement()
                    .satisfies(
                            one -> {
                                assertThat(one.event()).isEqualTo(events.get(1));
                                assertThat(one.problem()).contains("Permissions Violation");
                            });
        }
    }

    @Test
    void usesAnExistingStream() throws Exception {
        try (NatsServer server = NatsServer.start(true);
                Connection admin = Nats.connect(server.url());
                NatsSink sink = new NatsSink(server.url(), "")) {
            admin.jetStreamManagement()
                    .addStream(
                            io.nats.client.api.StreamConfiguration.builder()
                                    .name("OURS")
                                    .subjects("events.>")
                                    .build());
            assertThat(sink.deliver(events).delivered()).isEqualTo(20);
            assertThat(admin.jetStreamManagement().getStreamNames()).containsExactly("OURS");
            assertThat(admin.jetStreamManagement().getStreamInfo("OURS").getStreamState())
                    .extracting(state -> state.getMsgCount())
                    .isEqualTo(20L);
        }
    }
}
