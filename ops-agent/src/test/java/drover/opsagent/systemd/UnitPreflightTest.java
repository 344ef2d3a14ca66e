package drover.opsagent.systemd;

import static drover.opsagent.preflight.PreflightReportAssert.assertThatReport;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.preflight.ActionCheckResult;
import drover.opsagent.preflight.PreflightReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UnitPreflightTest {
    private final UnitNode node = UnitNode.running();

    @Test
    @DisplayName("A unit is looked at and left alone: same process, same state, same files")
    void findsNothingWrongWithAGoodUnit() {
        UnitNode.Agent agent = node.agent(1).boot();
        String before = node.whole();
        PreflightReport report = preflight(agent, UnitNode.upgrade(0));
        assertThatReport(report).findsNothingWrong();
        assertThat(node.whole()).isEqualTo(before);
    }

    @Test
    void findsAUnitThatIsNotThere() {
        PreflightReport report =
                preflight(
                        node.agent(1).boot(), UnitNode.upgrade(0, UnitNode.spec("other.service")));
        assertThatReport(report).finds(UpgradeAction.STOP_NODE, ReasonCode.PROGRAM_REFUSED);
    }

    @Test
    @DisplayName("A unit that is down and starts another file than the profile's program")
    void findsAUnitThatStartsSomethingElse() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.disk.putDurableFile(
                Path.of(UnitNode.UNIT_FILE.value()),
                UnitNode.bytes("ExecStart=/opt/other/app\n"),
                FileAttributes.CONFIG);
        node.units.reload(node.ticker.deadlineIn(Duration.ofSeconds(5)));
        node.units.stop(UnitNode.UNIT, node.ticker.deadlineIn(Duration.ofSeconds(5)));
        PreflightReport report = preflight(agent, programAlone());
        assertThatReport(report).finds(UpgradeAction.START_NODE, ReasonCode.PROGRAM_REFUSED);
    }

    @Test
    @DisplayName("B01: the user of the unit may not execute the program, although root may")
    void findsAFileThatTheUserOfTheUnitMayNotExecute() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.disk.putDurableFile(
                Path.of(UnitNode.UNIT_FILE.value()),
                UnitNode.bytes("ExecStart=/usr/bin/app\nUser=app\n"),
                FileAttributes.CONFIG);
        node.units.reload(node.ticker.deadlineIn(Duration.ofSeconds(5)));
        node.units.denyExecution("app");
        PreflightReport report = preflight(agent, programAlone());
        assertThatReport(report)
                .finds(UpgradeAction.START_NODE, ReasonCode.NOT_EXECUTABLE, "user app may not");
    }

    /** An upgrade that leaves the unit file as it is. */
    private static CommandWithContents programAlone() {
        byte[] program = UnitNode.bytes("new");
        Digest config = UnitNode.oldConfigDigest();
        Work upgrade =
                new Work.Upgrade(
                        UnitNode.spec(),
                        "v2",
                        new Artifact("http://artifacts.example/x", Digest.of(program), 0),
                        List.of(),
                        Digest.of(program),
                        "",
                        config);
        ParsedCommand request =
                new ParsedCommand(
                        "node-1",
                        "rollout-1",
                        0,
                        1,
                        Digest.of("body").value(),
                        List.of(),
                        new ParsedCommand.WorkParseResult.Valid(upgrade));
        return new CommandWithContents(request, Duration.ofSeconds(550), Map.of());
    }

    @Test
    void findsThatSystemdDoesNotAnswer() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.units.setUnresponsive(true);
        PreflightReport report = preflight(agent, UnitNode.upgrade(0));
        assertThat(report.checks())
                .extracting(ActionCheckResult::reason)
                .contains(ReasonCode.RUNTIME_UNAVAILABLE);
    }

    @Test
    void findsAReadOnlyPlaceOfUnitFiles() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.disk.denyNewFiles(Path.of("/etc/systemd/system"));
        PreflightReport report = preflight(agent, UnitNode.upgrade(0));
        assertThatReport(report).finds(UpgradeAction.WRITE_CONFIGS, ReasonCode.DISK_ERROR);
    }

    private static PreflightReport preflight(UnitNode.Agent agent, CommandWithContents delivery) {
        return agent.processor.preflight(new PreflightRequest("asked", delivery));
    }
}
