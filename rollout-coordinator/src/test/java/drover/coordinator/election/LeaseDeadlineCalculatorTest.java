package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LeaseDeadlineCalculatorTest {
    private static final LeaseDeadlineCalculator THIRTY =
            new LeaseDeadlineCalculator(Duration.ofSeconds(30));

    private static long at(double seconds) {
        return (long) (seconds * 1_000_000_000);
    }

    @Test
    @DisplayName("B5: it ends a margin before the lease does, counted from when it was asked for")
    void itEndsAMarginBeforeTheLease() {
        assertThat(THIRTY.remaining(at(100), at(100))).isEqualTo(Duration.ofSeconds(24));
        assertThat(THIRTY.remaining(at(100), at(123.5))).isEqualTo(Duration.ofMillis(500));
        assertThat(THIRTY.remaining(at(100), at(124))).isZero();
        assertThat(THIRTY.remaining(at(100), at(9_999))).isZero();
    }

    @Test
    void aMonotonicClockMayStartAnywhereAndOverflow() {
        long requested = Long.MAX_VALUE - at(1);

        assertThat(THIRTY.remaining(requested, requested + at(2)))
                .isEqualTo(Duration.ofSeconds(22));
    }

    @Test
    void requiresMoreBackupsWhileTwoAttemptsMayFail() {
        assertThat(THIRTY.isRenewalDue(at(0), at(9.9))).isFalse();
        assertThat(THIRTY.isRenewalDue(at(0), at(10))).isTrue();
        assertThat(THIRTY.isRenewalDue(at(0), at(20))).as("the third one").isTrue();
        assertThat(THIRTY.remaining(at(0), at(20))).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 10, 30, 300})
    @DisplayName("B5: it is given up before it can end, however many questions stayed unanswered")
    void itIsGivenUpBeforeItCanEndHoweverManyQuestionsAreUnresponsive(int seconds) {
        LeaseDeadlineCalculator terms = new LeaseDeadlineCalculator(Duration.ofSeconds(seconds));
        long margin = terms.ttl().dividedBy(5).toNanos();
        long now = terms.ttl().dividedBy(3).toNanos(); // the first question after the grant at 0
        for (int unresponsive = 0; unresponsive < 20; unresponsive++) {
            now += terms.requestTimeout().toNanos() + terms.pollInterval().toNanos();
            long left = terms.remaining(0, now).toNanos();
            assertThat(now + left)
                    .as("after %s mute questions", unresponsive + 1)
                    .isLessThanOrEqualTo(Math.max(now, terms.ttl().toNanos() - margin));
            if (now >= terms.ttl().toNanos() - margin) {
                assertThat(left).isZero();
            }
        }
        assertThat(now).as("it went on for longer").isGreaterThan(terms.ttl().toNanos());
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 30})
    void oneUnresponsiveQuestionLeavesTimeForAnotherAndTwoDoNot(int seconds) {
        LeaseDeadlineCalculator terms = new LeaseDeadlineCalculator(Duration.ofSeconds(seconds));
        Duration latest =
                terms.ttl().dividedBy(3).plus(terms.pollInterval()); // when the first is asked
        Duration each = terms.requestTimeout().plus(terms.pollInterval());

        assertThat(terms.remaining(0, latest.plus(each).toNanos())).isPositive();
        assertThat(terms.remaining(0, latest.plus(each).plus(each).toNanos())).isZero();
    }

    @Test
    @DisplayName("SECURITY.md: of etcd's 10 s, the last 2 s are not counted on")
    void theMarginOfEtcdsLeaseIsTwoSeconds() {
        LeaseDeadlineCalculator ten = new LeaseDeadlineCalculator(ElectorConfig.Etcd.DEFAULT_TTL);

        assertThat(ten.remaining(at(0), at(0))).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void leaderResignsAfterALeaseWithoutTheStoreAndCandidatesBefore() {
        assertThat(THIRTY.mustLeaveCampaign(true, at(100), at(129.9))).isFalse();
        assertThat(THIRTY.mustLeaveCampaign(true, at(100), at(130))).isTrue();
        assertThat(THIRTY.mustLeaveCampaign(false, at(100), at(109.9))).isFalse();
        assertThat(THIRTY.mustLeaveCampaign(false, at(100), at(110))).isTrue();
    }

    @Test
    @DisplayName(
            "Seed 004: what was looked up is remembered for a second, and for less of a short lease")
    void isPolledEverySecond() {
        assertThat(THIRTY.pollInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(new LeaseDeadlineCalculator(Duration.ofSeconds(3)).pollInterval())
                .isEqualTo(Duration.ofMillis(500));
    }
}
