package drover.coordinator.sink;

import drover.coordinator.announce.Announcement;
import drover.coordinator.peers.EventProtos;
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
import java.util.List;

/**
 * An address that events are posted to, one at a time and in their order, each signed. An event is
 * taken when it was answered with a 2xx; anything else, silence included, and the same event is
 * posted again later. None is left out because it was refused.
 */
public final class WebhookSink implements EventSink {
    private static final Duration ANSWER = Duration.ofSeconds(10); // it should queue, not work

    private final Webhook webhook;
    private final WebhookSignature signature;
    private final InstantSource clock;
    private final Duration answer;
    private final HttpClient client;

    /**
     * A webhook of the configuration.
     *
     * @param notificationsOnly whether only the seed's six notifications are posted
     */
    @SuppressWarnings("ArrayRecordComponent") // a secret is never compared nor shown
    public record Webhook(String name, URI url, byte[] secret, boolean notificationsOnly) {
        @Override
        public String toString() {
            return name + " " + url;
        }
    }

    /** A sink that signs with the time of this clock. */
    public WebhookSink(Webhook webhook, InstantSource clock) {
        this(webhook, clock, ANSWER);
    }

    WebhookSink(Webhook webhook, InstantSource clock, Duration answer) {
        this.answer = answer;
        this.client =
                HttpClient.newBuilder()
                        .connectTimeout(answer)
                        .followRedirects(HttpClient.Redirect.NEVER) // only where it was meant to go
                        .build();
        this.webhook = webhook;
        this.signature = new WebhookSignature(webhook.secret());
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
    public Delivery deliver(List<Announcement> events) throws InterruptedException {
        int taken = 0;
        for (Announcement event : events) {
            boolean wanted = !webhook.notificationsOnly() || !event.kind().notification().isEmpty();
            String problem = wanted ? post(event) : "";
            if (!problem.isEmpty()) {
                return new Delivery(taken, problem);
            }
            taken++;
        }
        return Delivery.all(events);
    }

    /** Why it was not taken; empty when it was. */
    private String post(Announcement event) throws InterruptedException {
        try {
            HttpResponse<Void> answer = client.send(request(event), BodyHandlers.discarding());
            int status = answer.statusCode();
            return status / 100 == 2
                    ? ""
                    : webhook.url() + " answers " + status + " instead of 2xx.";
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            return webhook.url() + " does not answer: " + why + ".";
        }
    }

    private HttpRequest request(Announcement event) {
        byte[] body = EventProtos.json(event);
        Instant now = clock.instant();
        return HttpRequest.newBuilder(webhook.url())
                .timeout(answer)
                .header("Content-Type", EventProtos.MEDIA_TYPE)
                .header("webhook-id", event.id())
                .header("webhook-timestamp", Long.toString(now.getEpochSecond()))
                .header("webhook-signature", signature.of(event.id(), now, body))
                .POST(BodyPublishers.ofByteArray(body))
                .build();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
