package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DatabaseStats.RolloutProgress;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.Waits;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.system.fault.FaultPlan;
import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.NetworkPath;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rollouts over a mesh from which one thing after the other is taken: members of etcd, PostgreSQL,
 * services, and what one of them says to another. No node is failed for it, everything goes on
 * afterwards, and what was written, what clients were told and what truly happened agree.
 */
@DisplayName("A7 B6 B8 B9 C1 C10 C12: whatever is taken from the mesh, it goes on afterwards")
@Faults(
        rule = "R3 (loss of visibility never fails a node)",
        sample = "FleetVisibilityLossIT.everyLossOfFleetVisibilityRestartsTheTime")
class FaultInjectionIT {
    private static final int NODES = 10;
    private static final int LAST_NODES = 2; // with fewer to go, another rollout is begun

    /** An end that notices a mute connection last waits 65 s; the grace of rule R3 is 120 s. */
    private static final Duration SOON = Duration.ofMinutes(6);

    /** What the issue allows it, from the first fault to the last look. */
    private static final Duration SHORT_FORM = Duration.ofMinutes(4);

    @TempDir Path folder;
    private DeploymentSecurity security;
    @AutoClose private FaultInjectedDeployment deployment;
    private FaultPlanExecutor player;
    @AutoClose private RetryingClient client;
    private ConsistencyCheck check;
    private final Map<String, BenchRelease> targets = new ConcurrentHashMap<>();
    private BenchRelease next = BenchRelease.V1;

    private final UnexpectedPauses pauses = new UnexpectedPauses();

    private volatile String rollout = "";

    @BeforeEach
    void start() throws IOException {
        security = DeploymentSecurity.fromEnvironment(folder);
        deployment =
                new FaultInjectedDeployment(
                        folder, NODES, FaultInjectedDeployment.Election.ETCD, security);
        player = new FaultPlanExecutor(deployment);
        client = new RetryingClient(deployment.endpoints(), security);
        check = new ConsistencyCheck(deployment, client, NODES);
        assertThat(deployment.links().edges()).containsAll(NetworkPath.all().toList());
    }

    @Test
    @Timeout(600)
    void shortFaultsOfEveryKind() throws Exception {
        long started = System.nanoTime();
        for (FaultEpisode bout : FaultPlan.brief()) {
            play(bout);
        }
        finish();
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        Waits.measured("FaultInjectionIT: the short form", took, SHORT_FORM);
    }

    /** {@code -Dpass=singly}: some six hours; {@code -Dbouts=100,101} goes on where it was left. */
    @Test
    @EnabledIfSystemProperty(named = "pass", matches = "singly")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void eachServiceIsDownForTwoMinutes() throws Exception {
        List<FaultEpisode> pass = FaultPlan.singly();
        for (Iterator<Integer> numbers = numbers(); numbers.hasNext(); ) {
            int number = numbers.next();
            if (number >= pass.size()) {
                break;
            }
            play(pass.get(number));
        }
        finish();
    }

    /** {@code -Dpass=pairs -Dminutes=N}. */
    @Test
    @EnabledIfSystemProperty(named = "pass", matches = "pairs")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void twoRandomServicesAreDownForTwoMinutes() throws Exception {
        playForMinutes(FaultPlan::pair);
    }

    @Test
    @DisabledIfSystemProperty(named = "pass", matches = ".+")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void minutesOfFaultsDrawnByLotSinglyAndInPairs() throws Exception {
        playForMinutes(FaultPlan::bout);
    }

    /** Until the time is over, or the bouts that are asked for. */
    private void playForMinutes(BiFunction<Long, Integer, FaultEpisode> plan) throws IOException {
        long seed = Long.getLong("seed", System.nanoTime() % 1_000_000);
        System.out.println("FaultInjectionIT: seed " + seed);
        long until = System.nanoTime() + Duration.ofMinutes(Long.getLong("minutes", 10)).toNanos();
        Iterator<Integer> numbers = numbers();
        while (numbers.hasNext() && System.nanoTime() < until) {
            play(plan.apply(seed, numbers.next()));
        }
        finish();
    }

