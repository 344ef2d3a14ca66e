package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DatabaseStats.RolloutProgress;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.Waits;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.system.fault.Fault.Direction;
import drover.system.fault.FaultProxy;
import drover.system.fault.LeaderFaultPoint;
import drover.system.fault.NetworkPath;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A leader is killed, or frozen for longer than its lease lasts, at each {@link LeaderFaultPoint}
 * of its work, with a rollout in flight. The other one goes on, no node is harmed, and what was
 * written, what clients were told and what truly happened agree. That epochs grow whatever becomes
 * of etcd (B2) is seen by {@link EtcdLossIT}.
 */
@DisplayName("B1 B6 B7 B8 C1: wherever a leader is caught, the other goes on as if nothing were")
@Faults(
        rule = "B6 (the next leader completes the remaining work)",
        sample = "LeaderTermIT.aStatusThatWasNotCommittedIsTakenInByTheNextLeader")
class LeaderFaultPointsIT {
    private static final int NODES = 8;
    private static final int LAST_NODES = 3; // with fewer to go, another rollout is begun
    private static final Duration SOON = Duration.ofMinutes(3); // a busy machine

    /** A lease ends meanwhile, and what a frozen leader holds open is ended (B7). */
    private static final Duration FROZEN = FaultInjectedDeployment.TTL.multipliedBy(2);

    /** What the issue allows from a leader's kill to the next decision. */
    private static final Duration DECISION = FaultInjectedDeployment.TTL.plusSeconds(5);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2");

    @TempDir Path folder;
    @AutoClose private FaultInjectedDeployment deployment;
    @AutoClose private RetryingClient client;
    private ConsistencyCheck check;
    private final Map<String, BenchRelease> targets = new HashMap<>();
    private BenchRelease next = BenchRelease.V1;
    private String rollout = "";

    @BeforeEach
    void start() throws IOException {
        DeploymentSecurity security = DeploymentSecurity.fromEnvironment(folder);
        deployment =
                new FaultInjectedDeployment(
                        folder, NODES, FaultInjectedDeployment.Election.ETCD, security);
        client = new RetryingClient(deployment.endpoints(), security);
        check = new ConsistencyCheck(deployment, client, NODES);
    }

    @Test
    @Timeout(900)
    void killedLeaderIsFollowed() throws Exception {
        long started = System.nanoTime();
        for (LeaderFaultPoint place : LeaderFaultPoint.values()) {
            play(place, "killed", this::kill);
        }
        finish();
        System.out.printf(
                "LeaderFaultPointsIT: all places took %d s%n",
                Duration.ofNanos(System.nanoTime() - started).toSeconds());
    }

    /** All places once at the least, however few minutes are asked for. */
    @Test
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void minutesOfLeadersThatAreFrozenAndKilledAtEachPlaceInTurn() throws Exception {
        long until = System.nanoTime() + Duration.ofMinutes(Long.getLong("minutes", 10)).toNanos();
        do {
            for (LeaderFaultPoint place : LeaderFaultPoint.values()) {
                play(place, "frozen", this::freeze);
                play(place, "killed", this::kill);
            }
            finish();
        } while (System.nanoTime() < until);
    }

    private interface Harm {
        void to(String victim, LeaderFaultPoint place, long epoch);
    }

    private void play(LeaderFaultPoint place, String how, Harm harm) throws Exception {
        beInTheMiddle();
        String leader = deployment.record().leader();
        String victim = place.isOnTakeover() ? FaultInjectedDeployment.other(leader) : leader;
        CompletableFuture<Void> reached = toPostgres(victim).catchAt(place);
        if (place
                == LeaderFaultPoint
                        .BEFORE_SEND) { // before the answer is passed on: nothing is sent yet
            reached =
                    reached.thenRun(
                            () -> toGateways(victim).forEach(it -> it.hold(Direction.QUESTIONS)));
        }
        if (place.isOnTakeover()) {
            deployment.programs().kill(leader);
        }
        reached.get(SOON.toSeconds(), TimeUnit.SECONDS);
        long epoch = deployment.record().epoch();
        int succeeded = progress().succeeded();
        long caught = System.nanoTime();
        if (place.isOnTakeover()) {
            deployment.programs().start(leader);
        }
        harm.to(victim, place, epoch);
        assertThat(deployment.record().leader()).as("who leads now").isNotEqualTo(victim);
        await().atMost(SOON).until(() -> progress().succeeded() > succeeded);
        System.out.printf(
                "LeaderFaultPointsIT: %s %s %s: the next node succeeded %d ms later%n",
                victim, how, place, (System.nanoTime() - caught) / 1_000_000);
        deployment.awaitUp();
        check.assertConsistent();
    }

    /** What it had said and was held is lost with it. */
    private void kill(String victim, LeaderFaultPoint place, long epoch) {
        long killed = System.nanoTime();
        deployment.programs().kill(victim);
        linksOf(victim).forEach(FaultProxy::dropHeld);
        await().pollInterval(POLL_INTERVAL)
                .atMost(SOON)
                .until(() -> deployment.record().decisionsAfter(epoch) > 0);
        Duration followed = Duration.ofNanos(System.nanoTime() - killed);
        if (!place.isOnTakeover()) { // whoever follows that one has to be started first
            String what =
                    "LeaderFaultPointsIT: %s killed %s: next decision".formatted(victim, place);
            Waits.measured(what, followed, DECISION);
        }
        deployment.programs().start(victim);
    }

    private void freeze(String victim, LeaderFaultPoint place, long epoch) {
        deployment.programs().signal(victim, "STOP");
        await().pollDelay(FROZEN).atMost(SOON).until(() -> true);
        awaitEpochAfter(epoch);
        deployment.programs().signal(victim, "CONT");
        linksOf(victim).forEach(FaultProxy::heal);
        assertThat(deployment.programs().isAlive(victim)).as("it woke, and stands by").isTrue();
    }

    private void awaitEpochAfter(long epoch) {
        await().atMost(SOON).until(() -> deployment.record().epoch() > epoch);
    }

    private FaultProxy toPostgres(String coordinator) {
        return deployment.links().of(new NetworkPath(coordinator, NetworkPath.POSTGRES));
    }

    private Stream<FaultProxy> toGateways(String coordinator) {
        return GATEWAYS.stream()
                .map(gateway -> deployment.links().of(new NetworkPath(coordinator, gateway)));
    }

    private Stream<FaultProxy> linksOf(String coordinator) {
        return Stream.concat(Stream.of(toPostgres(coordinator)), toGateways(coordinator));
    }

    /** Of a rollout with one node done at the least, and others to go. */
    private void beInTheMiddle() {
        if (rollout.isEmpty() || progress().succeeded() > NODES - LAST_NODES) {
            another();
        }
        await().atMost(SOON).until(() -> progress().succeeded() >= 1);
    }

    /** Sees the present rollout to its end and begins the next. */
    private void another() {
        awaitEnd();
        rollout = client.create(next);
        next = next.other();
        targets.put(rollout, next);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
    }

    private RolloutProgress progress() {
        return deployment.ledger().progress(rollout);
    }

    private void awaitEnd() {
        if (!rollout.isEmpty()) {
            await().atMost(SOON).until(() -> progress().hasStopped());
            assertThat(progress().status()).isEqualTo("completed");
        }
    }

    private void finish() throws IOException {
        awaitEnd();
        rollout = "";
        check.assertSound(targets);
    }
}
