package drover.coordinator.sink;

import drover.coordinator.event.DeliveryRules;
import drover.coordinator.event.DeliveryRules.DeliveryDecision;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.peers.EventProtos;
import drover.model.program.DownloadAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * An address that events are posted to, one at a time and in their order, each signed. A 2xx
 * accepts an event. A 4xx rejects it, except 408, 425 and 429 ({@link DeliveryRules}). After any
 * other answer, or none, the same event is posted again later.
 */
public final class WebhookSink implements EventSink {
    private static final Duration ANSWER = Duration.ofSeconds(10); // it should queue, not work

    private final WebhookConfig webhook;
    private final WebhookSigner signature;
    private final InstantSource clock;
    private final Duration answer;
    private final HttpClient client;

    /**
     * A webhook of the configuration.
     *
     * @param notificationsOnly whether only events that are notifications are posted
     */
    @SuppressWarnings("ArrayRecordComponent") // a secret is never compared nor shown
    public record WebhookConfig(String name, URI url, byte[] secret, boolean notificationsOnly) {
        @Override
        public String toString() {
            return name + " " + url;
        }
    }

    /** A sink that signs with the time of this clock. */
    public WebhookSink(WebhookConfig webhook, InstantSource clock) {
        this(webhook, clock, ANSWER);
    }

    WebhookSink(WebhookConfig webhook, InstantSource clock, Duration answer) {
        this.answer = answer;
        this.client =
                HttpClient.newBuilder()
                        .connectTimeout(answer)
                        .followRedirects(HttpClient.Redirect.NEVER) // only where it was meant to go
                        .build();
        this.webhook = webhook;
        this.signature = new WebhookSigner(webhook.secret());
        this.clock = clock;
    }

    @Override
    public String name() {
        return webhook.name();
    }

    @Override
    public String kind() {
        return "webhook";
    }

    @Override
    public DeliveryResult deliver(List<RolloutEvent> events) throws InterruptedException {
        int taken = 0;
        List<RejectedEvent> rejected = new ArrayList<>();
        for (RolloutEvent event : events) {
            boolean wanted =
                    !webhook.notificationsOnly() || !event.kind().notificationName().isEmpty();
            ClassifiedResponse answered = wanted ? post(event) : ClassifiedResponse.ACCEPTED;
            switch (answered.verdict()) {
                case ACCEPTED -> taken++;
                case REJECTED -> {
                    rejected.add(new RejectedEvent(event, answered.problem()));
                    taken++;
                }
                case RETRY -> {
                    return new DeliveryResult(taken, rejected, answered.problem());
                }
            }
        }
        return new DeliveryResult(taken, rejected, "");
    }

    /** What the receiver answered. */
    private record ClassifiedResponse(DeliveryDecision verdict, String problem) {
        static final ClassifiedResponse ACCEPTED =
                new ClassifiedResponse(DeliveryDecision.ACCEPTED, "");
    }

    private ClassifiedResponse post(RolloutEvent event) throws InterruptedException {
        try {
            HttpResponse<Void> response =
                    client.send(buildRequest(event), BodyHandlers.discarding());
            int status = response.statusCode();
            DeliveryDecision verdict = DeliveryRules.classifyHttpStatus(status);
            return verdict == DeliveryDecision.ACCEPTED
                    ? ClassifiedResponse.ACCEPTED
                    : new ClassifiedResponse(
                            verdict,
                            DownloadAddress.redact(webhook.url().toString())
                                    + " answers "
                                    + status
                                    + " instead of 2xx.");
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            return new ClassifiedResponse(
                    DeliveryDecision.RETRY,
                    DownloadAddress.redact(webhook.url().toString())
                            + " does not answer: "
                            + why
                            + ".");
        }
    }

    private HttpRequest buildRequest(RolloutEvent event) {
        byte[] body = EventProtos.toJson(event);
        Instant now = clock.instant();
        return HttpRequest.newBuilder(webhook.url())
                .timeout(answer)
                .header("Content-Type", EventProtos.MEDIA_TYPE)
                .header("webhook-id", event.id())
                .header("webhook-timestamp", Long.toString(now.getEpochSecond()))
                .header("webhook-signature", signature.sign(event.id(), now, body))
                .POST(BodyPublishers.ofByteArray(body))
                .build();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
