package drover.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import drover.incident.v1.IncidentCategory;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ResolveIncidentRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class IncidentCommandsTest {
    @AutoClose private final FakeDrover drover = new FakeDrover();

    @Test
    void listsOpenOnes() {
        assertThat(CommandResult.on(drover, "incident", "list", "--category", "crash_loop").out())
                .contains("one", "critical", "crash_loop", "open", "node-1", "cannot stay up")
                .doesNotContain("old");
        assertThat(drover.requested)
                .containsExactly(
                        ListIncidentsRequest.newBuilder()
                                .setCategory(IncidentCategory.INCIDENT_CATEGORY_CRASH_LOOP)
                                .setPageSize(100)
                                .build());
    }

    @Test
    void listsEndedOnesByOption() {
        assertThat(CommandResult.on(drover, "incident", "list", "--all").out())
                .contains("old", "unknown");
    }

    @Test
    void resolvesWithANote() {
        assertThat(
                        CommandResult.on(
                                        drover, "incident", "resolve", "one", "--note", "put right")
                                .out())
                .isEqualTo("Incident one is resolved.\n");
        assertThat(drover.requested)
                .containsExactly(
                        ResolveIncidentRequest.newBuilder()
                                .setIncidentId("one")
                                .setNote("put right")
                                .build());
    }

    /** T14: rollouts and groups had short ids already. */
    @Test
    void findsAnIncidentByTheStartOfItsId() {
        var typed = CommandResult.on(drover, "incident", "resolve", "7b1e", "--note", "done");
        assertThat(typed.exitCode()).isZero();
        assertThat(drover.requested.getLast())
                .isEqualTo(
                        ResolveIncidentRequest.newBuilder()
                                .setIncidentId(FakeDrover.INCIDENT)
                                .setNote("done")
                                .build());
    }

    @Test
    void describesTheRemedyOfARefusal() {
        drover.refuse(Code.FAILED_PRECONDITION, "INCIDENT_RESOLVED", "Incident one is over.");

        assertThat(CommandResult.on(drover, "incident", "resolve", "one", "--note", "x").err())
                .contains("Incident one is over.", "drover incident list --all");
    }
}
