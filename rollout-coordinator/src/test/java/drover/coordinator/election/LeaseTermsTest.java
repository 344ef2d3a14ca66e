package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class LeaseTermsTest {
    private static final LeaseTerms THIRTY = new LeaseTerms(Duration.ofSeconds(30));

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
    void aMonotonicClockMayBeginAnywhereAndOverflow() {
        long asked = Long.MAX_VALUE - at(1);

        assertThat(THIRTY.remaining(asked, asked + at(2))).isEqualTo(Duration.ofSeconds(22));
    }

    @Test
    void moreIsAskedForWhileTwoAttemptsMayStillFail() {
        assertThat(THIRTY.isDue(at(0), at(9.9))).isFalse();
        assertThat(THIRTY.isDue(at(0), at(10))).isTrue();
        assertThat(THIRTY.isDue(at(0), at(20))).as("the third one").isTrue();
        assertThat(THIRTY.remaining(at(0), at(20))).isPositive();
    }

    @Test
    @DisplayName("SECURITY.md: of etcd's 10 s, the last 2 s are not counted on")
    void theMarginOfEtcdsLeaseIsTwoSeconds() {
        LeaseTerms ten = new LeaseTerms(ElectorChoice.Etcd.USUAL_TTL);

        assertThat(ten.remaining(at(0), at(0))).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void aLeaderLeavesWhenTheStoreWasAwayForALeaseAndWhoeverWaitsLeavesBefore() {
        assertThat(THIRTY.isAway(true, at(100), at(129.9))).isFalse();
        assertThat(THIRTY.isAway(true, at(100), at(130))).isTrue();
        assertThat(THIRTY.isAway(false, at(100), at(109.9))).isFalse();
        assertThat(THIRTY.isAway(false, at(100), at(110))).isTrue();
    }

    @Test
    @DisplayName(
            "Seed 004: what was looked up is remembered for a second, and for less of a short lease")
    void itIsLookedUpEverySecond() {
        assertThat(THIRTY.round()).isEqualTo(Duration.ofSeconds(1));
        assertThat(new LeaseTerms(Duration.ofSeconds(3)).round()).isEqualTo(Duration.ofMillis(500));
    }
}
