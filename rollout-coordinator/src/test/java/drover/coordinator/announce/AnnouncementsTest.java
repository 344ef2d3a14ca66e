package drover.coordinator.announce;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnnouncementsTest {
    private static final Happened.About ABOUT =
            new Happened.About("r-1", "demo", "web", "v1", "v2", "rolling");

    private static Happened row(String subject, String node, String from, String to, String code) {
        return new Happened(
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

    private static Announcement only(Happened row) {
        return Announcements.of(row).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "'',pending,CREATED,created,''",
        "pending,running,STARTED,started,rollout_started",
        "pending,failed,NEVER_STARTED,failed,rollout_failed",
        "pending,cancelled,CANCELLED,cancelled,''",
        "running,awaiting_approval,CANARY_PROVEN,awaiting_approval,''",
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
        Announcement told = only(row("rollout", "", from, to, code));
        assertThat(told.subject()).isEqualTo("events.rollout.r-1." + word);
        assertThat(told.type()).isEqualTo("drover.rollout." + word);
        assertThat(told.kind().notification()).isEqualTo(notification);
    }

    @ParameterizedTest
    @CsvSource({
        "pending,assigned,upgrade_started",
        "assigned,upgrading,upgrade_phase_changed",
        "upgrading,settling,upgrade_phase_changed",
        "settling,settling,",
        "'',skipped,",
        "settling,succeeded,upgrade_completed",
        "upgrading,failed,upgrade_completed",
        "upgrading,failed_rollback,upgrade_completed",
        "settling,restoring,upgrade_phase_changed",
        "restoring,rolled_back,upgrade_completed",
        "upgrading,unreachable,upgrade_phase_changed",
        "pending,skipped,upgrade_phase_changed",
        "failed,pending,upgrade_phase_changed"
    })
    void aMoveOfANodeIsAnEventOnceItHadItsTurn(String from, String to, String word) {
        List<String> subjects =
                Announcements.of(List.of(row("node", "mq-1", from, to, "X"))).stream()
                        .map(Announcement::subject)
                        .toList();
        assertThat(subjects)
                .isEqualTo(word == null ? List.of() : List.of("events.node.mq-1." + word));
    }

    @Test
    void batchesAreProgress() {
        Announcement told = only(row("batch 2", "", "settling", "promoted", "PROMOTED"));
        assertThat(told.subject()).isEqualTo("events.rollout.r-1.progress");
        assertThat(told.happened().batch()).isEqualTo(2);
    }

    @Test
    void anIdNamesTheRowAndItsHash() {
        Announcement told = only(row("rollout", "", "", "pending", "CREATED"));
        assertThat(told.id()).isEqualTo("17-0123456789ab");
        assertThat(told.sequence()).isEqualTo("0000000000000000017");
    }
}
