package drover.opsagent.probe;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.time.AutoAdvancingTicker;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When an agent reports health before its next heartbeat is due. */
class ProberTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Digest PROGRAM = Digest.of("program".getBytes(StandardCharsets.UTF_8));
    private static final ProgramSpec SPEC =
            new ProgramSpec(
                    new BinaryName("app"),
                    "process",
                    new LaunchSpec(
                            new NodePath("/bin/app"),
                            "",
                            List.of(),
                            Map.of(),
                            "",
                            ProgramDigestSource.EXE),
                    List.of(
                            new Probe(
                                    "answers",
                                    INTERVAL,
                                    Duration.ofSeconds(1),
                                    Duration.ZERO,
                                    new Probe.Check.ProcessAlive(),
                                    new Probe.StatusWhileFailing.HealthWhileFailing(
                                            ApplicationHealth.CRITICAL))));

    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private ProgramState state = up("run-1");
    private String problem = "";
    private final Prober prober =
            new Prober(runtime(), ticker, (check, timeout, alive) -> this.problem);

    private static ProgramState up(String runId) {
        return new ProgramState.Up(runId, PROGRAM, PROGRAM, Duration.ofMinutes(1), 0);
    }

    private NodeRuntime runtime() {
        return (NodeRuntime)
                Proxy.newProxyInstance(
                        NodeRuntime.class.getClassLoader(),
                        new Class<?>[] {NodeRuntime.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("status")) {
                                return this.state;
                            }
                            throw new AssertionError("probing does not need " + method);
                        });
    }

    private boolean round() {
        boolean changed = prober.runDueProbesAndDetectChange(List.of(SPEC));
        ticker.pause(INTERVAL);
        return changed;
    }

    @Test
    void theFirstRoundAndSteadyHealthAreNoChange() {
        assertThat(round()).isFalse();
        assertThat(round()).isFalse();
    }

    @Test
    @DisplayName("A21: a probe that begins to fail is reported once, and so is its recovery")
    void aProbeThatStartsToFailIsAChange() {
        round();
        problem = "refused";
        assertThat(round()).isTrue();
        assertThat(round()).isFalse();
        problem = "";
        assertThat(round()).isTrue();
        assertThat(round()).isFalse();
    }

    @Test
    @DisplayName("A21: a program that goes down is reported once")
    void aProgramThatGoesDownIsAChange() {
        round();
        state = new ProgramState.Down(true, 0);
        assertThat(round()).isTrue();
        assertThat(round()).isFalse();
        state = up("run-2");
        assertThat(round()).isTrue();
    }

    @Test
    void aNewRunThatIsAsHealthyIsNoChange() {
        round();
        state = up("run-2");
        assertThat(round()).isFalse();
    }
}
