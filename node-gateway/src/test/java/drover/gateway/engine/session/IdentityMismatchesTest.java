package drover.gateway.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodeId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class IdentityMismatchesTest {
    private static final NodeId ONE = new NodeId("n1");
    private static final NodeId TWO = new NodeId("n2");

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // clocks begin anywhere
    private final IdentityMismatches misplaced = new IdentityMismatches(nanos::get);

    private void later(long minutes) {
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void oneThatTriesOnIsRememberedAndOneThatGaveUpIsNot() {
        assertThat(misplaced.add(ONE)).isTrue();
        assertThat(misplaced.add(TWO)).isTrue();
        later(10);
        assertThat(misplaced.add(ONE)).as("it is known").isFalse();
        assertThat(misplaced.expire()).isFalse();

        later(5);

        assertThat(misplaced.expire()).isTrue();
        assertThat(misplaced.nodes()).containsExactly(ONE);
    }

    @Test
    void soManyAndNoMoreAreRemembered() {
        for (int i = 0; i <= IdentityMismatches.MAX_NODES; i++) {
            misplaced.add(new NodeId("n" + i));
        }
        assertThat(misplaced.nodes())
                .hasSize(IdentityMismatches.MAX_NODES)
                .doesNotContain(new NodeId("n0"));
    }
}
