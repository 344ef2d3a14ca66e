package drover.opsagent.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chance comes from a seed, and time passes for nobody. */
@DisplayName("I1, I2: agents dial again, another gateway, each at a moment of its own")
class ReconnectPlanTest {
    private static final int AGENTS = 3_000;
    private static final Duration MINUTE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final ReconnectPlan.DelayCaps CAPS =
            new ReconnectPlan.DelayCaps(MINUTE, Duration.ofMinutes(5));
    private static final ConnectionEnd LOST = new ConnectionEnd.Disconnected(Duration.ZERO);
    private static final ConnectionEnd UNANSWERED = new ConnectionEnd.Unavailable(Duration.ZERO);

    private final RandomGenerator random = new Random(62);

    @Test
    void aFleetThatLosesAGatewaySpreadsOverTheOthersAndOverTheWholeMinute() {
        List<ReconnectPlan> fleet = fleetAt(0, 4, LOST);

        Map<Integer, Long> chosen =
                fleet.stream()
                        .collect(
                                Collectors.groupingBy(
                                        ReconnectPlan::gateway, Collectors.counting()));
        assertThat(chosen).containsOnlyKeys(1, 2, 3);
        assertThat(chosen.values()).allMatch(many -> many > AGENTS / 4);
        Map<Long, Long> bySixSeconds =
                fleet.stream()
                        .collect(
                                Collectors.groupingBy(
                                        plan -> plan.delay().toSeconds() / 6,
                                        Collectors.counting()));
        assertThat(bySixSeconds)
                .containsOnlyKeys(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L)
                .allSatisfy((_, many) -> assertThat(many).isBetween(240L, 360L));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7})
    void everyGatewayIsTriedBeforeOneIsTriedTwice(int gateways) {
        ReconnectPlan plan = ReconnectPlan.firstAttempt(gateways, random);
        for (int round = 0; round < 50; round++) {
            List<Integer> connected = new ArrayList<>();
            for (int i = 0; i < gateways; i++) {
                connected.add(plan.gateway());
                boolean last = i == gateways - 1;
                plan = plan.planNext(UNANSWERED, CAPS, random);
                assertThat(plan.delay()).isLessThan(last ? MINUTE : SHORT);
            }
            assertThat(connected).doesNotHaveDuplicates();
            assertThat(plan.gateway()).as("not again at once").isNotEqualTo(connected.getLast());
        }
    }

    @Test
    void aLastResortIsShownToEveryGatewayOverTheWholeMinuteEach() {
        ConnectionEnd end = new ConnectionEnd.ExpiredCertificateFailed(Duration.ZERO);
        List<ReconnectPlan> fleet = fleetAt(0, 3, end);
        assertThat(pauses(fleet)).allMatch(pause -> pause.compareTo(MINUTE) < 0);
        assertThat(pauses(fleet)).anyMatch(pause -> pause.compareTo(SHORT.multipliedBy(10)) > 0);
        assertThat(fleet)
                .allSatisfy(
                        plan ->
                                assertThat(plan.planNext(end, CAPS, random).gateway())
                                        .as("the third one")
                                        .isEqualTo(3 - plan.gateway()));
    }

    @Test
    void reconnectsToTheOnlyGatewayWithinAMinute() {
        List<ReconnectPlan> fleet = fleetAt(0, 1, UNANSWERED);
        assertThat(fleet).allMatch(plan -> plan.gateway() == 0);
        assertThat(pauses(fleet)).anyMatch(pause -> pause.compareTo(SHORT.multipliedBy(10)) > 0);
        assertThat(pauses(fleet)).allMatch(pause -> pause.compareTo(MINUTE) < 0);
    }

    @Test
    void agentReconnectsElsewhereWithinTheRequestedTime() {
        List<ReconnectPlan> fleet =
                fleetAt(
                        1,
                        2,
                        new ConnectionEnd.ReconnectElsewhereRequested(Duration.ofMillis(200)));
        assertThat(fleet).allMatch(plan -> plan.gateway() == 0);
        assertThat(pauses(fleet)).allMatch(pause -> pause.toMillis() < 1_200);
        assertThat(pauses(fleet)).as("spread").anyMatch(pause -> pause.toMillis() >= 1_150);
    }

    @Test
    @DisplayName(
            "I2: a gateway that sends its agents away again and again keeps none busy dialling")
    void agentRefusedAtOnceWaitsASecond() {
        assertThat(
                        pauses(
                                fleetAt(
                                        0,
                                        1,
                                        new ConnectionEnd.ReconnectElsewhereRequested(
                                                Duration.ZERO))))
                .allMatch(pause -> pause.toMillis() >= 1_000);
        assertThat(
                        pauses(
                                fleetAt(
                                        0,
                                        1,
                                        new ConnectionEnd.ReconnectElsewhereRequested(
                                                Duration.ofDays(-1)))))
                .allMatch(pause -> pause.toMillis() >= 1_000);
    }

    @Test
    void whoIsRefusedTakesUpToFiveMinutes() {
        List<ReconnectPlan> fleet = fleetAt(0, 2, new ConnectionEnd.Refused(Duration.ZERO));
        assertThat(pauses(fleet)).allMatch(pause -> pause.compareTo(CAPS.refused()) < 0);
        assertThat(pauses(fleet)).anyMatch(pause -> pause.compareTo(Duration.ofMinutes(4)) > 0);
        assertThat(fleet).allMatch(plan -> plan.gateway() == 1);
    }

    @Test
    void agentHonorsAReconnectDelayOfAtMostFiveMinutes() {
        Function<Duration, Set<ConnectionEnd>> ends =
                requested ->
                        Set.of(
                                new ConnectionEnd.Disconnected(requested),
                                new ConnectionEnd.ExpiredCertificateFailed(requested),
                                new ConnectionEnd.Refused(requested));
        for (ConnectionEnd end : ends.apply(Duration.ofSeconds(90))) {
            assertThat(pauses(fleetAt(0, 2, end))).allMatch(it -> it.toSeconds() >= 90);
        }
        for (ConnectionEnd end : ends.apply(Duration.ofDays(300))) {
            assertThat(pauses(fleetAt(0, 2, end))).allMatch(it -> it.toMinutes() < 10);
        }
        assertThat(
                        pauses(
                                fleetAt(
                                        0,
                                        2,
                                        new ConnectionEnd.ReconnectElsewhereRequested(
                                                Duration.ofDays(300)))))
                .allMatch(it -> it.toSeconds() <= 301);
    }

    @Test
    void theSameSeedDecidesTheSame() {
        assertThat(walk(new Random(7))).isEqualTo(walk(new Random(7)));
        assertThat(walk(new Random(7))).isNotEqualTo(walk(new Random(8)));
    }

    @Test
    void agentsThatStartSpreadOverAllGatewaysAndConnectAtOnce() {
        Set<Integer> chosen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            ReconnectPlan first = ReconnectPlan.firstAttempt(3, random);
            assertThat(first.delay()).isZero();
            chosen.add(first.gateway());
        }
        assertThat(chosen).containsExactlyInAnyOrder(0, 1, 2);
    }

    private List<ReconnectPlan> fleetAt(int gateway, int gateways, ConnectionEnd end) {
        ReconnectPlan at = new ReconnectPlan(gateways, gateway, Duration.ZERO, Set.of());
        return IntStream.range(0, AGENTS).mapToObj(_ -> at.planNext(end, CAPS, random)).toList();
    }

    private static List<Duration> pauses(List<ReconnectPlan> plans) {
        return plans.stream().map(ReconnectPlan::delay).toList();
    }

    private static List<ReconnectPlan> walk(RandomGenerator seeded) {
        List<ReconnectPlan> plans = new ArrayList<>(List.of(ReconnectPlan.firstAttempt(5, seeded)));
        for (int i = 0; i < 20; i++) {
            plans.add(plans.getLast().planNext(i % 3 == 0 ? LOST : UNANSWERED, CAPS, seeded));
        }
        return plans;
    }
}
