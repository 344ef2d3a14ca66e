package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("I1: a gateway that ends does not let go of everybody at one instant")
class DrainScheduleTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 30, 31, 500, 4_500, 5_000, 100_000})
    void letsThreeHundredGoInASecondAndAllWithinAQuarterOfAMinute(int agents) {
        DrainSchedule pace = DrainSchedule.of(agents);
        int slices = Math.ceilDiv(agents, pace.batchSize());

        assertThat(pace.interval().multipliedBy(slices))
                .isLessThanOrEqualTo(Duration.ofSeconds(15));
        if (agents <= 4_500) {
            assertThat(pace.batchSize()).isEqualTo(30);
        }
    }
}
