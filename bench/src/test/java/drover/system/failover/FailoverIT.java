package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.AcknowledgedStatusLog;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.Waits;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rollout over ten agents, while leaders and gateways are killed, frozen and restarted. It
 * finishes, no node is failed for it, and what was written, what was told and what truly happened
 * agree.
 *
 * <p>Everything is proven in it that can be ({@link FullSecurity}): all certificates of services
 * are replaced in the moment in which the leader is killed, and all agents renew theirs meanwhile.
 */
@DisplayName("B1 B6 C1 C10 C12: whatever is killed, the rollout finishes as if nothing had been")
@Faults(
        rule = "B6 (the next leader completes the remaining work)",
        sample = "LeaderTermIT.aStatusThatWasNotCommittedIsTakenInByTheNextLeader")
class FailoverIT {
    private static final int NODES = 10;
    private static final Duration SOON = Duration.ofMinutes(3);

    /** Time to live of the lease, and what the issue allows beyond it. */
    private static final Duration DECISION =
            Duration.ofSeconds(ReplicatedDeployment.TTL_SECONDS + 5);

    /**
     * What a leader that is asked to end may take until the other one decides: ten times the 0.2 s
     * of the issue, and less than a lease, which is not waited for.
     */
    private static final Duration HANDED_OVER = Duration.ofSeconds(2);

    /** What a frozen leader holds open is ended after that (B7). */
    private static final Duration SESSIONS_ENDED = Duration.ofSeconds(2);

    /** Agents here dial within 5 s, where usual ones take up to 60 s (I1: all within 120 s). */
    private static final Duration BACK = Duration.ofSeconds(12);

    /** One in so many victims falls while certificates are replaced. */
    private static final int REPLACED = 4;

