package drover.coordinator.store.check;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.rollout.HistoryEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Histories of rollouts that followed the rules, and the same after one change. */
class NodeHealthHistoryRulesTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final DeclaredLimits ONE = new DeclaredLimits(List.of(1), 1, false);
    private static final DeclaredLimits CANARY = new DeclaredLimits(List.of(1, 2), 2, false);

    private final List<HistoryEntry> rows = new ArrayList<>();
    private long second;

    private void rollout(String from, String to, String code) {
        add("rollout", "", from, to, code);
    }

    private void node(String node, String... states) {
        for (int i = 1; i < states.length; i++) {
            add("node", node, states[i - 1], states[i], "CODE");
        }
    }

    private void add(String subject, String node, String from, String to, String code) {
        Instant at = START.plusSeconds(second++);
        Cause why = new Cause(code, "Why.");
        rows.add(new HistoryEntry(at, 1, "drover", subject, node, from, to, why));
    }

    private void started() {
        rollout("", "pending", "CREATED");
        rollout("pending", "running", "STARTED");
    }

    private void succeeded(String node) {
        node(node, "pending", "assigned", "upgrading", "settling", "succeeded");
    }

    private void rollsBack() {
        started();
        succeeded("a");
        succeeded("b");
        succeeded("c");
        rollout("running", "completed", "COMPLETED");
        rollout("completed", "rolling_back", "ROLLBACK");
    }

    private void assertViolated(DeclaredLimits limits, String rule) {
        assertThat(HistoryInvariants.violations(rows, limits))
                .singleElement()
                .asString()
                .startsWith(rule);
    }

    private void assertKept(DeclaredLimits limits) {
        assertThat(HistoryInvariants.violations(rows, limits)).isEmpty();
    }

    @Test
    @DisplayName("A21: more nodes in flight than the batch size are found")
    void findsANodeBeyondTheBatchSize() {
        started();
        node("a", "pending", "assigned", "upgrading", "settling");
        node("b", "pending", "assigned");

        assertViolated(ONE, "A21: in flight are 2, at most 1");
        assertKept(DeclaredLimits.UNKNOWN);
    }

    @Test
    @DisplayName("A21: the canary batch has the limit of the canary, the next one another")
    void findsANodeBeyondTheCanarySize() {
        started();
        node("a", "pending", "assigned", "upgrading");
        add("batch 1", "", "pending", "settling", "SETTLING");
        node("a", "upgrading", "settling", "succeeded");
        add("batch 1", "", "settling", "promoted", "PROMOTED");
        node("b", "pending", "assigned");
        node("c", "pending", "assigned");
        assertKept(CANARY);

        rows.removeIf(row -> row.to().equals("promoted"));

        assertViolated(CANARY, "A21: in flight are 2, at most 1");
    }

    @Test
    @DisplayName("A21: an unreachable node that returns may exceed the batch size")
    void acceptsANodeThatReturns() {
        started();
        node("a", "pending", "assigned", "unreachable");
        node("b", "pending", "assigned", "upgrading");
        node("a", "unreachable", "upgrading", "settling", "succeeded");
        assertKept(ONE);

        node("c", "pending", "assigned");

        assertViolated(ONE, "A21");
    }

    @Test
    @DisplayName("A22: work that is given while a node is unhealthy is found")
    void findsWorkAfterALateFailure() {
        started();
        succeeded("a");
        node("a", "succeeded", "unhealthy");
        node("b", "pending", "assigned");

        assertViolated(ONE, "A22: given work while unhealthy are [a]");
        assertKept(new DeclaredLimits(List.of(1), 1, true));
    }

    @Test
    @DisplayName("A22: a recovery, a resume or a force permits more work")
    void acceptsWorkAfterRecoveryOrAcknowledgement() {
        started();
        succeeded("a");
        node("a", "succeeded", "unhealthy", "succeeded");
        succeeded("b");
        node("a", "succeeded", "unhealthy");
        rollout("running", "paused", "SUCCEEDED_UNHEALTHY");
        rollout("paused", "running", "RESUMED");
        succeeded("c");
        node("c", "succeeded", "unhealthy");
        rollout("running", "paused", "SUCCEEDED_UNHEALTHY");
        rollout("paused", "running", "FORCED");
        succeeded("d");
        assertKept(ONE);

        rows.removeIf(row -> row.because().code().equals("RESUMED"));
        assertThat(HistoryInvariants.violations(rows, ONE))
                .anySatisfy(it -> assertThat(it).startsWith("A22: given work"));
    }

    @Test
    @DisplayName("A21: more restores than the batch size are found, also after a pause")
    void findsARestoreBeyondTheBatchSize() {
        rollsBack();
        node("c", "succeeded", "restoring");
        assertKept(ONE);

        rollout("rolling_back", "paused", "OPERATOR");
        rollout("paused", "rolling_back", "RESUMED");
        node("b", "succeeded", "restoring");

        assertViolated(ONE, "A21: in flight are 2, at most 1");
    }

    @Test
    @DisplayName("A23: a restore while the health of a restored node is awaited is found")
    void findsARestoreWhileARestoredNodeIsAwaited() {
        rollsBack();
        node("c", "succeeded", "restoring", "restored");
        node("b", "succeeded", "restoring");
        assertViolated(CANARY, "A23: restored while awaiting the health of 1");

        rows.removeLast();
        node("c", "restored", "rolled_back");
        node("b", "succeeded", "restoring");

        assertKept(CANARY);
    }
}
