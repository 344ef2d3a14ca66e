package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.event.EventKind;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.export.PostgresEventDeliveryStore;
import drover.coordinator.store.sql.TestDatabase;
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
    @AutoClose private final VirtualTimeTerm term = new VirtualTimeTerm(database);

    @Test
    @DisplayName("Each phase of an attempt is an event, and a repeated report is none")
    void publishesEachPhaseOnce() {
        ReconnectingAgent agent = term.fleet("demo", 1, ReconnectingAgent.Left.PREPARING);
        RolloutId id = term.create(SampleRollout.Plan.rolling("demo", 1, 1));
        term.submit(id, new OperatorRequest.Start());
        agent.comeBack(); // reports the same phase again
        term.tick();
        for (UpgradePhase phase :
                List.of(UpgradePhase.STOPPED, UpgradePhase.MUTATING, UpgradePhase.STARTING)) {
            agent.start(1, phase);
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
        return EventMapper.of(
                        new PostgresEventDeliveryStore(database.database())
                                .findAfter(0, RolloutAndNodeFilter.ALL, 1_000))
                .stream()
                .filter(event -> event.kind() == EventKind.UPGRADE_PHASE_CHANGED)
                .map(RolloutEvent::entry)
                .filter(row -> row.node().equals(node.value()))
                .map(row -> row.from() + " -> " + row.to())
                .toList();
    }
}