    @TempDir Path folder;
    private FullSecurity security;
    @AutoClose private ReplicatedDeployment deployment;
    @AutoClose private RetryingClient client;
    private ConsistencyCheck check;
    private final Map<String, BenchRelease> targets = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        security =
                new FullSecurity(folder.resolve("secured"), FullSecurity.RENEWED_WITHIN_A_MINUTE);
        deployment = new ReplicatedDeployment(folder, NODES, security);
        client = new RetryingClient(deployment.coordinators(), security);
        check = new ConsistencyCheck(deployment, client, NODES);
    }

    @Test
    @Timeout(600)
    void aRolloutFinishesThroughKillsAndRestarts() throws Exception {
        String rollout = started(BenchRelease.V1);
        try (MonotonicReadClient onlooker =
                MonotonicReadClient.at(deployment.coordinators(), security, rollout)) {
            awaitSucceeded(rollout, 1);
            List<BigInteger> before = shown();
            String killed = deployment.leader();
            security.replaceCertificates();
            Duration afterKill = untilFollowed(rollout, killed, () -> deployment.kill(killed));
            deployment.start(killed);
            assertThat(deployment.leader()).isEqualTo(deployment.other(killed));

            awaitSucceeded(rollout, 3);
            deployment.awaitEndpoint(killed);
            awaitOtherCertificates(before);
            String frozen = deployment.leader();
            Duration afterFreeze =
                    untilFollowed(rollout, frozen, () -> deployment.signal(frozen, "STOP"));
            deployment.signal(frozen, "CONT");

            awaitSucceeded(rollout, 5);
            Duration back =
                    deployment.untilConnected(
                            "gateway-2", NODES, () -> deployment.kill("gateway-1"));
            assertThat(ended()).as("acknowledged ends of attempts").isGreaterThanOrEqualTo(4);
            assertThat(check.lost()).as("C10: after a gateway was killed").isEmpty();
            deployment.start("gateway-1");
            deployment.awaitStarted(
                    "gateway-1"); // one that takes nobody yet costs its agents a round
            Duration drained =
                    deployment.untilConnected(
                            "gateway-1", NODES, () -> deployment.end("gateway-2"));
            deployment.start("gateway-2");

            String last = underWay(rollout);
            String resigned = deployment.leader();
            Duration handedOver =
                    untilFollowed(last, resigned, () -> deployment.terminate(resigned));
            deployment.end(resigned);
            deployment.start(resigned);
            awaitCompleted(rollout);
            awaitCompleted(last);
            awaitRenewed();

            check.assertSound(targets);
            assertThat(onlooker.revisions()).isNotEmpty().isSorted();
            print("leader killed: next decision", afterKill, DECISION);
            print("leader frozen: next decision", afterFreeze, DECISION.plus(SESSIONS_ENDED));
            print("leader ended: next decision", handedOver, HANDED_OVER);
            print("gateway killed: all agents back", back, BACK);
            print("gateway ended: all agents elsewhere", drained, BACK);
            assertThat(deployment.isAlive(frozen)).as("it woke, and stood by").isTrue();
        }
    }

    /**
     * Somebody pauses and resumes all the time, by whoever will lead, so that there is always
     * something to decide: what agents need for a step would be measured otherwise.
     */
    private Duration untilFollowed(String rollout, String leader, Runnable what) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        client.turnTo(leader.endsWith("1") ? 1 : 0);
        try (ExecutorService others = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> busy = others.submit(() -> pauseAndResume(rollout, over));
            Duration took = deployment.untilNextDecision(what);
            over.set(true);
            busy.get();
            return took;
        }
    }

    private void pauseAndResume(String rollout, AtomicBoolean over) {
        while (!over.get()) {
            if (client.pause(rollout) == ResponseOutcome.APPLIED) {
                await().atMost(SOON).until(() -> client.resume(rollout) == ResponseOutcome.APPLIED);
            }
        }
    }

    @Test
    void rolloutsFinishForMinutesWhileVictimsAreDrawnByLot() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("FailoverIT: seed " + seed);
        Random random = new Random(seed);
        long until = System.nanoTime() + Duration.ofMinutes(Long.getLong("minutes", 10)).toNanos();
        BenchRelease from = BenchRelease.V1;
        while (System.nanoTime() < until) {
            String rollout = started(from);
            try (MonotonicReadClient onlooker =
                    MonotonicReadClient.at(deployment.coordinators(), security, rollout)) {
                for (int succeeded = 1; succeeded < NODES; succeeded += 2) {
                    awaitSucceeded(rollout, succeeded);
                    harm(random);
                }
                awaitCompleted(rollout);
                from = from.other();
                check.assertSound(targets);
                assertThat(onlooker.revisions()).isSorted();
            }
        }
    }

    private void harm(Random random) {
        String service =
                List.of("coordinator-", "gateway-", "health-").get(random.nextInt(3))
                        + (1 + random.nextInt(2));
        int how = random.nextInt(3);
        System.out.println("FailoverIT: " + List.of("kill ", "end ", "freeze ").get(how) + service);
        if (random.nextInt(REPLACED) == 0) {
            security.replaceCertificates();
        }
        if (how == 2) {
            deployment.signal(service, "STOP");
            await().atMost(Waits.LIMIT)
                    .pollDelay(Duration.ofMillis(500L + random.nextInt(8_000)))
                    .until(() -> true);
            deployment.signal(service, "CONT");
            return;
        }
        if (how == 0) {
            deployment.kill(service);
        } else {
            deployment.end(service);
        }
        deployment.start(service);
        deployment.awaitEndpoint(service);
    }

    /** What each door of the mesh shows. */
    private List<BigInteger> shown() {
        return deployment.endpoints().stream().map(security::shownAt).toList();
    }

    /** Nobody is restarted for it. */
    private void awaitOtherCertificates(List<BigInteger> before) {
        await().atMost(SOON)
                .ignoreExceptions() // of doors that are closed for a moment
                .untilAsserted(() -> assertThat(shown()).doesNotContainAnyElementsOf(before));
    }

    /** Each node has its next certificate by now, and that one alone, whoever was killed. */
    private void awaitRenewed() {
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(deployment.record().certificates()).containsOnly(2L));
    }

    /** The same one while it has nodes to go; on a machine too busy for that the way back. */
    private String underWay(String rollout) {
        awaitSucceeded(rollout, 7);
        if (deployment.ledger().progress(rollout).succeeded() < NODES - 1) {
            return rollout;
        }
        awaitCompleted(rollout);
        String back = started(BenchRelease.V2);
        awaitSucceeded(back, 1);
        return back;
    }

    private String started(BenchRelease from) {
        String rollout = client.create(from);
        targets.put(rollout, from.other());
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        return rollout;
    }

    /** How many attempts have ended, as nodes were told is known. */
    private long ended() throws IOException {
        return AcknowledgedStatusLog.read(deployment.acknowledged()).stream()
                .filter(each -> each.outcome().isTerminal())
                .map(each -> each.node() + " " + each.attempt())
                .distinct()
                .count();
    }

    private void awaitSucceeded(String rollout, int nodes) {
        await().atMost(SOON)
                .failFast("It has stopped.", () -> hasStoppedBeforeTheEnd(rollout))
                .until(() -> deployment.ledger().progress(rollout).succeeded() >= nodes);
    }

    private boolean hasStoppedBeforeTheEnd(String rollout) {
        var progress = deployment.ledger().progress(rollout);
        return progress.hasStopped() && !progress.status().equals("completed");
    }

    private void awaitCompleted(String rollout) {
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());
        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo("completed");
        assertThat(deployment.ledger().progress(rollout).succeeded()).isEqualTo(NODES);
    }

    private static void print(String what, Duration took, Duration most) {
        Waits.measured("FailoverIT: " + what, took, most);
    }
}
