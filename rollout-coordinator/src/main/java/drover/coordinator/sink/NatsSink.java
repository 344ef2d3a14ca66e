package drover.coordinator.sink;

import drover.coordinator.event.DeliveryRules;
import drover.coordinator.event.DeliveryRules.DeliveryDecision;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.peers.EventProtos;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A NATS server (seed 000, NATS Event Subjects). With JetStream the server confirms each message
 * when it has stored it, and knows one that comes again by its {@code Nats-Msg-Id}; without, a
 * message is taken when the server has answered a ping sent after it. Nothing is buffered here: a
 * server that is away takes nothing, and the mark waits. Events that are too large, or whose
 * subject the server does not allow, are rejected ({@link DeliveryRules}).
 */
public final class NatsSink implements EventSink {
    private static final Logger LOG = LoggerFactory.getLogger(NatsSink.class);

    /** Made when JetStream is there and no stream takes the events yet. */
    static final String STREAM = "DROVER_EVENTS";

    private static final String SUBJECTS = "events.>";
    private static final Duration ANSWER = Duration.ofSeconds(5); // a server nearby needs 1 ms
    private static final Duration KEPT = Duration.ofDays(7); // of the stream that is made here

    private static final int NOT_FOR_THIS_ACCOUNT = 10039; // JetStream runs, but not for us

    private final Options.Builder options;
    private @Nullable Connection connection; // null until it is reached
    private @Nullable JetStream stream; // null without JetStream

    /**
     * A server, reached when something is to be told.
     *
     * @param url for example {@code nats://127.0.0.1:4222}
     * @param credentials path of a file of credentials; empty for none
     */
    public NatsSink(String url, String credentials) {
        options =
                new Options.Builder()
                        .server(url)
                        .connectionName("drover")
                        .connectionTimeout(ANSWER)
                        .noReconnect() // the loop comes back by itself, and from its mark
                        .reconnectBufferSize(0)
                        .errorListener(new ErrorListener() {}); // the loop says it, and once
        if (!credentials.isEmpty()) {
            options.authHandler(Nats.credentials(credentials));
        }
    }

    @Override
    public String name() {
        return "nats";
    }

    @Override
    public String kind() {
        return "nats";
    }

    @Override
    public DeliveryResult deliver(List<RolloutEvent> events) throws InterruptedException {
        DeliveryResultBuilder batch = new DeliveryResultBuilder();
        try {
            Connection nats = connectIfNeeded();
            nats.clearLastError();
            JetStream keeping = stream;
            if (keeping == null) {
                publishAll(nats, events, batch);
            } else {
                for (RolloutEvent event : events) {
                    batch.addResult(event, publishToStream(nats, keeping, event));
                }
            }
            return batch.toResult("");
        } catch (IOException | JetStreamApiException | TimeoutException | IllegalStateException e) {
            disconnect();
            return batch.toResult("The NATS server does not take events: " + describe(e) + ".");
        }
    }

    /** What is settled of a delivery. */
    private static final class DeliveryResultBuilder {
        private final List<RejectedEvent> rejected = new ArrayList<>();
        private int taken;

        /** An empty problem accepts the event. */
        void addResult(RolloutEvent event, String problem) {
            taken++;
            if (!problem.isEmpty()) {
                rejected.add(new RejectedEvent(event, problem));
            }
        }

        DeliveryResult toResult(String problem) {
            return new DeliveryResult(taken, rejected, problem);
        }
    }

    /** Stores an event in the stream; returns why it is rejected, empty when it is stored. */
    private static String publishToStream(Connection nats, JetStream keeping, RolloutEvent event)
            throws IOException, JetStreamApiException {
        NatsMessage message = toMessage(event);
        String large = findSizeViolation(nats, message);
        if (!large.isEmpty()) {
            return large;
        }
        try {
            keeping.publish(message);
            return "";
        } catch (JetStreamApiException e) {
            if (DeliveryRules.classifyJetStreamError(e.getApiErrorCode())
                    == DeliveryDecision.REJECTED) {
                return "The NATS stream rejects it: " + describe(e) + ".";
            }
            throw e;
        } catch (IOException e) { // a denied publish has no response, only an error before
            String denied = findDenial(nats);
            if (!denied.isEmpty()) {
                return denied;
            }
            throw e;
        }
    }

    /** One ping confirms all; if an error came before the answer, each event has its own ping. */
    private static void publishAll(
            Connection nats, List<RolloutEvent> events, DeliveryResultBuilder batch)
            throws TimeoutException, InterruptedException {
        for (RolloutEvent event : events) {
            NatsMessage message = toMessage(event);
            if (findSizeViolation(nats, message).isEmpty()) {
                nats.publish(message);
            }
        }
        nats.flush(ANSWER);
        boolean clean = findDenial(nats).isEmpty();
        for (RolloutEvent event : events) {
            NatsMessage message = toMessage(event);
            String problem = findSizeViolation(nats, message);
            if (problem.isEmpty() && !clean) {
                nats.clearLastError();
                nats.publish(message);
                nats.flush(ANSWER);
                problem = findDenial(nats);
            }
            batch.addResult(event, problem);
        }
    }

    private static String findSizeViolation(Connection nats, NatsMessage message) {
        Headers headers = message.getHeaders();
        long bytes = message.getData().length + (headers == null ? 0L : headers.serializedLength());
        long maximum = nats.getMaxPayload();
        return DeliveryRules.classifySize(bytes, maximum) == DeliveryDecision.REJECTED
                ? "The event has " + bytes + " bytes, more than the NATS server's " + maximum + "."
                : "";
    }

    private static String findDenial(Connection nats) {
        String error = nats.getLastError() == null ? "" : nats.getLastError();
        return DeliveryRules.classifyNatsError(error) == DeliveryDecision.REJECTED
                ? "The NATS server rejects it: " + error + "."
                : "";
    }

    private static NatsMessage toMessage(RolloutEvent event) {
        Headers headers =
                new Headers()
                        .add("Nats-Msg-Id", event.id())
                        .add("content-type", EventProtos.MEDIA_TYPE);
        return NatsMessage.builder()
                .subject(event.subject())
                .headers(headers)
                .data(EventProtos.toJson(event))
                .build();
    }

    private Connection connectIfNeeded()
            throws IOException, InterruptedException, JetStreamApiException {
        Connection current = connection;
        if (current != null && current.getStatus() == Connection.Status.CONNECTED) {
            return current;
        }
        disconnect();
        Connection made = Nats.connect(options.build());
        connection = made;
        stream = ensureStream(made) ? made.jetStream() : null;
        LOG.info(
                "Connected to NATS address={} jetstream={}",
                made.getConnectedUrl(),
                stream != null);
        return made;
    }

    /** Whether a stream takes the events; one is made where JetStream is there without one. */
    private static boolean ensureStream(Connection nats) throws IOException, JetStreamApiException {
        if (!nats.getServerInfo().isJetStreamAvailable()) {
            return false;
        }
        try {
            JetStreamManagement streams = nats.jetStreamManagement();
            if (streams.getStreamNames(SUBJECTS).isEmpty()) {
                streams.addStream(
                        StreamConfiguration.builder()
                                .name(STREAM)
                                .subjects(SUBJECTS)
                                .maxAge(KEPT)
                                .build());
            }
            return true;
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == NOT_FOR_THIS_ACCOUNT) {
                return false;
            }
            throw e;
        }
    }

    private static String describe(Exception e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    private void disconnect() throws InterruptedException {
        Connection current = connection;
        connection = null;
        stream = null;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void close() {
        try {
            disconnect();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
