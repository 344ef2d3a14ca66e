package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.cli.terminal.OutputTraits;
import drover.kit.text.ShellWord;
import drover.localenv.DataDirectory;
import drover.localenv.LocalOperatorChannel;
import drover.standalone.StandaloneConfig;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneDeployment;
import drover.standalone.demo.DemoOnRunningDeployment;
import drover.standalone.fleet.AgentlessProgramStopper;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.Waits;
import io.grpc.ManagedChannel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The main job, for real: real processes, real streams, real PostgreSQL. A good canary goes to
 * every node, a bad one stops by itself, and the way back leaves every node whole (A6, A11, A13,
 * D3, D5).
 */
class StandaloneIT {
    private static final int NODES = 4;

    @TempDir Path folder;

    @BeforeEach
    void needsEveryPart() {
        FullBuildAssumption.requireEverything();
    }

    @Test
    @Timeout(600)
    void upgradesRealProgramsAndBringsThemBack() {
        DataDirectory data = new DataDirectory(folder.resolve("flotte dü 東京"));
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data,
                        Optional.empty(),
                        OptionalInt.of(NODES),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.DEMO);
        StringWriter received = new StringWriter();
        PrintWriter out = new PrintWriter(received, true);
        try (StandaloneDeployment deployment = StandaloneDeployment.start(wanted, out::println)) {
            await().atMost(Waits.LIMIT) // an agent is up a moment before its program is
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    AgentlessProgramStopper.processesOf(
                                                            data.existingNodes()))
                                            .hasSize(NODES));
            ManagedChannel server = LocalOperatorChannel.connect(deployment.deployment(), data);
            try {
                int rest = deployment.deployment().httpPort();
                assertThat(
                                DemoOnRunningDeployment.run(
                                        server,
                                        rest,
                                        data,
                                        ports(deployment),
                                        out,
                                        OutputTraits.PLAIN))
                        .as("%s", received)
                        .isTrue();
                assertThat(received.toString())
                        .contains(
                                "  401 {",
                                "-H \"authorization: Bearer $(cat "
                                        + ShellWord.of(data.adminKey()));
            } finally {
                server.shutdownNow();
            }
        }
        assertThat(AgentlessProgramStopper.processesOf(data.existingNodes()))
                .as("programs left behind")
                .isEmpty();
    }

    private static Map<String, Integer> ports(StandaloneDeployment deployment) {
        return deployment.nodes().stream()
                .collect(
                        Collectors.toMap(
                                node -> node.name().value(),
                                node -> Integer.valueOf(node.labels().get("var.port"))));
    }
}
