package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.changed;
import static drover.opsagent.systemd.machine.UnitCommands.upgrade;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Duration;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.Command;
import drover.agent.v1.StopSettings;
import drover.agent.v1.StopSignal;
import drover.model.ApplicationHealth;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramSpec;
import drover.opsagent.store.ProgramProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Probes and stop settings of a program that is a unit. */
class UnitProgramIT extends SystemdMachineNode {
    // Seconds that no other process sleeps: in the background of a probe, and in one that hangs.
    private static final String BACKGROUND = "86399";
    private static final String HANGING = "86398";
    private static final String STOP_SETTINGS = "/etc/systemd/system/app.service.d/stop.conf";

    private static final String BACKGROUND_SCRIPT =
            "sleep " + BACKGROUND + " & setsid sleep " + BACKGROUND + " & :";

    private static final List<Probe> PROBES =
            List.of(
                    probe("background", BACKGROUND_SCRIPT),
                    probe("input", "read line; test -z \"$line\""),
                    probe("ignores-term", "trap '' TERM INT HUP; sleep " + HANGING + "; :"));

    private boolean probed;

    private static Probe probe(String name, String script) {
        return new Probe(
                name,
                java.time.Duration.ofMillis(500),
                java.time.Duration.ofSeconds(1),
                java.time.Duration.ZERO,
                new Probe.Check.Exec(List.of("/bin/sh", "-c", script)),
                new Probe.StatusWhileFailing.HealthWhileFailing(ApplicationHealth.DEGRADED));
    }

    @Override
    ProgramProfile profile() {
        ProgramSpec spec = UnitCommands.spec();
        return new ProgramProfile(
                new ProgramSpec(
                        spec.name(), spec.runtime(), spec.launch(), probed ? PROBES : List.of()),
                List.of(UnitCommands.CONFIG, UnitCommands.UNIT));
    }

    @Test
    @DisplayName("B11: nothing that a probe of a unit starts survives it, nor the agent")
    void nothingOfAProbeSurvives() throws IOException {
        probed = true;
        try {
            aFreshNode();
            await().atMost(SOON).until(() -> failing().equals(List.of("ignores-term")));
            // A process may be there for as long as its probe runs; survivors would only grow.
            await().atMost(SOON).until(() -> sleepers(BACKGROUND).isEmpty());
            await().atMost(SOON).until(() -> sleepers(HANGING).isEmpty());
            machine.run("systemctl", "stop", "drover-agent.service");
        } finally {
            probed = false;
        }
        assertThat(sleepers(BACKGROUND) + sleepers(HANGING)).isEmpty();
        assertThat(mainPid()).as("the program").isNotEqualTo("0");
    }

    /** Probes that have run and fail. */
    private List<String> failing() {
        return heartbeat().getProgramsCount() == 0
                ? List.of()
                : heartbeat().getPrograms(0).getProbeDetailsList().stream()
                        .map(detail -> detail.substring(0, detail.indexOf(':')))
                        .toList();
    }

    private String sleepers(String seconds) {
        return machine.query("sh", "-c", "grep -lzx " + seconds + " /proc/[0-9]*/cmdline")
                .lines()
                .filter(file -> machine.query("cat", file).startsWith("sleep"))
                .collect(Collectors.joining());
    }

    @Test
    @DisplayName(
            "T10: the unit's signal is sent, and after the timeout of the profile it is killed")
    void theTimeoutOfTheProfileCountsBeforeThatOfTheUnit() throws IOException {
        String stopped = invocation();
        givesUnit("KillSignal=SIGWINCH\nTimeoutStopSec=40"); // it ignores the signal
        send(upgradeWithStop(StopSettings.newBuilder().setTimeout(seconds(1))));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(journal(stopped))
                .as("killed by the agent, before systemd does it")
                .contains("status=9/KILL")
                .doesNotContain("timed out");
        assertIs(newVersion);
    }

    @Test
    @DisplayName("T10: the signal of the unit file is the one that a program receives")
    void theSignalOfTheUnitFileIsSent() throws IOException {
        String stopped = invocation();
        givesUnit("KillSignal=SIGQUIT");
        send(upgradeWithStop(StopSettings.newBuilder().setTimeout(seconds(30))));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(journal(stopped)).contains("status=3/QUIT").doesNotContain("9/KILL");
    }

    @Test
    @DisplayName("T10: a signal of the profile is refused, with the line for the unit file")
    void aSignalOfTheProfileIsRefused() throws IOException {
        String main = mainPid();
        send(upgradeWithStop(StopSettings.newBuilder().setSignal(StopSignal.STOP_SIGNAL_INT)));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(status().getDetail()).contains("KillSignal=SIGINT");
        assertThat(mainPid()).isEqualTo(main);
    }

    private static Duration seconds(long seconds) {
        return Duration.newBuilder().setSeconds(seconds).build();
    }

    /** The next test stops the unit as usual. */
    @AfterEach
    void stopAsUsual() throws IOException {
        Files.deleteIfExists(machine.at(STOP_SETTINGS));
        machine.run("systemctl", "daemon-reload");
    }

    private void givesUnit(String settings) throws IOException {
        put(STOP_SETTINGS, ("[Service]\n" + settings + "\n").getBytes(UTF_8));
        machine.run("systemctl", "daemon-reload");
    }

    /** What systemd writes about the run that is stopped. */
    private String journal(String invocation) {
        return machine.run("journalctl", "INVOCATION_ID=" + invocation, "--output=cat");
    }

    private String invocation() {
        String show = "systemctl show --value -p InvocationID app.service";
        return machine.run("sh", "-c", show).strip();
    }

    private Command upgradeWithStop(StopSettings.Builder stop) {
        LaunchSpec launch = UnitCommands.spec().launch();
        LaunchSpec stopped =
                new LaunchSpec(
                        launch.path(),
                        launch.service(),
                        launch.arguments(),
                        launch.environment(),
                        launch.user(),
                        launch.identity(),
                        new drover.model.program.StopSettings(
                                stop.getSignal() == StopSignal.STOP_SIGNAL_INT
                                        ? Optional.of(drover.model.program.StopSignal.INT)
                                        : Optional.empty(),
                                stop.hasTimeout()
                                        ? Optional.of(
                                                java.time.Duration.ofSeconds(
                                                        stop.getTimeout().getSeconds()))
                                        : Optional.empty()));
        return changed(
                upgrade(1, oldVersion, newVersion),
                work -> {
                    work.getProgramBuilder().setStop(stop);
                    work.setTargetConfigDigest(
                            UnitCommands.configDigest(newVersion, stopped).value());
                });
    }
}
