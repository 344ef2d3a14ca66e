package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import drover.coordinator.Waits;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class EtcdElectorIT extends SharedElectorContract {
    private static final Duration TTL = Duration.ofSeconds(6); // a third of it without an answer
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final ByteSequence KEYS =
            ByteSequence.from("drover/rollout-leader/", StandardCharsets.UTF_8);
    private static List<EtcdServer> members = List.of();

    @BeforeAll
    static void startAMember() {
        members = EtcdServer.cluster(1);
    }

    @AfterAll
    static void endIt() {
        members.forEach(EtcdServer::close);
    }

    @AfterEach
    void noKeyIsLeft() {
        closeAll();
        try (Client client = client()) {
            await().atMost(SOON).until(() -> keys(client).isEmpty());
        }
    }

    private static EtcdServer member() {
        return members.getFirst();
    }

    @Override
    Lease.Factory leases(Duration length) {
        return new EtcdLeaseFactory(List.of(member().endpoint()), length);
    }

    @Override
    Duration ttl() {
        return TTL;
    }

    private static Client client() {
        return Client.builder().endpoints(member().endpoint()).build();
    }

    private static List<KeyValue> keys(Client client) throws Exception {
        return client.getKVClient()
                .get(KEYS, GetOption.builder().isPrefix(true).build())
                .get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                .getKvs();
    }

    private static long lease() {
        try (Client client = client()) {
            return keys(client).getFirst().getLease();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    void revoke() {
        try (Client client = client()) {
            client.getLeaseClient().revoke(lease()).get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aKeyThatIsDeletedEndsIt() throws Exception {
        RecordingCandidate alone = campaign("alone");
        awaitElected(alone);
        await().atMost(SOON).until(() -> alone.calls().size() == 1);
        long before = lease();

        try (Client client = client()) {
            client.getKVClient()
                    .delete(keys(client).getFirst().getKey())
                    .get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(alone.calls())
                                        .containsExactly("elected: true", "lost", "elected: true"));
        assertThat(lease()).as("a new lease").isNotEqualTo(before);
    }

    @Test
    @DisplayName("B5, B9: etcd hangs: lost within the lease; afterwards a new lease and candidacy")
    @Faults(
            rule = "B5 (a leader steps down before its lease expires)",
            sample = "EtcdElectorIT.theDeadAreFollowedWhenTheirLeaseHasEndedAndNotBefore")
    void anEtcdThatHangsEndsItWithinTheLease() {
        RecordingCandidate alone = campaign("alone");
        awaitElected(alone);
        await().atMost(SOON).until(() -> alone.calls().size() == 1);
        long before = lease();
        long started = System.nanoTime();

        member().pause();
        try {
            await().atMost(SOON).until(() -> !alone.isElected());
            Waits.measured(
                    "EtcdElectorIT: etcd hangs: lost",
                    Duration.ofNanos(System.nanoTime() - started),
                    TTL);
            await().atMost(SOON).until(() -> alone.calls().contains("lost"));
            await().pollDelay(TTL).atMost(SOON).until(() -> true); // etcd's lease ends, too
        } finally {
            member().resume();
        }

        awaitElected(alone);
        assertThat(lease()).as("a new lease").isNotEqualTo(before);
    }

    @Test
    @Faults(
            rule = "B9 (with a quorum of etcd again a leader is elected)",
            sample = "EtcdElectorIT.aCandidateLivesWithoutOneMemberAndNotWithoutTwo")
    void aMemberThatIsStartedAgainIsFoundAgain() {
        RecordingCandidate alone = campaign("alone");
        awaitElected(alone);

        member().kill();
        await().atMost(SOON).until(() -> !alone.isElected());
        member().start();

        awaitElected(alone);
    }

    @Test
    @DisplayName("B9: one of three members may go; without two nobody is elected, with them again")
    void aCandidateLivesWithoutOneMemberAndNotWithoutTwo() {
        List<EtcdServer> three = EtcdServer.cluster(3);
        List<URI> endpoints = three.stream().map(EtcdServer::endpoint).toList();
        try {
            RecordingCandidate alone =
                    campaign("alone", new LeaseElector(new EtcdLeaseFactory(endpoints, TTL), TTL));
            awaitElected(alone);

            three.get(0).kill();
            awaitElected(alone); // it may be lost while etcd elects a leader of its own
            await().during(ROUND).atMost(SOON).until(alone::isElected);
            three.get(1).kill();
            await().atMost(SOON).until(() -> !alone.isElected());
            await().during(ROUND).atMost(SOON).until(() -> !alone.isElected());
            three.get(1).start();

            awaitElected(alone);
            alone.close();
        } finally {
            three.forEach(EtcdServer::close);
        }
    }
}
