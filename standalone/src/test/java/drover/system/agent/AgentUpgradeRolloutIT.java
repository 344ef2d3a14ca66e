package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.Faults;
import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Seed 001 for a fleet: real agents that are processes of their own are upgraded by an ordinary
 * rollout of the chain that is shipped for them, over REST, and brought back by its rollback. Their
 * programs notice nothing.
 */
@Timeout(600)
@Faults(
        rule = "S1-1 (agents are upgraded by an ordinary rollout)",
        sample = "AgentRolloutTest.agentsOfTwoChainsAreUpgradedOneByOneAndBack")
class AgentUpgradeRolloutIT {
    private static final List<String> NODES = List.of("bunk-1", "bunk-2", "bunk-3");
    private static final String ROLLOUTS = "/api/v1/rollouts/";
    private static final String TO_TWO =
            """
            {"upgrade_id": "agent-2.0.0", "chain_profile_id": "drover-agent", "node_type": "bunk",
             "source_version": "1.0.0", "strategy": "rolling", "batch_size": 2}
            """;

    private TestDeployment deployment;
    private AgentProcessFleet agents;

    @BeforeEach
    void startDeploymentAndAgents(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        for (String node : NODES) {
            yard.node(node, "agent: external");
        }
        Path shipped = Path.of("..", "deploy", "agents", "chains", "drover-agent.yaml");
        yard.write(
                "chains/drover-agent.yaml",
                Files.readString(shipped).replace("wait: 60s", "wait: 1s"));
        Path two = AgentProcessFleet.jar(place.resolve("drover-agent-2.0.0.jar"), "2.0.0");
        yard.write(
                "upgrades/drover-agent/agent-2.0.0.yaml",
                """
                upgrade_id: agent-2.0.0
                chain_profile_id: drover-agent
                node_type: bunk
                binary_name: drover-agent
                target_version: 2.0.0
                target_url: "%s"
                target_checksum: %s
                """
                        .formatted("file://" + two, Digest.of(Files.readAllBytes(two))));
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
        agents = AgentProcessFleet.in(deployment, NODES);
    }

    @AfterEach
    void close() {
        if (agents != null) {
            agents.close();
        }
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName(
            "S1-1 S1-34: a rollout replaces every agent, pauses where one cannot be, goes back")
    void agentsAreUpgradedByARolloutAndBroughtBack() throws IOException {
        Map<String, Long> programs = programs();
        JsonNode plan = deployment.rest.post("/api/v1/rollout-plans", TO_TWO).body().at("/plan");
        assertThat(plan.at("/batches")).as("%s", plan).hasSize(2);

        Path token = agents.directory("bunk-3").tokenFile();
        Path hidden = Files.move(token, token.resolveSibling("token.hidden"));
        String id = deployment.started(TO_TWO);
        Answer first = deployment.rest.event("/api/v1/events?from_start=true&rollout_id=" + id);
        assertThat(first.body().toString()).contains(id);
        deployment.awaitStill(id, "paused");
        agents.assertRuns("bunk-1", "2.0.0");
        agents.assertRuns("bunk-2", "2.0.0");
        agents.assertRuns("bunk-3", "1.0.0");
        assertThat(deployment.node(id, "bunk-3").at("/reason").asString())
                .isEqualTo("SELF_TEST_FAILED");
        assertThat(why(id)).contains("bunk-3", "SELF_TEST_FAILED", "did not pass its own test");
        assertThat(programs()).isEqualTo(programs);

        Files.move(hidden, token);
        deployment.request(id, "nodes/bunk-3/retry");
        deployment.request(id, "resume");
        deployment.awaitStatus(id, "completed");
        for (String node : NODES) {
            agents.assertRuns(node, "2.0.0");
        }

        deployment.request(id, "rollback", "{\"reason\": \"As an exercise.\"}");
        deployment.awaitStill(id, "rolled_back");
        for (String node : NODES) {
            agents.assertRuns(node, "1.0.0");
        }
        assertThat(why(id)).contains("SUCCESSOR_SEEN");
        assertThat(programs()).as("no program was started again").isEqualTo(programs);
    }

    private String why(String id) {
        return deployment.rest.get(ROLLOUTS + id + "/why").body().toString();
    }

    /** The process of each node's program. */
    private Map<String, Long> programs() {
        return NODES.stream().collect(Collectors.toMap(node -> node, deployment::pid));
    }
}
