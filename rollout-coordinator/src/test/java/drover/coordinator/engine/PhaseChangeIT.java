package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.announce.Announcement;
import drover.coordinator.announce.Announcements;
import drover.coordinator.announce.Kind;
import drover.coordinator.plan.OperatorRequest;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.store.EventViews.Only;
import drover.coordinator.store.PostgresEventStore;
import drover.coordinator.store.TestDatabase;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Events of the phases of an attempt. */
final class PhaseChangeIT {
    @AutoClose private final TestDatabase database = TestDatabase.open();
    @AutoClose private final VirtualTerm term = new VirtualTerm(database);

    @Test
    @DisplayName("Each phase of an attempt is an event, and a repeated report is none")
    void publishesEachPhaseOnce() {
        WanderingAgent agent = term.fleet("demo", 1, WanderingAgent.Left.PREPARING);
        RolloutId id = term.create(SampleRollout.Plan.rolling("demo", 1, 1));
        term.ask(id, new OperatorRequest.Start());
        agent.comeBack(); // reports the same phase again
        term.tick();
        for (UpgradePhase phase :
                List.of(UpgradePhase.STOPPED, UpgradePhase.MUTATING, UpgradePhase.STARTING)) {
            agent.begin(1, phase);
            term.tick();
        }
        long rows = database.count("SELECT count(*) FROM history");
        term.pass(Duration.ofMinutes(1));
        assertThat(database.count("SELECT count(*) FROM history"))
                .as("without a report nothing is written")
                .isEqualTo(rows);
        agent.goOn();
        term.pass(Duration.ofSeconds(30));

        assertThat(phases(agent.id))
                .containsExactly(
                        " -> preparing",
                        "preparing -> stopped",
                        "stopped -> mutating",
                        "mutating -> starting"); // healthy at once: it passed verifying in one step
    }

    private List<String> phases(NodeId node) {
        return Announcements.of(
                        new PostgresEventStore(database.database()).after(0, Only.ALL, 1_000))
                .stream()
                .filter(event -> event.kind() == Kind.UPGRADE_PHASE_CHANGED)
                .map(Announcement::happened)
                .filter(row -> row.node().equals(node.value()))
                .map(row -> row.from() + " -> " + row.to())
                .toList();
    }
}
