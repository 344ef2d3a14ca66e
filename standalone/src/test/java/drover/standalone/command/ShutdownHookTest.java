package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequestFile;
import drover.localenv.UserFacingError;
import drover.model.NodeId;
import drover.standalone.ScriptedServiceFactory;
import drover.standalone.StandaloneConfig;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneDeployment;
import drover.standalone.command.InterruptConfirmation.Effect;
import drover.standalone.command.InterruptConfirmation.PartsToStop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Description of what Ctrl-C stops. */
class ShutdownHookTest {
    @TempDir Path folder;

    private DataDirectory data() {
        return new DataDirectory(folder.resolve("data"));
    }

    private StandaloneDeployment start(ScriptedServiceFactory services) {
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.empty(),
                        OptionalInt.of(2),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.USUAL);
        return StandaloneDeployment.start(wanted, services, _ -> {});
    }

    @Test
    @DisplayName("Programs of a node that was left out are stopped, too, and are counted")
    void countsNodesThatWereLeftOut() {
        ScriptedServiceFactory services = new ScriptedServiceFactory().breaking("agent berth-01");
        ShutdownHook hook = new ShutdownHook(data(), _ -> {}, () -> {});
        try (StandaloneDeployment _ = hook.startAndTrack(() -> start(services))) {
            assertThat(hook.describeEffect().text())
                    .isEqualTo("stops the services and the programs of 2 nodes");
        }
    }

    @Test
    @DisplayName("After a request to keep programs it reports that they keep running")
    void reportsThatProgramsAreKept() {
        ShutdownHook hook = new ShutdownHook(data(), _ -> {}, () -> {});
        try (StandaloneDeployment _ =
                hook.startAndTrack(() -> start(new ScriptedServiceFactory()))) {
            KeepProgramsRequestFile.write(data(), ProcessHandle.current().pid());
            assertThat(hook.describeEffect().extent()).isEqualTo(PartsToStop.SERVICES);
            assertThat(hook.describeEffect().text())
                    .isEqualTo("stops the services; the programs of 2 nodes keep running");
        }
    }

    @Test
    @DisplayName("During a start it states that programs stop only if the start succeeds")
    void reportsThatAFailedStartStopsNoPrograms() throws IOException {
        start(new ScriptedServiceFactory()).close();
        Process running = startProgram("berth-01");
        ShutdownHook hook = new ShutdownHook(data(), _ -> {}, () -> {});
        try {
            assertThat(hook.describeEffect())
                    .isEqualTo(
                            new Effect(
                                    PartsToStop.PROGRAMS,
                                    "stops 1 process of the nodes' programs if the start"
                                            + " succeeds"));
            ScriptedServiceFactory broken =
                    new ScriptedServiceFactory()
                            .breaking("agent berth-01")
                            .breaking("agent berth-02");
            assertThatThrownBy(() -> hook.startAndTrack(() -> start(broken)))
                    .isInstanceOf(UserFacingError.class);
            assertThat(running.isAlive()).isTrue();
        } finally {
            running.destroyForcibly();
        }
    }

    private Process startProgram(String node) throws IOException {
        Path run = data().node(new NodeId(node)).state().resolve("run/greeter");
        Files.createDirectories(run);
        Files.writeString(run.resolve("run.json"), "{\"marker\":\"of-this-test\"}");
        ProcessBuilder program = new ProcessBuilder("sleep", "60");
        program.environment().put("DROVER_RUN", "of-this-test");
        return program.start();
    }
}
