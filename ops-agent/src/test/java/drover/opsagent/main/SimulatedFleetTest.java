package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.Hello;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SimulatedFleetTest {
    private static final byte[] PROGRAM = "program".getBytes(StandardCharsets.UTF_8);
    private static final SimulatedFetcher ARTIFACTS =
            new SimulatedFetcher(Map.of("http://artifacts.example/app", PROGRAM));

    @Test
    void runsManyAgentsInOneProcess() throws IOException {
        String address = "gateway-" + UUID.randomUUID();
        List<OpsAgent> agents = new ArrayList<>();
        try (ScriptedGateway gateway = new ScriptedGateway(address)) {
            for (int i = 0; i < 200; i++) {
                agents.add(startAgent(address, i));
            }
            await().atMost(Waits.LIMIT).until(() -> gateway.hellos.size() >= 200);
            await().atMost(Waits.LIMIT)
                    .until(() -> gateway.lastHeartbeat().getProgramsCount() == 1);
            assertThat(gateway.hellos).extracting(Hello::getRuntime).containsOnly("simulated");
        } finally {
            agents.parallelStream().forEach(OpsAgent::close);
        }
    }

    @Test
    void installsOnceAndRefusesAnotherNodesDirectory() {
        SimulatedDisk disk = EmptyNode.disk();
        assertThat(install(disk, "app"))
                .isEqualTo(InitialProgramInstaller.InstallationResult.INSTALLED);
        assertThat(install(disk, "app"))
                .isEqualTo(InitialProgramInstaller.InstallationResult.ALREADY_INSTALLED);
        assertThatThrownBy(() -> install(disk, "other"))
                .isInstanceOf(InitialProgramInstaller.DifferentProgramsInstalled.class)
                .hasMessageContaining("belongs to a node with [app]");
    }

    private static OpsAgent startAgent(String address, int number) {
        SimulatedDisk disk = EmptyNode.disk();
        install(disk, "app");
        return OpsAgent.start(
                EmptyNode.config(address, Duration.ofSeconds(1)),
                OpsAgent.Dependencies.simulated(
                        disk, EmptyNode.processes(disk), ARTIFACTS, new Random(number)));
    }

    private static InitialProgramInstaller.InstallationResult install(
            SimulatedDisk disk, String name) {
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/bin/app"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE);
        ProgramSpec spec = new ProgramSpec(new BinaryName(name), "simulated", launch, List.of());
        return InitialProgramInstaller.installSimulated(
                EmptyNode.LAYOUT,
                List.of(
                        new InitialProgramInstallation(
                                spec,
                                "v1",
                                "http://artifacts.example/app",
                                Digest.of(PROGRAM),
                                Map.of(new NodePath("/etc/app.toml"), "a = 1"))),
                disk,
                new Random(1),
                ARTIFACTS,
                EmptyNode.processes(disk),
                new SystemTicker());
    }
}
