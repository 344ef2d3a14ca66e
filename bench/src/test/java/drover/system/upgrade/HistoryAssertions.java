package drover.system.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.AuditWalk;
import drover.coordinator.store.AuditViews.Checked;
import drover.coordinator.store.Database;
import drover.coordinator.store.HistoryRow;
import drover.coordinator.store.HistoryRules;
import drover.coordinator.store.PostgresAuditViews;
import drover.system.failover.ReplicatedDeployment;
import java.util.List;
import java.util.Set;

/** What must be true of what is written, whatever was done to the services meanwhile. */
final class HistoryAssertions {
    private static final Set<String> HARMED = Set.of("failed", "failed_rollback", "unreachable");

    private HistoryAssertions() {}

    /** No rule of histories is broken, no node was harmed, and no chain was touched. */
    static void assertThatOf(ReplicatedDeployment mesh, String rollout) {
        List<HistoryRow> history = mesh.history(rollout);
        assertThat(HistoryRules.broken(history)).isEmpty();
        assertThat(history).as("A7").noneMatch(row -> HARMED.contains(row.to()));
        List<Checked> chains =
                new AuditWalk(new PostgresAuditViews(Database.open(mesh.pool())), System::nanoTime)
                        .check("")
                        .checked();
        assertThat(chains).isNotEmpty().allMatch(chain -> chain.breaks().isEmpty());
    }
}
