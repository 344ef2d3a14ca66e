package drover.bench.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.agents.BenchNode.Release;
import drover.bench.fault.Edge;
import drover.bench.fault.FaultPlan;
import drover.bench.fault.FaultPlan.Bout;
import drover.bench.mesh.Ledger.Progress;
import drover.coordinator.store.WitnessRules.Word;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rollouts over a mesh from which one thing after the other is taken: members of etcd, PostgreSQL,
 * services, and what one of them says to another. No node is failed for it, everything goes on
 * afterwards, and what was written, what clients were told and what truly happened agree.
 */
@DisplayName("A7 B6 B8 B9 C1 C10 C12: whatever is taken from the mesh, it goes on afterwards")
class MeshFaultsIT {
    private static final int NODES = 10;
    private static final int LAST_NODES = 2; // with fewer to go, another rollout is begun

    /** An end that notices a mute connection last waits 65 s; the grace of rule R3 is 120 s. */
    private static final Duration SOON = Duration.ofMinutes(6);

    @TempDir Path folder;
    private FaultyMesh mesh;
    private FaultPlayer player;
    private Client client;
    private MeshCheck check;
    private final Map<String, Release> targets = new HashMap<>();
    private Release next = Release.V1;
    private String rollout = "";

    @BeforeEach
    void start() throws IOException {
        mesh = new FaultyMesh(folder, NODES);
        player = new FaultPlayer(mesh);
        client = new Client(mesh.doors());
        check = new MeshCheck(mesh, client, NODES);
        assertThat(mesh.links().edges()).containsAll(Edge.all().toList());
    }

    @AfterEach
    void close() {
        if (client != null) {
            client.close();
        }
        if (mesh != null) {
            mesh.close();
        }
    }

    @Test
    @Timeout(600)
    void shortFaultsOfEveryKind() throws Exception {
        for (Bout bout : FaultPlan.brief()) {
            play(bout);
        }
        finish();
    }

    @Test
    @EnabledIfSystemProperty(named = "minutes", matches = "[1-9].*")
    void minutesOfFaultsDrawnByLotSinglyAndInPairs() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime() % 1_000_000);
        System.out.println("MeshFaultsIT: seed " + seed);
        long until = System.nanoTime() + Duration.ofMinutes(Long.getLong("minutes", 10)).toNanos();
        for (int number = 0; System.nanoTime() < until; number++) {
            play(FaultPlan.bout(seed, number));
        }
        finish();
    }

    /** In the middle of a rollout, which a client interrupts and resumes meanwhile. */
    private void play(Bout bout) {
        beInTheMiddle();
        try (var other = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Void> asked = CompletableFuture.runAsync(this::interrupt, other);
            player.play(bout);
            long healed = System.nanoTime();
            int before = progress().succeeded();
            asked.join();
            awaitProgress(before + 1);
            System.out.printf(
                    "MeshFaultsIT: bout %d: went on %d ms after it was over%n",
                    bout.number(), (System.nanoTime() - healed) / 1_000_000);
        }
        assertThat(check.harmed()).as("A7, after %s", bout).isEmpty();
    }

    private void beInTheMiddle() {
        if (!rollout.isEmpty() && progress().succeeded() > NODES - LAST_NODES) {
            awaitProgress(NODES);
            rollout = "";
        }
        if (rollout.isEmpty()) {
            rollout = client.create(next);
            next = next.other();
            targets.put(rollout, next);
            assertThat(client.start(rollout)).isEqualTo(Word.APPLIED);
        }
        awaitProgress(1);
    }

    private void interrupt() {
        if (client.pause(rollout) == Word.APPLIED) {
            goOn();
        }
    }

    /** Whoever was not heard for a minute has to ask again: so it is with everything that risks. */
    private void goOn() {
        await().atMost(SOON)
                .until(
                        () ->
                                client.resume(rollout) == Word.APPLIED
                                        || !progress().status().equals("paused"));
    }

    private void awaitProgress(int succeeded) {
        await().atMost(SOON)
                .until(
                        () -> {
                            Progress now = progress();
                            if (now.status().equals("paused")) {
                                System.out.println("MeshFaultsIT: it had paused by itself");
                                goOn();
                            }
                            return now.succeeded() >= Math.min(succeeded, NODES)
                                    && (succeeded < NODES || now.hasStopped());
                        });
    }

    /** As soon as PostgreSQL answers: what it ended or lost of our own connections is no finding. */
    private Progress progress() {
        return await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> mesh.ledger().progress(rollout), _ -> true);
    }

    private void finish() throws IOException {
        awaitProgress(NODES);
        assertThat(progress().status()).isEqualTo("completed");
        assertThat(check.harmed()).isEmpty();
        assertThat(check.broken(targets)).isEmpty();
    }
}
