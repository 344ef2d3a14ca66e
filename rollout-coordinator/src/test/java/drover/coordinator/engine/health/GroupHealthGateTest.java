package drover.coordinator.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupGateStatus;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The gate of one group, over evaluators that are numbered from 1. */
class GroupHealthGateTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final GroupId GROUP = new GroupId("group");
    private static final NodeId NODE = new NodeId("a");
    private static final HealthVerdict HEALTHY = new HealthVerdict.Healthy(0);
    private static final HealthVerdict UNRESPONSIVE = new HealthVerdict.NoData(0, "No heartbeat.");

    private Instant now = START;
    private boolean connected = true;
    private int evaluators = 2;
    private final List<Long> requested = new ArrayList<>();
    private final List<HealthEvaluatorLink.Listener> lines = new ArrayList<>();
    private final GroupHealthGate gate = new GroupHealthGate(new Evaluators(), () -> now, () -> {});

    @Test
    void isOpenOnceEveryNodeIsHealthy() {
        view();
        report(HEALTHY);
        assertThat(view()).isInstanceOf(GroupGateStatus.Open.class);
    }

    @Test
    @DisplayName("R3: another evaluator is asked where one hears nothing, and patience goes on")
    void reassignsToAReachableEvaluator() {
        view();
        report(UNRESPONSIVE);
        now = START.plus(GroupHealthGate.SWITCH_AFTER).minusSeconds(1);
        view();
        assertThat(requested).containsExactly(1L);

        now = now.plusSeconds(1);
        assertThat(requestedAt()).as("the pause is not put off").isEqualTo(START);
        assertThat(requested).containsExactly(1L, 2L);
        lines.getFirst().onVerdicts(Map.of(NODE, HEALTHY));
        assertThat(view()).as("said too late").isInstanceOf(GroupGateStatus.Waiting.class);
        report(HEALTHY);
        assertThat(view()).isInstanceOf(GroupGateStatus.Open.class);
    }

    @Test
    void triesNoEvaluatorTwice() {
        for (int i = 0; i < 5; i++) {
            view();
            report(UNRESPONSIVE);
            now = now.plus(GroupHealthGate.SWITCH_AFTER);
        }
        assertThat(requested).containsExactly(1L, 2L);
        assertThat(requestedAt()).isEqualTo(START);
    }

    @Test
    void theOnlyOneIsNotLeft() {
        evaluators = 1;
        view();
        report(UNRESPONSIVE);
        now = START.plus(GroupHealthGate.SWITCH_AFTER);
        view();
        assertThat(requested).containsExactly(1L);
    }

    @Test
    void disconnectedNodeHasNoData() {
        connected = false;
        view();
        report(UNRESPONSIVE);
        now = START.plus(GroupHealthGate.SWITCH_AFTER);
        view();
        assertThat(requested).containsExactly(1L);
    }

    @Test
    @DisplayName("A18: who is lost at a gate gives it time, and not for ever")
    void comingAndGoingHasAnEnd() {
        Duration timeout = component().gateTimeout();
        view();
        now = START.plus(timeout);
        lines.getLast().onClosed();
        assertThat(requestedAt()).isEqualTo(now);

        now = START.plus(timeout.multipliedBy(5));
        lines.getLast().onClosed();
        assertThat(requestedAt()).isEqualTo(START.plus(timeout.multipliedBy(2)));
    }

    private GroupGateStatus view() {
        return gate.check(
                GROUP,
                new GroupHealthGate.GateIdentity(component(), START),
                new GroupHealthGate.GateScope(Set.of(NODE), List.of("gateway")),
                _ -> connected);
    }

    private Instant requestedAt() {
        return ((GroupGateStatus.Waiting) view()).requestedAt();
    }

    private void report(HealthVerdict verdict) {
        lines.getLast().onOpened();
        lines.getLast().onVerdicts(Map.of(NODE, verdict));
    }

    private static GroupComponent component() {
        return new GroupComponent(
                0,
                new BinaryName("web"),
                new Version("v2"),
                "",
                new RolloutId("first"),
                Duration.ofSeconds(10),
                3);
    }

    private final class Evaluators implements GroupHealthGate.EvaluatorPool {
        @Override
        public OptionalLong nextEvaluator(Set<Long> inVain) {
            return LongStream.rangeClosed(1, evaluators)
                    .filter(each -> !inVain.contains(each))
                    .findFirst();
        }

        @Override
        public HealthEvaluatorLink openOrFallBack(
                OptionalLong which, HealthEvaluatorLink.Listener events) {
            requested.add(which.orElse(0));
            lines.add(events);
            return new UnresponsiveEvaluator();
        }
    }

    /** A link over which only the test speaks. */
    private static final class UnresponsiveEvaluator implements HealthEvaluatorLink {
        @Override
        public void setGateways(List<String> addresses) {}

        @Override
        public void watch(Collection<Watch> watches) {}

        @Override
        public void unwatch(Collection<NodeId> nodes) {}

        @Override
        public void close() {}
    }
}
