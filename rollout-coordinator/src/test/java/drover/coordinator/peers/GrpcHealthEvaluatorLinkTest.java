package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.health.v1.HealthVerdictServiceGrpc;
import drover.health.v1.Verdict;
import drover.health.v1.VerdictOutcome;
import drover.health.v1.WatchRequest;
import drover.health.v1.WatchResponse;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.model.NodeId;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Silence is measured on a manual clock, which the link checks twice a second. */
final class GrpcHealthEvaluatorLinkTest {
    private static final Duration NO_HEARTBEAT = Duration.ofMillis(500);
    private static final Duration SOON = Waits.LIMIT;
    private static final NodeId NODE = new NodeId("n1");
    private static final WatchResponse BEAT = WatchResponse.getDefaultInstance();
    private static final WatchResponse HEALTHY =
            WatchResponse.newBuilder()
                    .addVerdicts(
                            Verdict.newBuilder()
                                    .setNodeId(NODE.value())
                                    .setAttempt(1)
                                    .setOutcome(VerdictOutcome.VERDICT_OUTCOME_HEALTHY))
                    .build();

    private final Address address = new Address.InProcess("evaluator-" + UUID.randomUUID());
    private final Evaluator evaluator = new Evaluator();
    private final Hearing hearing = new Hearing();
    private final AtomicLong nanos = new AtomicLong(-1);
    private GrpcServer host;
    private HealthEvaluatorLink link;

    @BeforeEach
    void open() {
        host = GrpcServer.builder().addService(evaluator).listen(address);
        link =
                GrpcHealthEvaluatorLink.open(
                        Channels.open(address), hearing, NO_HEARTBEAT, nanos::get);
        await().atMost(SOON).until(() -> !evaluator.coordinators.isEmpty());
    }

    @AfterEach
    void close() {
        link.close();
        host.close();
    }

    /** Returns when the link has processed the message: it requests the next one then. */
    private void send(WatchResponse message) {
        ServerCallStreamObserver<WatchResponse> coordinator = evaluator.coordinators.getFirst();
        coordinator.onNext(message);
        await().atMost(SOON).until(coordinator::isReady);
    }

    private void passes(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    @DisplayName("F3: an evaluator that was heard regularly and is not any more is lost, not right")
    void missingHeartbeatsEndTheLink() {
        send(BEAT);
        send(HEALTHY);
        passes(NO_HEARTBEAT);
        await().atMost(SOON).until(() -> hearing.ends.get() == 1);
        assertThat(hearing.verdicts).containsExactly(Map.of(NODE, new HealthVerdict.Healthy(1)));
    }

    @Test
    @DisplayName("who goes on saying that it is there is heard")
    void beatsKeepTheLink() {
        for (int beats = 0; beats < 10; beats++) {
            send(BEAT);
            passes(NO_HEARTBEAT.dividedBy(2));
        }
        await().during(NO_HEARTBEAT.multipliedBy(3))
                .atMost(SOON)
                .until(() -> hearing.ends.get() == 0);
    }

    @Test
    @DisplayName("C15: an evaluator of before, which says nothing while there is nothing, is heard")
    void onlyWhoStartedToBeatIsMissed() {
        send(HEALTHY);
        passes(NO_HEARTBEAT.multipliedBy(10));
        await().during(NO_HEARTBEAT.multipliedBy(3))
                .atMost(SOON)
                .until(() -> hearing.ends.get() == 0);
    }

    private static final class Hearing implements HealthEvaluatorLink.Listener {
        private final List<Map<NodeId, HealthVerdict>> verdicts = new CopyOnWriteArrayList<>();
        private final AtomicInteger ends = new AtomicInteger();

        @Override
        public void onOpened() {}

        @Override
        public void onVerdicts(Map<NodeId, HealthVerdict> fresh) {
            verdicts.add(fresh);
        }

        @Override
        public void onClosed() {
            ends.incrementAndGet();
        }
    }

    /** Says only what it is told to. */
    private static final class Evaluator
            extends HealthVerdictServiceGrpc.HealthVerdictServiceImplBase {
        private final List<ServerCallStreamObserver<WatchResponse>> coordinators =
                new CopyOnWriteArrayList<>();

        @Override
        public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> coordinator) {
            coordinators.add((ServerCallStreamObserver<WatchResponse>) coordinator);
            return new StreamObserver<>() {
                @Override
                public void onNext(WatchRequest request) {}

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {
                    coordinator.onCompleted();
                }
            };
        }
    }
}
