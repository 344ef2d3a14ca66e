package drover.evaluator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.util.Durations;
import drover.evaluator.HealthEvaluator;
import drover.evaluator.HealthEvaluatorListenConfig;
import drover.evaluator.Waits;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.ProgramObservation;
import drover.evaluator.peers.InMemoryHeartbeatFeed;
import drover.health.v1.FindingCode;
import drover.health.v1.Gateways;
import drover.health.v1.HealthPolicy;
import drover.health.v1.HealthVerdictServiceGrpc;
import drover.health.v1.Unwatch;
import drover.health.v1.Verdict;
import drover.health.v1.VerdictOutcome;
import drover.health.v1.Watch;
import drover.health.v1.WatchRequest;
import drover.health.v1.WatchResponse;
import drover.health.v1.Watches;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.SyncStatus;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HealthVerdictGrpcServiceTest {
    private static final Address GATEWAY = new Address.InProcess("gateway-a");
    private static final Address OTHER_GATEWAY = new Address.InProcess("gateway-b");
    private static final NodeId N1 = new NodeId("n1");
    private static final String TARGET = Digest.of("new").value();

    private final InMemoryHeartbeatFeed feed = new InMemoryHeartbeatFeed();
    private final Address address = new Address.InProcess(UUID.randomUUID().toString());
    private HealthEvaluator evaluator;
    private ManagedChannel channel;

    @BeforeEach
    void openServer() {
        evaluator = HealthEvaluator.start(new HealthEvaluatorListenConfig(address), feed);
        channel = Channels.open(address);
    }

    @AfterEach
    void stopServer() {
        evaluator.close();
        channel.shutdownNow();
    }

    @Test
    @DisplayName("F3: a watch without a heartbeat is NO_DATA, said at once")
    void reportsNoDataAtOnce() {
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(watch(1));

        Verdict verdict = coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_NO_DATA);

        assertThat(verdict.getNodeId()).isEqualTo("n1");
        assertThat(verdict.getAttempt()).isEqualTo(1);
        assertThat(verdict.getFindings(0).getSentence()).isNotEmpty();
    }

    @Test
    void reportsSettlingThenHealthyOnceEach() {
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(watch(1));

        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 1));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_SETTLING);
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 2));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 3));
        Verdict healthy = coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);

        assertThat(healthy.getFindingsList()).isEmpty();
        assertThat(healthy.getHealthyFor().getSeconds()).isEqualTo(3);
        assertThat(healthy.getRunningDigest()).isEqualTo(TARGET);
        assertThat(coordinator.outcomes().stream().distinct().toList())
                .hasSameSizeAs(coordinator.outcomes());
    }

    @Test
    @DisplayName("A hold survives its evaluator: the node counts it")
    void aHoldSurvivesItsEvaluator() {
        Coordinator before = new Coordinator().gateways(GATEWAY).watches(watch(1));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 2));
        before.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_SETTLING);

        stopServer();
        openServer();
        assertThat(before.refusal()).isEqualTo(RefusalCode.GATEWAY_UNAVAILABLE);
        Coordinator after = new Coordinator().gateways(GATEWAY).watches(watch(1));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 3));

        after.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
    }

    @Test
    @DisplayName("F3: silence turns healthy into NO_DATA with nobody saying anything")
    void detectsMissingHeartbeats() {
        Watch shortWatch =
                watch(1).toBuilder()
                        .setPolicy(
                                HealthPolicy.newBuilder()
                                        .setHeartbeatTimeout(Durations.fromMillis(300)))
                        .build();
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(shortWatch);
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 60));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);

        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                coordinator.outcomes().getLast()
                                        == VerdictOutcome.VERDICT_OUTCOME_NO_DATA);
    }

    @Test
    void nodeThatMovedToAnotherGatewayIsNotOffline() {
        Coordinator coordinator =
                new Coordinator().gateways(GATEWAY, OTHER_GATEWAY).watches(watch(1));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 60));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
        coordinator.forgets();

        feed.sendHeartbeat(OTHER_GATEWAY, N1, heartbeat(1, 61));
        feed.disconnect(GATEWAY, N1);
        feed.sendHeartbeat(OTHER_GATEWAY, N1, critical(1));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_SETTLING);
        assertThat(coordinator.codes()).doesNotContain(FindingCode.FINDING_CODE_NODE_OFFLINE);

        feed.disconnect(OTHER_GATEWAY, N1);
        await().atMost(Waits.LIMIT)
                .until(() -> coordinator.codes().contains(FindingCode.FINDING_CODE_NODE_OFFLINE));
    }

    @Test
    @DisplayName("F1: a later attempt's watch does not take the earlier one's heartbeats")
    void aReplacedWatchJudgesItsOwnAttempt() {
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(watch(1));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 60));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);

        coordinator.watches(watch(2));

        await().atMost(Waits.LIMIT)
                .until(() -> coordinator.codes().contains(FindingCode.FINDING_CODE_OTHER_ATTEMPT));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(2, 60));
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                coordinator.verdicts().getLast().getAttempt() == 2
                                        && coordinator.outcomes().getLast()
                                                == VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
    }

    @Test
    void endedWatchUnsubscribesAndReportsNothing() {
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(watch(1));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_NO_DATA);

        coordinator.unwatches("n1");

        await().atMost(Waits.LIMIT).until(() -> feed.watchedNodes(GATEWAY).isEmpty());
        int received = coordinator.verdicts().size();
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 60));
        coordinator.watches(watch(1).toBuilder().setNodeId("n2").build());
        await().atMost(Waits.LIMIT).until(() -> coordinator.verdicts().size() > received);
        assertThat(coordinator.verdicts().getLast().getNodeId()).isEqualTo("n2");
    }

    @Test
    void addedGatewayReceivesAllWatchedNodes() {
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(watch(1));
        feed.sendHeartbeat(OTHER_GATEWAY, N1, heartbeat(1, 60));

        coordinator.gateways(GATEWAY, OTHER_GATEWAY);

        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
    }

    @Test
    void refusesWatchesBeforeGateways() {
        assertThat(new Coordinator().watches(watch(1)).refusal())
                .isEqualTo(RefusalCode.INVALID_FIELD);
    }

    @ParameterizedTest
    @MethodSource("badWatches")
    @DisplayName(
            "F3, C15: a watch that cannot be judged by is no data of its node; others are judged")
    void judgesAllOthersBesideABadWatch(Watch bad, String why) {
        Coordinator coordinator =
                new Coordinator()
                        .gateways(GATEWAY)
                        .watches(of("n2", watch(1)), bad, of("n3", watch(1)));
        for (String node : List.of("n1", "n2", "n3")) {
            feed.sendHeartbeat(GATEWAY, new NodeId(node), heartbeat(1, 60));
        }

        coordinator.awaitVerdict("n2", VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
        coordinator.awaitVerdict("n3", VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
        Verdict refused = coordinator.awaitVerdict("n1", VerdictOutcome.VERDICT_OUTCOME_NO_DATA);
        assertThat(refused.getAttempt()).isEqualTo(bad.getAttempt());
        assertThat(refused.getFindingsList())
                .singleElement()
                .satisfies(
                        finding -> {
                            assertThat(finding.getCode())
                                    .isEqualTo(FindingCode.FINDING_CODE_WATCH_REFUSED);
                            assertThat(finding.getSentence()).contains(why);
                        });
        assertThat(coordinator.outcomes("n1")).containsOnly(VerdictOutcome.VERDICT_OUTCOME_NO_DATA);
    }

    static Stream<Arguments> badWatches() {
        UnknownFieldSet more =
                UnknownFieldSet.newBuilder()
                        .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                        .build();
        return Stream.of(
                Arguments.of(watch(0), "needs its attempt"),
                Arguments.of(watch(1).toBuilder().clearRunId().build(), "needs its attempt"),
                Arguments.of(watch(1).toBuilder().clearDigest().build(), "INVALID_FIELD in digest"),
                Arguments.of(
                        watch(1).toBuilder().clearProgram().build(), "INVALID_FIELD in program"),
                Arguments.of(
                        watch(1).toBuilder()
                                .setSoakTime(
                                        com.google.protobuf.Duration.newBuilder()
                                                .setSeconds(Long.MAX_VALUE))
                                .build(),
                        "span of time"),
                Arguments.of(
                        watch(1).toBuilder()
                                .setPolicy(HealthPolicy.newBuilder().setUnknownFields(more))
                                .build(),
                        "UNKNOWN_CONTENT): A later version said field 900 of policy"));
    }

    @Test
    @DisplayName(
            "F3: what cannot be judged by ends the watch before it, and a good one begins anew")
    void aBadWatchTakesThePlaceOfTheOneBefore() {
        Coordinator coordinator = new Coordinator().gateways(GATEWAY).watches(watch(1));
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(1, 60));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);
        coordinator.forgets(); // also "no data" before the heartbeat

        coordinator.watches(watch(2).toBuilder().clearRunId().build());
        Verdict refused = coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_NO_DATA);
        coordinator.forgets();
        feed.sendHeartbeat(GATEWAY, N1, heartbeat(2, 60));
        coordinator.watches(watch(2));

        assertThat(refused.getAttempt()).isEqualTo(2);
        assertThat(coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY).getAttempt())
                .isEqualTo(2);
    }

    @Test
    @DisplayName("a watch of what no node is called is left out, and the others are judged")
    void judgesAllOthersBesideOneWithoutANode() {
        Coordinator coordinator =
                new Coordinator()
                        .gateways(GATEWAY)
                        .watches(of("N 1", watch(1)), of("n2", watch(1)));
        coordinator.unwatches("N 1");
        feed.sendHeartbeat(GATEWAY, new NodeId("n2"), heartbeat(1, 60));

        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_HEALTHY);

        assertThat(coordinator.verdicts()).allMatch(it -> it.getNodeId().equals("n2"));
    }

    @Test
    @DisplayName("C15: a kind of message that is not known is left out, and the watch goes on")
    void goesOnAfterAMessageOfALaterVersion() {
        UnknownFieldSet more =
                UnknownFieldSet.newBuilder()
                        .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                        .build();
        Coordinator coordinator =
                new Coordinator()
                        .gateways(GATEWAY)
                        .send(WatchRequest.newBuilder().setUnknownFields(more))
                        .watches(watch(1));
        coordinator.awaitVerdict(VerdictOutcome.VERDICT_OUTCOME_NO_DATA);
    }

    private static Watch watch(long attempt) {
        return Watch.newBuilder()
                .setNodeId("n1")
                .setAttempt(attempt)
                .setProgram("chain")
                .setRunId("run-2")
                .setDigest(TARGET)
                .setSoakTime(Durations.fromSeconds(3))
                .build();
    }

    private static Watch of(String node, Watch watch) {
        return watch.toBuilder().setNodeId(node).build();
    }

    private static Heartbeat heartbeat(long attempt, int seconds) {
        return heartbeat(attempt, seconds, ApplicationHealth.OK);
    }

    private static Heartbeat critical(long attempt) {
        return heartbeat(attempt, 0, ApplicationHealth.CRITICAL);
    }

    private static Heartbeat heartbeat(long attempt, int seconds, ApplicationHealth health) {
        Duration healthyFor = Duration.ofSeconds(seconds);
        return new Heartbeat(
                attempt,
                List.of(
                        new ProgramObservation(
                                "chain",
                                "run-2",
                                TARGET,
                                "",
                                healthyFor,
                                healthyFor,
                                0,
                                health,
                                SyncStatus.SYNCED,
                                List.of())));
    }

    /** A coordinator as the door sees it. */
    private final class Coordinator implements StreamObserver<WatchResponse> {
        private final List<Verdict> verdicts = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        private final StreamObserver<WatchRequest> requests =
                HealthVerdictServiceGrpc.newStub(channel).watch(this);

        Coordinator gateways(Address... gateways) {
            Gateways.Builder list = Gateways.newBuilder();
            List.of(gateways).forEach(gateway -> list.addAddresses(gateway.toString()));
            return send(WatchRequest.newBuilder().setGateways(list));
        }

        Coordinator watches(Watch... watches) {
            return send(
                    WatchRequest.newBuilder()
                            .setWatches(Watches.newBuilder().addAllWatches(List.of(watches))));
        }

        void unwatches(String node) {
            send(WatchRequest.newBuilder().setUnwatch(Unwatch.newBuilder().addNodeIds(node)));
        }

        private Coordinator send(WatchRequest.Builder request) {
            requests.onNext(request.build());
            return this;
        }

        Verdict awaitVerdict(VerdictOutcome outcome) {
            await().atMost(Waits.LIMIT).until(() -> outcomes().contains(outcome));
            return verdicts.stream().filter(v -> v.getOutcome() == outcome).findFirst().get();
        }

        Verdict awaitVerdict(String node, VerdictOutcome outcome) {
            await().atMost(Waits.LIMIT).until(() -> outcomes(node).contains(outcome));
            return of(node).filter(v -> v.getOutcome() == outcome).findFirst().orElseThrow();
        }

        List<VerdictOutcome> outcomes(String node) {
            return of(node).map(Verdict::getOutcome).toList();
        }

        private Stream<Verdict> of(String node) {
            return verdicts.stream().filter(verdict -> verdict.getNodeId().equals(node));
        }

        List<Verdict> verdicts() {
            return List.copyOf(verdicts);
        }

        List<VerdictOutcome> outcomes() {
            return verdicts.stream().map(Verdict::getOutcome).toList();
        }

        List<FindingCode> codes() {
            return verdicts.stream()
                    .flatMap(v -> v.getFindingsList().stream())
                    .map(f -> f.getCode())
                    .toList();
        }

        void forgets() {
            verdicts.clear();
        }

        RefusalCode refusal() {
            Throwable cause = failure.orTimeout(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            return RefusalParser.from((StatusRuntimeException) cause)
                    .map(Refused::code)
                    .orElseThrow();
        }

        @Override
        public void onNext(WatchResponse response) {
            verdicts.addAll(response.getVerdictsList());
        }

        @Override
        public void onError(Throwable cause) {
            failure.complete(cause);
        }

        @Override
        public void onCompleted() {}
    }
}
