package drover.opsagent.engine;

import static drover.opsagent.script.PreflightReportAssert.assertThatReport;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.disk.FileMode;
import drover.opsagent.script.ActionCheck;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.PreflightReport;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Request;
import drover.opsagent.script.Work;
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
        PreflightReport report = look(agent, UnitNode.upgrade(0));
        assertThatReport(report).findsNothingWrong();
        assertThat(node.whole()).isEqualTo(before);
    }

    @Test
    void findsAUnitThatIsNotThere() {
        PreflightReport report =
                look(node.agent(1).boot(), UnitNode.upgrade(0, UnitNode.spec("other.service")));
        assertThatReport(report).finds(UpgradeAction.STOP_NODE, ReasonCode.PROGRAM_REFUSED);
    }

    @Test
    @DisplayName("A unit that is down and starts another file than the profile's program")
    void findsAUnitThatStartsSomethingElse() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.disk.put(
                Path.of(UnitNode.UNIT_FILE.value()),
                UnitNode.bytes("ExecStart=/opt/other/app\n"),
                FileMode.CONFIG);
        node.units.reload(node.ticker.in(Duration.ofSeconds(5)));
        node.units.stop(UnitNode.UNIT, node.ticker.in(Duration.ofSeconds(5)));
        PreflightReport report = look(agent, programAlone());
        assertThatReport(report).finds(UpgradeAction.START_NODE, ReasonCode.PROGRAM_REFUSED);
    }

    /** An upgrade that leaves the unit file as it is. */
    private static Delivery programAlone() {
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
        Request request =
                new Request(
                        "node-1",
                        "rollout-1",
                        0,
                        1,
                        Digest.of("body").value(),
                        List.of(),
                        new Request.Reading.Asked(upgrade));
        return new Delivery(request, Duration.ofSeconds(550), Map.of());
    }

    @Test
    void findsThatSystemdDoesNotAnswer() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.units.silent(true);
        PreflightReport report = look(agent, UnitNode.upgrade(0));
        assertThat(report.checks())
                .extracting(ActionCheck::reason)
                .contains(ReasonCode.RUNTIME_UNAVAILABLE);
    }

    @Test
    void findsAReadOnlyPlaceOfUnitFiles() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.disk.deny(Path.of("/etc/systemd/system"));
        PreflightReport report = look(agent, UnitNode.upgrade(0));
        assertThatReport(report).finds(UpgradeAction.WRITE_CONFIGS, ReasonCode.DISK_ERROR);
    }

    private static PreflightReport look(UnitNode.Agent agent, Delivery delivery) {
        return agent.desk.look(new PreflightAsked("asked", delivery));
    }
}
