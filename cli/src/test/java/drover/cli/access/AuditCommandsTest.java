package drover.cli.access;

import static org.assertj.core.api.Assertions.assertThat;

import drover.audit.v1.AuditFinding;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.cli.terminal.CommandFailed;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class AuditCommandsTest {
    @AutoClose private final FakeDrover drover = new FakeDrover();

    @Test
    void aWholeHistoryIsHealthyToItsEnd() {
        CommandResult typed = CommandResult.on(drover, "audit", "verify");
        assertThat(typed.out())
                .isEqualTo("3 histories with 40 entries: all as they were written.\n");
        assertThat(typed.exitCode()).isZero();
        assertThat(drover.requested).hasSize(2);
    }

    @Test
    void whatWasChangedIsNamedAndFails() {
        drover.findings.add(
                AuditFinding.newBuilder()
                        .setRolloutId("r-1")
                        .setEntry(12)
                        .setSentence("Entry 12 does not say what it said.")
                        .build());
        drover.findings.add(
                AuditFinding.newBuilder()
                        .setGroupId("g-1")
                        .setSentence("The end is missing.")
                        .build());
        drover.findings.add(
                AuditFinding.newBuilder()
                        .setKeys(true)
                        .setKeyId("ci")
                        .setSentence("The key ci was made by nobody.")
                        .build());
        CommandResult typed = CommandResult.on(drover, "audit", "verify");
        assertThat(typed.out().lines())
                .anySatisfy(line -> assertThat(line).matches("keys +ci +- +The key ci was .*"))
                .anySatisfy(line -> assertThat(line).matches("rollout +r-1 +12 +Entry 12 .*"))
                .anySatisfy(line -> assertThat(line).matches("group +g-1 +- +The end is missing."));
        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
        assertThat(CommandResult.on(drover, "audit", "verify", "--output", "json").exitCode())
                .isEqualTo(CommandFailed.FAILED);
    }
}
