package drover.coordinator.engine.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.store.access.GatewayJoinTokenReport;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When join tokens get into the audited history. */
final class JoinTokenAuditRecorderTest {
    private static final GatewayJoinTokenReport TOKEN =
            new GatewayJoinTokenReport("t1", "any node of a/b", 1, 2, "key:ann", Instant.MAX, "");

    private final List<GatewayJoinTokenReport> recorded = new ArrayList<>();

    @Test
    void recordsWhatGatewaysReportAndGoesOnAfterAFailure() {
        List<List<GatewayJoinTokenReport>> reports = new ArrayList<>();
        JoinTokenAuditRecorder audit =
                new JoinTokenAuditRecorder(
                        recorded::addAll,
                        () -> {
                            if (reports.isEmpty()) {
                                throw new Refused(RefusalCode.GATEWAY_UNAVAILABLE, "None.");
                            }
                            return reports.removeFirst();
                        });
        audit.poll();
        assertThat(recorded).isEmpty();
        reports.add(List.of(TOKEN));
        audit.poll();
        assertThat(recorded).containsExactly(TOKEN);
    }

    /** So that the secret of a token is never shown before its creation is recorded. */
    @Test
    void failsWhenTheHistoryCannotBeWritten() {
        JoinTokenAuditRecorder audit =
                new JoinTokenAuditRecorder(
                        tokens -> {
                            throw new StoreUnavailable(
                                    "recording", new IllegalStateException("gone"));
                        },
                        List::of);
        assertThatThrownBy(() -> audit.record(TOKEN)).isInstanceOf(StoreUnavailable.class);
    }
}
