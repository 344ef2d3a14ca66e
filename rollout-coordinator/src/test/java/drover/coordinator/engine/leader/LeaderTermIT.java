package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import drover.coordinator.Waits;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LeaderTermIT {
    private static final int NODES = 3;
    private static final Duration SOON = Waits.LIMIT;
    @AutoClose private TermFixture rig;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", NODES, 1));
    }

    private void awaitState(Class<? extends RolloutState> state) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(rig.rollout().state()).isInstanceOf(state));
    }

    @Test
    @DisplayName("C10, G1: it completes, and nothing is acknowledged that is not in the database")
    void completesAndAcknowledgesOnlyWhatIsCommitted() {
        Queue<String> early = new ConcurrentLinkedQueue<>();
        rig.gateway.onAcknowledgement(
                ack -> {
                    long committed =
                            rig.database.count(
                                    "SELECT count(*) FROM node_attempt WHERE node_id = ?"
                                            + " AND attempt = ? AND sequence >= ?",
                                    ack.node().value(),
                                    ack.attempt(),
                                    ack.sequence());
                    if (committed == 0) {
                        early.add(ack.toString());
                    }
                });
        rig.lead();
        rig.submit(new OperatorRequest.Start());

        awaitState(RolloutState.Completed.class);

        assertThat(early).isEmpty();
        await().atMost(SOON).until(() -> rig.gateway.isAcknowledged(rig.node(NODES)));
        assertThat(rig.deliveries()).as("one command a node, never twice").hasSize(NODES);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    void loadsWhatItLeadsWhileItConnectsToGateways() {
        CountDownLatch loaded = new CountDownLatch(1);
        LeaderStore noted =
                rig.around(
                        (method, arguments, real) -> {
                            Object answer = real.go();
                            if (method.equals("load")) {
                                loaded.countDown();
                            }
                            return answer;
                        });
        CompletableFuture<Boolean> meanwhile = new CompletableFuture<>();

        rig.lead(
                noted,
                (address, epoch, leader, events) -> {
                    meanwhile.complete(isReached(loaded));
                    return rig.gateway.attach(address, epoch, leader, events);
                });

        assertThat(meanwhile.join()).isTrue();
    }

    private static boolean isReached(CountDownLatch latch) {
        try {
            return latch.await(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    @DisplayName("C10: a status received but not committed is taken in by the next leader")
    void aStatusThatWasNotCommittedIsTakenInByTheNextLeader() {
        AtomicBoolean lost = new AtomicBoolean();
        LeaderStore dying =
                rig.around(
                        (method, arguments, real) -> {
                            if (method.equals("commit")
                                    && !((Commit) arguments[0]).statuses().isEmpty()) {
                                lost.set(true);
                                throw new StoreUnavailable(
                                        "dying", new IllegalStateException("cut"));
                            }
                            return real.go();
                        });
        LeaderTerm first = rig.lead(dying);
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).untilTrue(lost);
        first.close();
        assertThat(rig.gateway.isAcknowledged(rig.node(1))).isFalse();

        rig.lead();

        awaitState(RolloutState.Completed.class);
        await().atMost(SOON).until(() -> rig.gateway.isAcknowledged(rig.node(1)));
        assertThat(rig.deliveries()).hasSize(NODES);
    }

    @Test
    @DisplayName("B8: a commit that happened although it seemed to fail is not done again")
    void anAmbiguousCommitIsSettledByReading() {
        AtomicInteger commits = new AtomicInteger();
        LeaderStore ambiguous =
                rig.around(
                        (method, arguments, real) -> {
                            Object result = real.go();
                            if (method.equals("commit") && commits.incrementAndGet() % 3 == 0) {
                                throw new StoreUnavailable(
                                        "committing", new IllegalStateException("cut"));
                            }
                            return result;
                        });
        rig.lead(ambiguous);
        rig.submit(new OperatorRequest.Start());

        awaitState(RolloutState.Completed.class);

        assertThat(commits.get()).as("it happened").isGreaterThan(3);
        assertThat(rig.database.count("SELECT count(*) FROM node_attempt")).isEqualTo(NODES);
        assertThat(rig.database.count("SELECT count(*) FROM history WHERE to_status = 'assigned'"))
                .isEqualTo(NODES);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    @DisplayName("B1, B3: of two terms the older steps down and writes nothing more")
    void theOlderOfTwoTermsStepsDown() {
        LeaderTerm older = rig.lead();
        rig.submit(new OperatorRequest.Start());
        LeaderTerm younger = rig.lead();
        long written = rig.database.count("SELECT count(*) FROM history WHERE epoch = 1");

        await().atMost(SOON).until(older::hasEnded);
        awaitState(RolloutState.Completed.class);

        assertThat(younger.hasEnded()).isFalse();
        assertThat(rig.database.count("SELECT count(*) FROM history WHERE epoch = 1"))
                .isEqualTo(written);
        assertThat(rig.database.count("SELECT count(*) FROM node_attempt")).isEqualTo(NODES);
    }

    @Test
    @DisplayName("A12: work that no agent began is withdrawn, though the agent knows no rollout")
    void workThatWasNeverSeenIsWithdrawn() {
        rig.gateway.onDelivery(
                delivery -> {
                    if (delivery instanceof MessageToNode.Withdraw) {
                        rig.obey(delivery);
                    }
                });
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> state(1) instanceof NodeState.Assigned);
        rig.submit(new OperatorRequest.Cancel());

        awaitState(RolloutState.Cancelled.class);

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(
                                                rig.database.count(
                                                        "SELECT count(*) FROM node_attempt WHERE open"))
                                        .isZero());
    }

    @Test
    @DisplayName("R1, C6: a status after the end of its rollout is written down, then acknowledged")
    void aStatusAfterTheEndIsWrittenDownAndAcknowledged() {
        rig.expireCommandsAfter(Duration.ofSeconds(2));
        rig.gateway.onDelivery(delivery -> {}); // the agent hears nothing
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> state(1) instanceof NodeState.Unreachable);
        rig.submit(new OperatorRequest.Cancel());
        awaitState(RolloutState.Cancelled.class);

        rig.report(rig.node(1), 1, AttemptOutcome.SUCCEEDED);

        await().atMost(SOON).until(() -> rig.gateway.isAcknowledged(rig.node(1)));
        assertThat(rig.rollout().nodes().get(rig.node(1)))
                .satisfies(node -> assertThat(node.installedBy()).isEqualTo(1));
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    @DisplayName("A12, R1: work that outlived its rollout is withdrawn until its agent says so")
    @Faults(
            rule = "A12 (work that no agent started is withdrawn)",
            sample = "LeaderTermIT.workThatWasNeverSeenIsWithdrawn")
    void straysAreWithdrawnAfterTheEnd() {
        AtomicBoolean listening = new AtomicBoolean();
        Queue<MessageToNode> received = new ConcurrentLinkedQueue<>();
        rig.gateway.onDelivery(
                delivery -> {
                    if (listening.get()) {
                        received.add(delivery);
                        rig.obey(delivery);
                    }
                });
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> state(1) instanceof NodeState.Unreachable);
        rig.submit(new OperatorRequest.Cancel());
        awaitState(RolloutState.Cancelled.class);
        long open = openAttempts();

        listening.set(true);

        await().atMost(SOON).until(() -> openAttempts() == 0);
        assertThat(open).as("an attempt outlived the rollout").isEqualTo(1);
        assertThat(received)
                .isNotEmpty()
                .allSatisfy(
                        delivery ->
                                assertThat(delivery).isInstanceOf(MessageToNode.Withdraw.class));
        assertThat(rig.rollout().state()).isInstanceOf(RolloutState.Cancelled.class);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    private long openAttempts() {
        return rig.database.count("SELECT count(*) FROM node_attempt WHERE open");
    }

    @Test
    void aRequestTowardsMoreRiskExpires() {
        UUID request = rig.submit(new OperatorRequest.Start());
        rig.database.run("UPDATE operator_request SET created_at = now() - interval '61 seconds'");

        rig.lead();

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(
                                                rig.database
                                                        .row("SELECT * FROM operator_request")
                                                        .get("refusal_code"))
                                        .isEqualTo("REQUEST_EXPIRED"));
        assertThat(rig.database.row("SELECT id FROM operator_request").get("id"))
                .isEqualTo(request);
        assertThat(rig.rollout().state()).isInstanceOf(RolloutState.Pending.class);
    }

    private NodeState state(int number) {
        NodeId node = rig.node(number);
        return java.util.Objects.requireNonNull(rig.rollout().nodes().get(node)).state();
    }
}
