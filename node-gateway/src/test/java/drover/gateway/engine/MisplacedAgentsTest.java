package drover.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodeId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MisplacedAgentsTest {
    private static final NodeId ONE = new NodeId("n1");
    private static final NodeId TWO = new NodeId("n2");

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // clocks begin anywhere
    private final MisplacedAgents misplaced = new MisplacedAgents(nanos::get);

    private void later(long minutes) {
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void oneThatTriesOnIsRememberedAndOneThatGaveUpIsNot() {
        assertThat(misplaced.note(ONE)).isTrue();
        assertThat(misplaced.note(TWO)).isTrue();
        later(10);
        assertThat(misplaced.note(ONE)).as("it is known").isFalse();
        assertThat(misplaced.forget()).isFalse();

        later(5);

        assertThat(misplaced.forget()).isTrue();
        assertThat(misplaced.nodes()).containsExactly(ONE);
    }

    @Test
    void soManyAndNoMoreAreRemembered() {
        for (int i = 0; i <= MisplacedAgents.MOST; i++) {
            misplaced.note(new NodeId("n" + i));
        }
        assertThat(misplaced.nodes())
                .hasSize(MisplacedAgents.MOST)
                .doesNotContain(new NodeId("n0"));
    }
}
