package drover.coordinator.sink;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import drover.coordinator.Waits;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.sink.EventSink.DeliveryResult;
import drover.coordinator.sink.WebhookSink.WebhookConfig;
import io.cloudevents.jackson.JsonFormat;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WebhookSinkTest {
    private static final byte[] SECRET = "a secret of some length".getBytes(StandardCharsets.UTF_8);
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final List<Posted> posted = new CopyOnWriteArrayList<>();
    private final AtomicInteger answersLeft = new AtomicInteger(Integer.MAX_VALUE);
    private final Map<String, Integer> rejections = new ConcurrentHashMap<>(); // status by id
    private final CountDownLatch hanging = new CountDownLatch(1);
    private volatile boolean hangs;
    private final List<RolloutEvent> events = SampleEvents.from(1, 6);
    private HttpServer server;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Posted(
            String id, String timestamp, String signature, String type, byte[] body) {}

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::receive);
        server.start();
    }

    @AfterEach
    void stop() {
        hanging.countDown();
        server.stop(0);
    }

    private void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (hangs) {
            awaitTheEnd();
        }
        boolean takes = answersLeft.getAndDecrement() > 0;
        if (takes) {
            posted.add(
                    new Posted(
                            exchange.getRequestHeaders().getFirst("webhook-id"),
                            exchange.getRequestHeaders().getFirst("webhook-timestamp"),
                            exchange.getRequestHeaders().getFirst("webhook-signature"),
                            exchange.getRequestHeaders().getFirst("Content-Type"),
                            body));
        }
        int refusal = takes ? rejections.getOrDefault(posted.getLast().id(), 204) : 500;
        if (refusal != 204) {
            posted.removeLast();
        }
        exchange.sendResponseHeaders(refusal, -1);
        exchange.close();
    }

    private void awaitTheEnd() {
        try {
            hanging.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private WebhookSink sink(boolean notificationsOnly) {
        return sink(notificationsOnly, Waits.LIMIT);
    }

    private WebhookSink sink(boolean notificationsOnly, Duration timeout) {
        URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/drover");
        return new WebhookSink(
                new WebhookConfig("pager", url, SECRET, notificationsOnly),
                InstantSource.fixed(NOW),
                timeout);
    }

    @Test
    void postsEveryEventSignedAndInOrder() throws Exception {
        try (WebhookSink sink = sink(false)) {
            assertThat(sink.deliver(events)).isEqualTo(new DeliveryResult(6, ""));
        }
        assertThat(posted)
                .extracting(Posted::id)
                .isEqualTo(events.stream().map(RolloutEvent::id).toList());
        for (Posted each : posted) {
            assertThat(each.type()).isEqualTo("application/cloudevents+json");
            assertThat(each.timestamp()).isEqualTo(Long.toString(NOW.getEpochSecond()));
            assertThat(each.signature()).isEqualTo("v1," + expected(each));
            assertThat(new JsonFormat().deserialize(each.body()).getId()).isEqualTo(each.id());
        }
    }

    /** As a receiver works it out. */
    private static String expected(Posted posted) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        String signed =
                posted.id()
                        + "."
                        + posted.timestamp()
                        + "."
                        + new String(posted.body(), StandardCharsets.UTF_8);
        return Base64.getEncoder()
                .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    @DisplayName("the signature is that of the example in the Standard Webhooks specification")
    void signsAsTheSpecificationDoes() {
        byte[] secret = Base64.getDecoder().decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        String signature =
                new WebhookSigner(secret)
                        .sign(
                                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                                Instant.ofEpochSecond(1614265330),
                                "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8));
        assertThat(signature).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void stopsAtTheFirstThatIsNotTaken() throws Exception {
        answersLeft.set(2);
        try (WebhookSink sink = sink(false)) {
            DeliveryResult delivery = sink.deliver(events);
            assertThat(delivery.delivered()).isEqualTo(2);
            assertThat(delivery.problem()).endsWith("/drover answers 500 instead of 2xx.");
        }
    }

    @Test
    void oneThatHangsTakesNothing() throws Exception {
        hangs = true;
        try (WebhookSink sink = sink(false, Duration.ofMillis(500))) {
            DeliveryResult delivery = sink.deliver(events);
            assertThat(delivery.delivered()).isZero();
            assertThat(delivery.problem()).contains("does not answer");
        }
    }

    @Test
    void continuesAfterAnEventThatTheReceiverRejects() throws Exception {
        RolloutEvent third = events.get(2);
        rejections.put(third.id(), 400);
        try (WebhookSink sink = sink(false)) {
            DeliveryResult delivery = sink.deliver(events);
            assertThat(delivery.delivered()).isEqualTo(6);
            assertThat(delivery.problem()).isEmpty();
            assertThat(delivery.rejected())
                    .singleElement()
                    .satisfies(
                            one -> {
                                assertThat(one.event()).isEqualTo(third);
                                assertThat(one.problem()).endsWith("answers 400 instead of 2xx.");
                            });
        }
        assertThat(posted).hasSize(5);
    }

    @Test
    void waitsForAReceiverThatLimitsItsRate() throws Exception {
        rejections.put(events.get(2).id(), 429);
        try (WebhookSink sink = sink(false)) {
            DeliveryResult delivery = sink.deliver(events);
            assertThat(delivery.delivered()).isEqualTo(2);
            assertThat(delivery.rejected()).isEmpty();
            assertThat(delivery.problem()).endsWith("answers 429 instead of 2xx.");
        }
    }

    @Test
    void oneThatIsNotThereTakesNothing() throws Exception {
        server.stop(0);
        try (WebhookSink sink = sink(false)) {
            assertThat(sink.deliver(events).delivered()).isZero();
        }
    }

    @Test
    void postsOnlyNotificationsIfTheReceiverWantsOnlyThem() throws Exception {
        try (WebhookSink sink = sink(true)) {
            assertThat(sink.deliver(events)).isEqualTo(new DeliveryResult(6, ""));
        }
        assertThat(posted)
                .extracting(each -> new String(each.body(), StandardCharsets.UTF_8))
                .hasSize(2)
                .satisfiesExactly(
                        first -> assertThat(first).contains("\"notification\":\"rollout_started\""),
                        last ->
                                assertThat(last)
                                        .contains("\"notification\":\"rollout_completed\""));
    }
}
