package drover.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EnrolmentPaceTest {
    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // clocks begin anywhere
    private final EnrolmentPace pace = new EnrolmentPace(nanos::get);

    private long admitted(int times, boolean oneSource) {
        return IntStream.range(0, times).filter(i -> isAdmitted(oneSource ? "s" : "s" + i)).count();
    }

    private boolean isAdmitted(String source) {
        try {
            pace.admit(source);
            return true;
        } catch (Refused refused) {
            assertThat(refused.code()).isEqualTo(RefusalCode.OVERLOADED);
            return false;
        }
    }

    private void later(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void fiftyAtOnceAndTenASecondOfAllTogether() {
        assertThat(admitted(200, false)).isEqualTo(50);
        later(1_000);
        assertThat(admitted(200, false)).isEqualTo(10);
        later(60_000);
        assertThat(admitted(200, false)).isEqualTo(50);
    }

    @Test
    void twentyAtOnceAndTwoASecondOfOneSource() {
        assertThat(admitted(200, true)).isEqualTo(20);
        later(1_000);
        assertThat(admitted(200, true)).isEqualTo(2);
        later(60_000);
        assertThat(admitted(200, true)).isEqualTo(20);
    }

    @Test
    void oneThatIsTooFastLeavesTheOthersTheirShare() {
        assertThat(admitted(500, true)).isEqualTo(20);
        assertThat(admitted(200, false)).isEqualTo(30);
    }
}
