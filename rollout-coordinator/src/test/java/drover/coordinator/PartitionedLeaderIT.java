package drover.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.election.ElectorConfig;
import drover.coordinator.election.EtcdServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two whole coordinators that a real etcd elects, and a database that not everybody reaches. */
@Faults(
        rule = "D-125 (a leader without a database resigns after the length of a lease)",
        sample = "LeaseElectorTest.withoutAStoreForALeaseItResignsAndAnotherLeads")
final class PartitionedLeaderIT {
    private static final Duration TTL = Duration.ofSeconds(6); // a third of it without an answer
    private static final Duration SOON = Waits.LIMIT;
    private static final int CONNECTIONS = 12;

    private List<EtcdServer> members = List.of();
    private CoordinatorPair pair;

    @BeforeEach
    void startEtcdAndTheDatabase() {
        members = EtcdServer.cluster(1);
        pair =
                new CoordinatorPair(
                        new ElectorConfig.Etcd(
                                        members.stream().map(EtcdServer::endpoint).toList(),
                                        TTL,
                                        Optional.empty())
                                ::createElector);
    }

    @AfterEach
    void closeAll() {
        if (pair != null) {
            pair.close();
        }
        members.forEach(EtcdServer::close);
    }

    @Test
    @DisplayName(
            "D-125: cut off from PostgreSQL and not from etcd, a leader lets the other one lead")
    void aLeaderThatIsCutOffFromTheDatabaseLetsTheOtherLead() {
        RolloutCoordinator first = pair.first(CONNECTIONS);
        await().atMost(SOON).until(first::leads);
        RolloutCoordinator second = pair.second(CONNECTIONS);
        long started = System.nanoTime();

        pair.wire.freeze();
        await().atMost(SOON).until(second::leads);

        Waits.measured(
                "CutOffLeaderIT: cut off from the database: followed",
                Duration.ofNanos(System.nanoTime() - started),
                TTL.plusSeconds(5));
        await().atMost(SOON).until(() -> !first.leads());
        long epoch = pair.epoch();
        pair.wire.thaw();
        await().during(TTL).atMost(SOON).until(() -> second.leads() && !first.leads());
        assertThat(pair.epoch()).as("and nobody takes over from it").isEqualTo(epoch);
    }

    @Test
    @DisplayName(
            "D-125: whose connections are all lent, and mute, goes on leading where a new one is"
                    + " answered")
    void aLeaderWhoseConnectionsAreUnresponsiveGoesOnWhereNewOnesAreAnswered() {
        RolloutCoordinator first = pair.first(CONNECTIONS);
        await().atMost(SOON).until(first::leads);
        RolloutCoordinator second = pair.second(CONNECTIONS);

        pair.lendAllOf(first);
        pair.wire.dropTraffic();

        await().during(TTL.multipliedBy(3))
                .atMost(SOON)
                .until(() -> first.leads() && !second.leads());
    }

    @Test
    @DisplayName("D-125: with PostgreSQL away for everybody nobody leads, and afterwards one does")
    void withoutADatabaseThereIsNoLeader() {
        RolloutCoordinator first = pair.first(CONNECTIONS);
        await().atMost(SOON).until(first::leads);
        RolloutCoordinator other = pair.alike(CONNECTIONS);

        pair.wire.freeze();
        await().atMost(SOON).until(() -> !first.leads());
        await().during(TTL).atMost(SOON).until(() -> !first.leads() && !other.leads());
        pair.wire.thaw();

        await().atMost(SOON).until(() -> first.leads() != other.leads());
    }
}
