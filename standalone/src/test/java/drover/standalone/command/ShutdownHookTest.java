package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequest;
import drover.standalone.ScriptedServiceFactory;
import drover.standalone.StandaloneConfig;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneDeployment;
import drover.standalone.command.InterruptConfirmation.Extent;
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
            KeepProgramsRequest.write(data(), ProcessHandle.current().pid());
            assertThat(hook.describeEffect().extent()).isEqualTo(Extent.SERVICES);
            assertThat(hook.describeEffect().text())
                    .isEqualTo("stops the services; the programs of 2 nodes keep running");
        }
    }
}
