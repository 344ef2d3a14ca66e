package drover.evaluator.assess;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.SyncStatus;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ProgramHealthRulesTest {
    private static final Digest TARGET = Digest.of("new");
    private static final Digest OLD = Digest.of("old");
    private static final Digest CONFIG = Digest.of("config");
    private static final Duration HOLD = Duration.ofSeconds(60);
    private static final ProgramWatchSpec WATCH =
            new ProgramWatchSpec(
                    new NodeId("n1"),
                    7,
                    new BinaryName("chain"),
                    "run-2",
                    TARGET,
                    Optional.of(CONFIG),
                    HOLD,
                    HealthThresholds.DEFAULT);

    /** A program that fulfils every criterion, up for this long. */
    private static Signal healthy(int seconds) {
        Duration up = Duration.ofSeconds(seconds);
        return new Signal(
                "run-2",
                TARGET.value(),
                CONFIG.value(),
                up,
                up,
                0,
                ApplicationHealth.OK,
                SyncStatus.SYNCED);
    }

    /** A {@link ProgramObservation} that is easily changed. */
    private record Signal(
            String runId,
            String digest,
            String config,
            Duration upFor,
            Duration healthyFor,
            int restarts,
            ApplicationHealth health,
            SyncStatus sync) {
        Signal run(String other, int times) {
            return new Signal(other, digest, config, upFor, healthyFor, times, health, sync);
        }

        Signal running(String other) {
            return new Signal(runId, other, config, upFor, healthyFor, restarts, health, sync);
        }

        Signal configured(String other) {
            return new Signal(runId, digest, other, upFor, healthyFor, restarts, health, sync);
        }

        Signal healthyFor(int seconds) {
            return new Signal(
                    runId,
                    digest,
                    config,
                    upFor,
                    Duration.ofSeconds(seconds),
                    restarts,
                    health,
                    sync);
        }

        Signal health(ApplicationHealth other) {
            return new Signal(runId, digest, config, upFor, healthyFor, restarts, other, sync);
        }

        Signal sync(SyncStatus other) {
            return new Signal(runId, digest, config, upFor, healthyFor, restarts, health, other);
        }

        Heartbeat of(long attempt) {
            return new Heartbeat(
                    attempt,
                    List.of(
                            new ProgramObservation(
                                    "chain",
                                    runId,
                                    digest,
                                    config,
                                    upFor,
                                    healthyFor,
                                    restarts,
                                    health,
                                    sync,
                                    List.of())));
        }
    }

    @Test
    void isHealthyWhenEverythingHoldsForTheWholeHold() {
        assertThat(verdict(healthy(60))).isEqualTo(new Verdict.Healthy());
        assertThat(codes(verdict(healthy(59)))).containsExactly(HealthFindingCode.SOAKING);
    }

    @Test
    void theHoldIsCountedFromTheLastBadValueNotFromTheStart() {
        Verdict verdict = verdict(healthy(300).healthyFor(10));

        assertThat(verdict).isInstanceOf(Verdict.Settling.class);
        assertThat(verdict.reasons().getFirst().sentence()).contains("10.0 s of 60.0 s");
    }

    @Test
    @DisplayName("Seed 000: degraded, syncing and unknown are tolerated while settling")
    void toleratesWhatTheSeedTolerates() {
        for (ApplicationHealth health :
                List.of(ApplicationHealth.DEGRADED, ApplicationHealth.UNKNOWN)) {
            assertThat(verdict(healthy(60).health(health))).isEqualTo(new Verdict.Healthy());
        }
        for (SyncStatus sync : List.of(SyncStatus.SYNCING, SyncStatus.UNKNOWN)) {
            assertThat(verdict(healthy(60).sync(sync))).isEqualTo(new Verdict.Healthy());
        }
    }

    @ParameterizedTest
    @MethodSource("heartbeatsThatDoNotCount")
    @DisplayName("F1: a heartbeat of another attempt or of an old process is ignored")
    void ignoresWhatDoesNotBelongToTheAttempt(Heartbeat heartbeat, HealthFindingCode because) {
        Verdict verdict = verdict(heartbeat);

        assertThat(verdict)
                .isNotInstanceOf(Verdict.Healthy.class)
                .isNotInstanceOf(Verdict.Unhealthy.class);
        assertThat(codes(verdict)).containsExactly(because);
    }

    static Stream<Arguments> heartbeatsThatDoNotCount() {
        return Stream.of(
                Arguments.of(healthy(90).of(6), HealthFindingCode.OTHER_ATTEMPT),
                Arguments.of(healthy(90).of(8), HealthFindingCode.OTHER_ATTEMPT),
                Arguments.of(healthy(90).run("run-1", 0).of(7), HealthFindingCode.NOT_RUNNING),
                Arguments.of(
                        healthy(90).run("run-1", 0).running(OLD.value()).of(7),
                        HealthFindingCode.NOT_RUNNING),
                Arguments.of(
                        healthy(90).run("", 1).running("").of(7), HealthFindingCode.NOT_RUNNING),
                Arguments.of(new Heartbeat(7, List.of()), HealthFindingCode.NOT_RUNNING));
    }

    @Test
    @DisplayName("F1: a later run of the same attempt counts, with a hold of its own")
    void aRestartWithinTheAttemptCounts() {
        assertThat(verdict(healthy(60).run("run-3", 1))).isEqualTo(new Verdict.Healthy());
        assertThat(codes(verdict(healthy(5).run("run-3", 1))))
                .containsExactly(HealthFindingCode.SOAKING);
    }

    @Test
    @DisplayName("F2: the old binary is never healthy, however well it is")
    void theOldBinaryIsNeverHealthy() {
        Verdict verdict = verdict(healthy(600).running(OLD.value()));

        assertThat(verdict).isInstanceOf(Verdict.Unhealthy.class);
        assertThat(codes(verdict)).containsExactly(HealthFindingCode.WRONG_DIGEST);
        assertThat(verdict(healthy(600).running(""))).isInstanceOf(Verdict.Unhealthy.class);
    }

    @Test
    void anotherConfigurationIsUnhealthyAndAnUnknownOneIsWaitedFor() {
        assertThat(verdict(healthy(60).configured(OLD.value())))
                .isInstanceOf(Verdict.Unhealthy.class);
        assertThat(verdict(healthy(60).configured(""))).isInstanceOf(Verdict.Settling.class);
    }

    @Test
    @DisplayName("F3: no heartbeat, an old one, or a node that is gone is no data")
    void noDataIsNotHealthy() {
        Heartbeat heartbeat = healthy(600).of(7);

        assertThat(codes(assess(ProgramFlapHistory.EMPTY, new LatestHeartbeat.None())))
                .containsExactly(HealthFindingCode.NO_HEARTBEAT);
        assertThat(codes(assess(ProgramFlapHistory.EMPTY, new LatestHeartbeat.NodeOffline())))
                .containsExactly(HealthFindingCode.NODE_OFFLINE);
        assertThat(
                        assess(
                                ProgramFlapHistory.EMPTY,
                                new LatestHeartbeat.Received(heartbeat, Duration.ofSeconds(15))))
                .isEqualTo(new Verdict.Healthy());
        Verdict old =
                assess(
                        ProgramFlapHistory.EMPTY,
                        new LatestHeartbeat.Received(heartbeat, Duration.ofMillis(15_001)));
        assertThat(old).isInstanceOf(Verdict.NoData.class);
        assertThat(codes(old)).containsExactly(HealthFindingCode.NO_HEARTBEAT);
    }

    @Test
    @DisplayName(
            "R3: a pace that the agent announced is no silence, but it cannot announce itself away")
    void announcedIntervalIsNoHeartbeatGap() {
        Heartbeat slow = announcing(Duration.ofSeconds(30));
        assertThat(
                        assess(
                                ProgramFlapHistory.EMPTY,
                                new LatestHeartbeat.Received(slow, Duration.ofSeconds(90))))
                .isEqualTo(new Verdict.Healthy());
        assertThat(
                        assess(
                                ProgramFlapHistory.EMPTY,
                                new LatestHeartbeat.Received(slow, Duration.ofSeconds(91))))
                .isInstanceOf(Verdict.NoData.class);
        Heartbeat offline = announcing(Duration.ofDays(1));
        assertThat(
                        assess(
                                ProgramFlapHistory.EMPTY,
                                new LatestHeartbeat.Received(offline, Duration.ofSeconds(101))))
                .isInstanceOf(Verdict.NoData.class);
        Heartbeat quick = announcing(Duration.ofSeconds(1));
        assertThat(
                        assess(
                                ProgramFlapHistory.EMPTY,
                                new LatestHeartbeat.Received(quick, Duration.ofSeconds(15))))
                .isEqualTo(new Verdict.Healthy());
    }

    private static Heartbeat announcing(Duration next) {
        return new Heartbeat(7, healthy(600).of(7).programs(), next);
    }

    @Test
    @DisplayName("F4: three restarts are a crash loop, even if it is up and well now")
    void aCrashLoopIsUnhealthyAtOnce() {
        assertThat(verdict(healthy(600).run("run-4", 2))).isEqualTo(new Verdict.Healthy());
        assertThat(codes(verdict(healthy(600).run("run-5", 3))))
                .containsExactly(HealthFindingCode.CRASH_LOOP);
        Verdict down = verdict(healthy(0).run("", 3).running(""));
        assertThat(down).isInstanceOf(Verdict.Unhealthy.class);
    }

    private static Heartbeat withDetails(Signal signal, String... details) {
        Heartbeat heartbeat = signal.of(7);
        ProgramObservation plain = heartbeat.programs().getFirst();
        return new Heartbeat(
                7,
                List.of(
                        new ProgramObservation(
                                plain.name(),
                                plain.runId(),
                                plain.runningDigest(),
                                plain.configDigest(),
                                plain.upFor(),
                                plain.healthyFor(),
                                plain.restarts(),
                                plain.applicationHealth(),
                                plain.syncStatus(),
                                List.of(details))));
    }

    @Test
    void aCrashLoopQuotesTheEndOfTheLastRun() {
        Signal crashed = healthy(600).run("run-5", 3);

        assertThat(verdict(crashed).reasons().getFirst().sentence())
                .isEqualTo("The program was restarted 3 times within the attempt.");
        assertThat(sentence(crashed, "its last run ended with exit code 3"))
                .isEqualTo(
                        "The program was restarted 3 times within the attempt: its last run ended"
                                + " with exit code 3");
    }

    @Test
    void aSentenceCountsTheProbesThatItDoesNotQuote() {
        Signal crashed = healthy(600).run("run-5", 3);

        assertThat(sentence(crashed, "a: 1", "b: 2", "c: 3")).endsWith(": a: 1; b: 2; c: 3");
        assertThat(sentence(crashed, "a: 1", "b: 2", "c: 3", "d: 4", "e: 5"))
                .endsWith(": a: 1; b: 2; c: 3; and 2 more");
    }

    private static String sentence(Signal signal, String... details) {
        return verdict(withDetails(signal, details)).reasons().getFirst().sentence();
    }

    @Test
    void oneBadHeartbeatIsWaitedOutAndThreeInARowAreNot() {
        Script script = new Script();

        script.receives(healthy(10));
        script.receives(healthy(15).healthyFor(0).health(ApplicationHealth.CRITICAL));
        assertThat(script.verdict()).isInstanceOf(Verdict.Settling.class);
        assertThat(codes(script.verdict())).containsExactly(HealthFindingCode.APPLICATION_CRITICAL);
        script.receives(healthy(20).healthyFor(0).health(ApplicationHealth.CRITICAL));
        assertThat(script.verdict()).isInstanceOf(Verdict.Settling.class);
        script.receives(healthy(25).healthyFor(0).sync(SyncStatus.STALLED));
        assertThat(script.verdict()).isInstanceOf(Verdict.Unhealthy.class);
        assertThat(codes(script.verdict())).containsExactly(HealthFindingCode.SYNC_STALLED);
    }

    @Test
    void countsARepeatedHeartbeatOnce() {
        Script script = new Script();
        Signal critical = healthy(15).healthyFor(0).health(ApplicationHealth.CRITICAL);

        script.receives(critical);
        script.receives(critical);
        script.receives(critical);

        assertThat(script.verdict()).isInstanceOf(Verdict.Settling.class);
    }

    @Test
    @DisplayName("F4: a flapper fails at its third flip, even if it is well at the end")
    void aFlapperIsUnhealthyEvenWhenItIsHealthyAtTheEnd() {
        Script script = new Script();
        for (int flip = 0; flip < 3; flip++) {
            int now = 20 * flip;
            assertThat(script.receives(healthy(now + 5).healthyFor(5)).verdict())
                    .isInstanceOf(Verdict.Settling.class);
            script.receives(healthy(now + 10).healthyFor(0).sync(SyncStatus.STALLED));
        }
        script.receives(healthy(600));

        assertThat(script.verdict()).isInstanceOf(Verdict.Unhealthy.class);
        assertThat(codes(script.verdict())).containsExactly(HealthFindingCode.SYNC_STALLED);
    }

    @Test
    @DisplayName("F4: a flip between two heartbeats shows by a well time that began anew")
    void aFlipThatNoHeartbeatShowedIsCounted() {
        Script script = new Script();
        script.receives(healthy(10).healthyFor(10));
        script.receives(healthy(15).healthyFor(2));
        script.receives(healthy(20).healthyFor(7));
        script.receives(healthy(25).healthyFor(1));
        assertThat(script.verdict()).isInstanceOf(Verdict.Settling.class);
        script.receives(healthy(30).healthyFor(0));

        assertThat(script.verdict()).isInstanceOf(Verdict.Unhealthy.class);
    }

    @Test
    void aRestartIsNoFlip() {
        Script script = new Script();
        script.receives(healthy(10));
        script.receives(healthy(5).run("run-3", 1));
        script.receives(healthy(4).run("run-4", 2));
        script.receives(healthy(60).run("run-4", 2));

        assertThat(script.verdict()).isEqualTo(new Verdict.Healthy());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName(
            "F1–F4: over random stories, healthy only with every proof in the latest heartbeat")
    void healthyOnlyWithEveryProof(long seed) {
        Random random = new Random(seed);
        ProgramFlapHistory history = ProgramFlapHistory.EMPTY;
        for (int i = 0; i < 200; i++) {
            Signal signal = random(random);
            Heartbeat heartbeat = signal.of(6 + random.nextInt(3));
            history = history.withHeartbeat(WATCH, heartbeat);
            LatestHeartbeat latest =
                    switch (random.nextInt(8)) {
                        case 0 -> new LatestHeartbeat.NodeOffline();
                        case 1 -> new LatestHeartbeat.None();
                        default ->
                                new LatestHeartbeat.Received(
                                        heartbeat, Duration.ofSeconds(random.nextInt(20)));
                    };
            if (assess(history, latest) instanceof Verdict.Healthy) {
                assertThat(latest).as("seed %d", seed).isInstanceOf(LatestHeartbeat.Received.class);
                assertThat(((LatestHeartbeat.Received) latest).age())
                        .isLessThanOrEqualTo(Duration.ofSeconds(15));
                assertThat(heartbeat.attempt()).as("seed %d", seed).isEqualTo(7);
                assertThat(signal.digest()).as("seed %d", seed).isEqualTo(TARGET.value());
                assertThat(signal.config()).as("seed %d", seed).isEqualTo(CONFIG.value());
                assertThat(signal.restarts()).as("seed %d", seed).isLessThan(3);
                assertThat(signal.runId().equals("run-2") || signal.restarts() > 0).isTrue();
                assertThat(signal.health()).isNotEqualTo(ApplicationHealth.CRITICAL);
                assertThat(signal.sync()).isNotEqualTo(SyncStatus.STALLED);
                assertThat(signal.healthyFor()).isGreaterThanOrEqualTo(HOLD);
                assertThat(signal.upFor()).isGreaterThanOrEqualTo(HOLD);
                assertThat(history.flips()).as("seed %d", seed).isLessThan(3);
            }
        }
    }

    @Test
    void theRandomStoriesDoReachHealthy() {
        Random random = new Random(1);
        long healthy =
                Stream.generate(() -> random(random).of(7))
                        .limit(20_000)
                        .filter(h -> verdict(h) instanceof Verdict.Healthy)
                        .count();

        assertThat(healthy).isPositive();
    }

    static List<Long> seeds() {
        return new Random(45).longs(100).boxed().toList();
    }

    private static Signal random(Random random) {
        Duration up = Duration.ofSeconds(random.nextInt(120));
        return new Signal(
                pick(random, "run-2", "run-1", "run-3", ""),
                pick(random, TARGET.value(), TARGET.value(), OLD.value(), ""),
                pick(random, CONFIG.value(), CONFIG.value(), OLD.value(), ""),
                up,
                Duration.ofSeconds(random.nextLong(up.toSeconds() + 1)),
                random.nextInt(5),
                pick(random, ApplicationHealth.values()),
                pick(random, SyncStatus.values()));
    }

    @SafeVarargs
    private static <T> T pick(Random random, T... from) {
        return from[random.nextInt(from.length)];
    }

    /** Heartbeats one after another. */
    private static final class Script {
        private ProgramFlapHistory history = ProgramFlapHistory.EMPTY;
        private LatestHeartbeat latest = new LatestHeartbeat.None();

        Script receives(Signal signal) {
            Heartbeat heartbeat = signal.of(7);
            history = history.withHeartbeat(WATCH, heartbeat);
            latest = new LatestHeartbeat.Received(heartbeat, Duration.ZERO);
            return this;
        }

        Verdict verdict() {
            return assess(history, latest);
        }
    }

    private static Verdict verdict(Signal signal) {
        return verdict(signal.of(7));
    }

    private static Verdict verdict(Heartbeat heartbeat) {
        return assess(
                ProgramFlapHistory.EMPTY.withHeartbeat(WATCH, heartbeat),
                new LatestHeartbeat.Received(heartbeat, Duration.ZERO));
    }

    private static Verdict assess(ProgramFlapHistory history, LatestHeartbeat latest) {
        return ProgramHealthRules.assess(WATCH, history, latest);
    }

    private static List<HealthFindingCode> codes(Verdict verdict) {
        return verdict.reasons().stream().map(HealthFinding::code).toList();
    }
}
