package drover.coordinator.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventMapperTest {
    private static final EventHistoryEntry.RolloutDescription ABOUT =
            new EventHistoryEntry.RolloutDescription("r-1", "demo", "web", "v1", "v2", "rolling");

    private static EventHistoryEntry row(
            String subject, String node, String from, String to, String code) {
        return new EventHistoryEntry(
                17,
                "sha256:0123456789abcdef0123456789abcdef",
                Instant.parse("2026-01-01T00:00:00Z"),
                ABOUT,
                "alice",
                subject,
                node,
                from,
                to,
                code,
                "So it was.");
    }

    private static RolloutEvent only(EventHistoryEntry row) {
        return EventMapper.of(row).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "'',pending,CREATED,created,''",
        "pending,running,STARTED,started,rollout_started",
        "pending,failed,NEVER_STARTED,failed,rollout_failed",
        "pending,cancelled,CANCELLED,cancelled,''",
        "running,awaiting_approval,CANARY_PROVEN,awaiting_approval,approval_requested",
        "awaiting_approval,running,APPROVED,approved,''",
        "awaiting_approval,running,OBSERVED_ANEW,progress,''",
        "running,running,FORCED,progress,''",
        "running,paused,CANARY_FAILED,paused,rollout_paused",
        "rolling_back,paused,OPERATOR,paused,rollout_paused",
        "paused,running,RESUMED,resumed,''",
        "paused,running,FORCED,resumed,''",
        "paused,awaiting_approval,RESUMED,resumed,''",
        "paused,rolling_back,RESUMED,resumed,''",
        "paused,rolling_back,ROLLBACK,rollback_started,rollback_initiated",
        "completed,rolling_back,ROLLBACK,rollback_started,rollback_initiated",
        "running,cancelling,CANCELLED,cancelling,''",
        "cancelling,cancelling,ROLLBACK,progress,''",
        "cancelling,cancelled,CANCELLED,cancelled,''",
        "running,completed,COMPLETED,completed,rollout_completed",
        "running,failed,FAILED_NODES,failed,rollout_failed",
        "rolling_back,failed,ROLLBACK_INCOMPLETE,failed,rollout_failed",
        "rolling_back,rolled_back,ROLLED_BACK,rolled_back,rollback_completed"
    })
    void everyMoveOfARolloutIsOneEvent(
            String from, String to, String code, String word, String notification) {
        RolloutEvent event = only(row("rollout", "", from, to, code));
        assertThat(event.subject()).isEqualTo("events.rollout.r-1." + word);
        assertThat(event.type()).isEqualTo("drover.rollout." + word);
        assertThat(event.kind().notificationName()).isEqualTo(notification);
    }

    @ParameterizedTest
    @CsvSource({
        "pending,assigned,upgrade_started",
        "assigned,upgrading,upgrade_status_changed",
        "upgrading,settling,upgrade_status_changed",
        "settling,settling,",
        "'',skipped,",
        "settling,succeeded,upgrade_completed",
        "upgrading,failed,upgrade_completed",
        "upgrading,failed_rollback,upgrade_completed",
        "settling,restoring,upgrade_status_changed",
        "restoring,rolled_back,upgrade_completed",
        "upgrading,unreachable,upgrade_status_changed",
        "pending,skipped,upgrade_status_changed",
        "failed,pending,upgrade_status_changed",
        "succeeded,unhealthy,upgrade_status_changed",
        "unhealthy,succeeded,upgrade_completed",
        "unhealthy,restoring,upgrade_status_changed",
        "restoring,restored,upgrade_status_changed",
        "restored,rolled_back,upgrade_completed"
    })
    void aMoveOfANodeIsAnEventOnceItHadItsTurn(String from, String to, String word) {
        List<String> subjects =
                EventMapper.of(List.of(row("node", "mq-1", from, to, "X"))).stream()
                        .map(RolloutEvent::subject)
                        .toList();
        assertThat(subjects)
                .isEqualTo(word == null ? List.of() : List.of("events.node.mq-1." + word));
    }

    @ParameterizedTest
    @CsvSource({"'',preparing", "preparing,stopped", "stopped,mutating", "starting,verifying"})
    void aChangeOfThePhaseIsAnEventOfItsNode(String from, String to) {
        RolloutEvent event = only(row("phase", "mq-1", from, to, "PHASE_CHANGED"));
        assertThat(event.subject()).isEqualTo("events.node.mq-1.upgrade_phase_changed");
        assertThat(event.entry().to()).isEqualTo(to);
    }

    @Test
    void batchesAreProgress() {
        RolloutEvent event = only(row("batch 2", "", "settling", "promoted", "PROMOTED"));
        assertThat(event.subject()).isEqualTo("events.rollout.r-1.progress");
        assertThat(event.entry().batchNumber()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "'',open,incident_opened",
        "open,resolved,incident_resolved",
        "acknowledged,resolved,incident_resolved",
        "open,of_a_later_version,"
    })
    void anIncidentIsAnEventWhenItIsOpenedAndWhenItIsResolved(String from, String to, String word) {
        List<RolloutEvent> events = EventMapper.of(List.of(incident(from, to)));
        if (word == null) {
            assertThat(events).isEmpty();
            return;
        }
        RolloutEvent event = events.getFirst();
        assertThat(event.subject()).isEqualTo("events.node.mq-1." + word);
        assertThat(event.type()).isEqualTo("drover.node." + word);
        assertThat(event.kind().notificationName()).isEqualTo(word);
    }

    private static EventHistoryEntry incident(String from, String to) {
        EventHistoryEntry row = row("incident", "mq-1", from, to, "CRASH_LOOP");
        return new EventHistoryEntry(
                row.seq(),
                row.hash(),
                row.at(),
                EventHistoryEntry.RolloutDescription.NOTHING,
                row.actor(),
                row.subject(),
                row.node(),
                row.from(),
                row.to(),
                row.code(),
                row.sentence(),
                new EventHistoryEntry.IncidentDescription("i-1", "crash_loop", "major"));
    }

    @Test
    void anIdNamesTheRowAndItsHash() {
        RolloutEvent event = only(row("rollout", "", "", "pending", "CREATED"));
        assertThat(event.id()).isEqualTo("17-0123456789ab");
        assertThat(event.sequence()).isEqualTo("0000000000000000017");
    }
}