    /** All, or those of {@code -Dbouts=3,17}, to play them again. */
    private static Iterator<Integer> numbers() {
        String named = System.getProperty("bouts", "");
        return named.isEmpty()
                ? IntStream.iterate(0, number -> number + 1).iterator()
                : Stream.of(named.split(",", -1)).map(Integer::valueOf).iterator();
    }

    /** While there is always a rollout under way, which a client interrupts and resumes. */
    private void play(FaultEpisode bout) {
        beInTheMiddle();
        pauses.during(bout);
        AtomicBoolean over = new AtomicBoolean();
        try (var others = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Void> requested = CompletableFuture.runAsync(this::interrupt, others);
            CompletableFuture<Void> busy = requested.thenRunAsync(() -> keepBusy(over), others);
            try {
                security.replaceCertificates(); // taken in the first seconds of each bout
                player.play(bout);
            } finally {
                over.set(true);
            }
            long healed = System.nanoTime();
            busy.join();
            awaitProgress(progress().succeeded() + 1);
            System.out.printf(
                    "FaultInjectionIT: bout %d: went on %d ms after it was over%n",
                    bout.number(), (System.nanoTime() - healed) / 1_000_000);
        }
        assertConsistent();
    }

    private void beInTheMiddle() {
        if (rollout.isEmpty() || progress().succeeded() > NODES - LAST_NODES) {
            another();
        }
        awaitProgress(1);
    }

    /** One after the other, until it is said that it is over. */
    private void keepBusy(AtomicBoolean over) {
        while (!over.get()) {
            await().atMost(SOON).until(() -> over.get() || progress().hasStopped());
            if (!over.get()) {
                another();
            }
        }
    }

    /** Sees the present rollout to its end and begins the next. */
    private void another() {
        if (!rollout.isEmpty()) {
            awaitProgress(NODES);
        }
        String id = client.create(next);
        next = next.other();
        targets.put(id, next);
        rollout = id;
        retryUntilReceived("pending", () -> client.start(id));
    }

    private void interrupt() {
        if (client.pause(rollout) == ResponseOutcome.APPLIED) {
            goOn();
        }
    }

    private void goOn() {
        retryUntilReceived("paused", () -> client.resume(rollout));
    }

    /** Whoever was not heard for a minute has to ask again: so it is with everything that risks. */
    private void retryUntilReceived(String status, Supplier<ResponseOutcome> request) {
        await().atMost(SOON)
                .until(
                        () ->
                                request.get() == ResponseOutcome.APPLIED
                                        || !progress().status().equals(status));
    }

    private void awaitProgress(int succeeded) {
        await().atMost(SOON)
                .until(
                        () -> {
                            RolloutProgress now = progress();
                            if (now.status().equals("paused")) {
                                System.out.println(
                                        "FaultInjectionIT: it had paused by itself: "
                                                + check.unasked());
                                assertConsistent();
                                goOn();
                            }
                            return now.succeeded() >= Math.min(succeeded, NODES)
                                    && (succeeded < NODES || now.hasStopped());
                        });
    }

    /**
     * As soon as PostgreSQL answers: what it ended or lost of our own connections is no finding.
     */
    private RolloutProgress progress() {
        return await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> deployment.ledger().progress(rollout), _ -> true);
    }

    private void assertConsistent() {
        List<HistoryEntry> harmed =
                await().atMost(SOON).ignoreExceptions().until(check::harmed, _ -> true);
        assertThat(harmed).as("A7").isEmpty();
        List<HistoryEntry> unasked =
                await().atMost(SOON).ignoreExceptions().until(check::unasked, _ -> true);
        assertThat(pauses.unexplained(unasked)).as("pauses that nobody asked for").isEmpty();
    }

    private void finish() throws IOException {
        awaitProgress(NODES);
        assertThat(progress().status()).isEqualTo("completed");
        assertConsistent();
        assertThat(check.broken(targets)).isEmpty();
    }
}
