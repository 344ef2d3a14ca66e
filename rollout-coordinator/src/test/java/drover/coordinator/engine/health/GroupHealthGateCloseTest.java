package drover.coordinator.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.health.GroupHealthGate.GateIdentity;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupGateStatus;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GroupHealthGateCloseTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int TRIES = 5_000; // two that do not wait for each other meet in dozens
    private static final GateIdentity QUESTION =
            new GateIdentity(
                    new GroupComponent(
                            0,
                            new BinaryName("web"),
                            new Version("v2"),
                            "up",
                            new RolloutId("r1"),
                            Duration.ofSeconds(3),
                            3),
                    NOW);

    private final AtomicInteger closed = new AtomicInteger();

    private GroupHealthGate gateWithTwoGroups() {
        GroupHealthGate gate = new GroupHealthGate(new CountedLinks(), () -> NOW, () -> {});
        GroupHealthGate.GateScope scope =
                new GroupHealthGate.GateScope(
                        Set.of(SampleRollout.node("demo", 1)), List.of("here"));
        for (String group : List.of("one", "other")) {
            GroupGateStatus view = gate.check(new GroupId(group), QUESTION, scope, _ -> true);
            assertThat(view).isInstanceOf(GroupGateStatus.Waiting.class);
        }
        return gate;
    }

    @Test
    @Timeout(600)
    @DisplayName("a term that two end at once closes each of its gates once")
    void twoCloseItAtOnce() {
        CyclicBarrier together = new CyclicBarrier(2);
        try (ExecutorService closers = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < TRIES; i++) {
                GroupHealthGate gate = gateWithTwoGroups();
                CompletableFuture<?> one =
                        CompletableFuture.runAsync(() -> close(gate, together), closers);
                CompletableFuture<?> other =
                        CompletableFuture.runAsync(() -> close(gate, together), closers);
                CompletableFuture.allOf(one, other).join();
            }
        }
        assertThat(closed).hasValue(2 * TRIES);
    }

    private static void close(GroupHealthGate gate, CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        gate.close();
    }

    private final class CountedLinks implements GroupHealthGate.EvaluatorPool {
        @Override
        public OptionalLong nextEvaluator(Set<Long> inVain) {
            return OptionalLong.of(1);
        }

        @Override
        public HealthEvaluatorLink openOrFallBack(
                OptionalLong which, HealthEvaluatorLink.Listener events) {
            return new CountedLink();
        }
    }

    /** Says nothing, and counts how often it was closed. */
    private final class CountedLink implements HealthEvaluatorLink {
        @Override
        public void setGateways(List<String> addresses) {}

        @Override
        public void watch(Collection<Watch> watches) {}

        @Override
        public void unwatch(Collection<NodeId> nodes) {}

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}
