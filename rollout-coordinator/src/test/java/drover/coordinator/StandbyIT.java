package drover.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.election.ElectorConfig;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.rollout.StoredRollout;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.StartRolloutRequest;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two coordinators that elect one of them by the lease table. */
@SuppressWarnings("NullAway.Init") // every test starts both first
final class StandbyIT {
    private static final Duration TTL = Duration.ofSeconds(6); // a third of it without an answer
    private static final Duration NEVER = Duration.ofHours(1); // ends in no test
    private static final Duration SOON = Waits.LIMIT;
    private static final int CONNECTIONS = 6;

    @AutoClose private CoordinatorPair pair;
    private RolloutCoordinator first;
    private RolloutCoordinator second;

    private void startBoth(Duration ttl) {
        pair = new CoordinatorPair(new ElectorConfig.LeaseTable(ttl)::createElector);
        first = pair.first(CONNECTIONS);
        await().atMost(SOON).until(first::leads);
        second = pair.second(CONNECTIONS);
    }

    @Test
    @DisplayName(
            "S4-5, S4-6: the one that stands by takes requests, and the leader carries them out")
    void followerServesOperators() {
        startBoth(NEVER);
        String id =
                StoredRollout.create(
                                pair.database,
                                Plan.rolling("demo", 2, 1).inRealTime(),
                                Instant.now())
                        .value();
        ManagedChannel channel = Channels.open(new Address.Tcp("127.0.0.1", second.grpcPort()));
        try {
            RolloutServiceBlockingStub standby = RolloutServiceGrpc.newBlockingStub(channel);
            standby.startRollout(
                    StartRolloutRequest.newBuilder().setRolloutId(id).setReason("now").build());

            await().atMost(SOON)
                    .until(
                            () ->
                                    standby.getRollout(
                                                            GetRolloutRequest.newBuilder()
                                                                    .setRolloutId(id)
                                                                    .build())
                                                    .getRollout()
                                                    .getStatus()
                                            == RolloutStatus.ROLLOUT_STATUS_RUNNING);
        } finally {
            channel.shutdownNow();
        }
        assertThat(second.leads()).isFalse();
        assertThat(pair.epoch()).as("nobody else has taken over").isEqualTo(1);
    }

    @Test
    @Faults(
            rule = "D-152 (a leader that ends is followed at once)",
            sample = "LeaseTableElectorIT.resignedLeaderIsFollowedAtOnce")
    void closedLeaderIsFollowedAtOnce() {
        startBoth(NEVER);
        long started = System.nanoTime();

        first.close();
        await().atMost(SOON).until(second::leads); // before the lease ends

        Waits.measured(
                "StandbyIT: closed: followed",
                Duration.ofNanos(System.nanoTime() - started),
                Duration.ofSeconds(2)); // the limit of FailoverIT
        assertThat(pair.epoch()).isEqualTo(2);
    }

    @Test
    @DisplayName("S4-21, B5: cut off it leads no more, and is followed when its lease has ended")
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "LeaseTableElectorIT.theDeadAreFollowedWhenTheirLeaseHasEndedAndNotBefore")
    void partitionedLeaderResignsAndIsFollowed() {
        startBoth(TTL);
        long started = System.nanoTime();

        pair.wire.freeze();
        await().atMost(SOON).until(second::leads);

        Waits.measured(
                "StandbyIT: cut off: followed",
                Duration.ofNanos(System.nanoTime() - started),
                TTL.plusSeconds(5));
        await().atMost(SOON).until(() -> !first.leads());
        pair.wire.thaw();
        await().during(TTL).atMost(SOON).until(() -> second.leads() && !first.leads());
        assertThat(pair.epoch()).isEqualTo(2);
    }
}
