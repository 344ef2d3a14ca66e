package drover.system.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.export.AllHistoriesVerifier;
import drover.coordinator.store.audit.HistoryChecker.CheckedHistory;
import drover.coordinator.store.audit.PostgresHistoryChecker;
import drover.coordinator.store.check.HistoryInvariants;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.Database;
import drover.system.failover.ReplicatedDeployment;
import java.util.List;
import java.util.Set;

/** What must be true of what is written, whatever was done to the services meanwhile. */
final class HistoryAssertions {
    private static final Set<String> HARMED = Set.of("failed", "failed_rollback", "unreachable");

    private HistoryAssertions() {}

    /** No rule of histories is broken, no node was harmed, and no chain was touched. */
    static void assertThatOf(ReplicatedDeployment deployment, String rollout) {
        List<HistoryEntry> history = deployment.history(rollout);
        assertThat(HistoryInvariants.violations(history)).isEmpty();
        assertThat(history).as("A7").noneMatch(row -> HARMED.contains(row.to()));
        List<CheckedHistory> chains =
                new AllHistoriesVerifier(
                                new PostgresHistoryChecker(
                                        Database.migrateAndOpen(deployment.pool())),
                                System::nanoTime)
                        .verifyFrom("")
                        .checked();
        assertThat(chains).isNotEmpty().allMatch(chain -> chain.breaks().isEmpty());
    }
}
