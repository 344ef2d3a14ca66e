package drover.gateway.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.session.AgentFinding;
import drover.model.NodeId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RejectedMessagesTest {
    private static final NodeId ONE = new NodeId("n1");
    private static final NodeId TWO = new NodeId("n2");

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // clocks begin anywhere
    private final RejectedMessages rejected = new RejectedMessages(nanos::get);

    @Test
    void keepsTheLatestOfEachNodeForFifteenMinutes() {
        assertThat(rejected.add(ONE, "a")).isTrue();
        assertThat(rejected.add(TWO, "b")).isTrue();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        assertThat(rejected.add(ONE, "a")).as("known").isFalse();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(5));

        assertThat(rejected.expire()).containsExactly(TWO);

        assertThat(rejected.findingOf(ONE)).contains(new AgentFinding("MESSAGE_REJECTED", "", "a"));
        assertThat(rejected.findingOf(TWO)).isEmpty();
        assertThat(rejected.add(ONE, "c")).as("another reason").isTrue();
    }

    @Test
    void keepsAtMostAThousand() {
        for (int i = 0; i <= 1_000; i++) {
            rejected.add(new NodeId("n" + i), "a");
        }

        assertThat(rejected.findingOf(new NodeId("n0"))).isEmpty();
        assertThat(rejected.findingOf(ONE)).isPresent();
    }
}
