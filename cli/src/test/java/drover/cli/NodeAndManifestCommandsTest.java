package drover.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.rpc.Code;
import drover.agent.v1.ClusterReport;
import drover.agent.v1.ClusterRole;
import drover.agent.v1.ClusterState;
import drover.agent.v1.ProgramReport;
import drover.agent.v1.ReplicationLag;
import drover.cli.rollout.RolloutCommandsTest;
import drover.cli.terminal.CommandFailed;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestProblem;
import drover.node.v1.ClearNodeRequest;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetNodeLogRequest;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeAttempt;
import drover.node.v1.NodeHealth;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequest;
import drover.node.v1.ProgramCondition;
import drover.node.v1.RevokeNodeRequest;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeAndManifestCommandsTest {
    @AutoClose private final FakeDrover drover = new FakeDrover();

    @TempDir Path folder;

    @Test
    void listsNodesWithWhatTheyRun() {
        drover.nodes.add(aNode().toBuilder().setAgentVersion("0.1.0").build());
        assertThat(CommandResult.on(drover, "node", "list").out())
                .isEqualTo(
                        """
                        NODE  STATUS  HEALTH      CHAIN     TYPE  RUNS                   RUNTIME  AGENT  SEEN
                        a-1   online  crash_loop  celestia  full  celestia-node v0.21.0  process  0.1.0  3s ago
                        """);
    }

    /** A node that needs a clear is healthy: its incident is what shows it. */
    @Test
    void listsNodesWithTheNumberOfOpenIncidents() {
        Node.Builder node = aNode().toBuilder().setHealth(NodeHealth.NODE_HEALTH_OK);
        drover.nodes.add(node.setOpenIncidents(1).build());
        assertThat(CommandResult.on(drover, "node", "list").out()).contains("  ok, 1 incident  ");
        drover.nodes.set(0, node.setOpenIncidents(2).build());
        assertThat(CommandResult.on(drover, "node", "list").out()).contains("  ok, 2 incidents  ");
    }

    @Test
    void showsTheAgentThatANodeShallHave() {
        drover.nodes.add(
                aNode().toBuilder()
                        .setAgentVersion("0.1.0")
                        .setDesiredAgentVersion("1.1.0")
                        .build());
        assertThat(CommandResult.on(drover, "node", "list").out()).contains("0.1.0 -> 1.1.0");
    }

    @Test
    void printsTheLogOfTheOnlyProgram() {
        drover.nodes.add(aNode());
        drover.log = "height 7\nheight 8\n";

        assertThat(CommandResult.on(drover, "node", "log", "a-1").out())
                .isEqualTo("height 7\nheight 8\n");
        assertThat(drover.requested)
                .last()
                .isEqualTo(
                        GetNodeLogRequest.newBuilder()
                                .setNodeId("a-1")
                                .setProgram("celestia-node")
                                .build());
    }

    @Test
    void namesTheProgramsOfANodeThatHasSeveral() {
        drover.nodes.add(
                aNode().toBuilder()
                        .addPrograms(ProgramReport.newBuilder().setName("indexer"))
                        .addPrograms(ProgramReport.newBuilder().setName("drover-agent"))
                        .build());

        CommandResult several = CommandResult.on(drover, "node", "log", "a-1");

        assertThat(several.exitCode()).isEqualTo(CommandFailed.USAGE);
        assertThat(several.err()).contains("several programs; name one: celestia-node, indexer.");
        assertThat(CommandResult.on(drover, "node", "log", "a-1", "indexer").err())
                .isEqualTo("The program indexer printed nothing.\n");
    }

    @Test
    void listsOnlyNodesWithTheRequestedLabels() {
        CommandResult.on(
                drover, "node", "list", "--type", "full", "--label", "a=1", "--label", "b=x,y");
        assertThat(drover.requested)
                .last()
                .isEqualTo(
                        ListNodesRequest.newBuilder()
                                .setNodeType("full")
                                .setPageSize(500)
                                .addLabel("a=1")
                                .addLabel("b=x,y")
                                .build());
    }

    @Test
    @DisplayName("D-170: node show names the gateway, also one that is not heard of")
    void showsTheGatewayOfANode() {
        drover.nodes.add(aNode().toBuilder().setGatewayId("gw-1").setLastGatewayId("gw-1").build());
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out())
                .contains("\ngateway  gw-1\n");

        drover.nodes.set(0, aNode().toBuilder().setOnline(false).setLastGatewayId("gw-2").build());
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out())
                .contains(
                        """
                        gateway  gw-2 held it last and is not heard of: look at it and its way to PostgreSQL
                        seen     2026-01-31 11:59:57 (3s ago)
                        """);

        drover.nodes.set(0, aNode().toBuilder().setOnline(false).build());
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out())
                .contains("\ngateway  -\n");
    }

    @Test
    void showsEveryFailingProbe() {
        Node node =
                aNode().toBuilder()
                        .addConditions(
                                ProgramCondition.newBuilder()
                                        .setProgram("celestia-node")
                                        .addProbeDetails("rpc: it answers 503 instead of 200")
                                        .addProbeDetails("sync: it exits with 1")
                                        .addProbeDetails("p2p: it is not connected")
                                        .addProbeDetails("disk: it did not end in time"))
                        .build();
        String problems =
                """

                PROGRAM        PROBLEM
                celestia-node  rpc: it answers 503 instead of 200
                celestia-node  sync: it exits with 1
                celestia-node  p2p: it is not connected
                celestia-node  disk: it did not end in time
                """;
        drover.nodes.add(node);
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out()).endsWith(problems);
        drover.whyNode = ExplainNodeResponse.newBuilder().setNode(node).build();
        assertThat(CommandResult.on(drover, "node", "why", "a-1").out()).endsWith(problems);
    }

    private static ClusterState clusterState(boolean caughtUp) {
        return ClusterState.newBuilder()
                .setAge(Durations.fromMillis(3_900))
                .setReport(
                        ClusterReport.newBuilder()
                                .setCluster("st")
                                .setMember("st-2")
                                .setRole(ClusterRole.CLUSTER_ROLE_LEADER)
                                .setTerm(7)
                                .addAllVoters(List.of("st-1", "st-2", "st-3"))
                                .addAllHealthyVoters(List.of("st-1", "st-2", "st-3"))
                                .setLag(
                                        ReplicationLag.newBuilder()
                                                .setUnit("entries")
                                                .setOk(caughtUp)))
                .build();
    }

    private void showCluster(ClusterState... states) {
        Node.Builder node = aNode().toBuilder().clearConditions();
        for (ClusterState state : states) {
            node.addConditions(
                    ProgramCondition.newBuilder()
                            .setProgram("p" + node.getConditionsCount())
                            .setCluster(state));
        }
        drover.nodes.clear();
        drover.nodes.add(node.build());
    }

    @Test
    void showsTheStateOfTheClusterOfANode() {
        showCluster(clusterState(true));
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out())
                .contains(
                        "\ncluster  st  member st-2  leader  term 7  3 of 3 voters healthy"
                                + "  lag 0 entries  3 s old\n");
        assertThat(CommandResult.on(drover, "node", "show", "a-1", "--output", "json").out())
                .contains("\"member\"", "\"st-2\"", "\"healthy_voters\"");

        ClusterState none =
                ClusterState.newBuilder().setProblem("The driver /d \033[0m hangs.").build();
        showCluster(clusterState(false), none);
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out())
                .contains(
                        "\ncluster  p0: st  member st-2  leader  term 7  3 of 3 voters healthy"
                                + "  lag 0 entries (too many)  3 s old\n"
                                + "cluster  p1: no report: The driver /d ",
                        " hangs.\n")
                .doesNotContain("\033");

        showCluster();
        assertThat(CommandResult.on(drover, "node", "show", "a-1").out())
                .doesNotContain("\ncluster ");
    }

    @Test
    void explainsTheStateOfANode() {
        drover.whyNode =
                ExplainNodeResponse.newBuilder()
                        .setNode(aNode())
                        .addCurrent(
                                NodeReason.newBuilder()
                                        .setAt(RolloutCommandsTest.ago(30))
                                        .setCode("HEALTH_HOLD")
                                        .setRolloutId("r-1")
                                        .setSentence("Well for 30s of 60s."))
                        .addAttempts(
                                NodeAttempt.newBuilder()
                                        .setAttempt(2)
                                        .setRestoreOf(1)
                                        .setRolloutId("r-1")
                                        .setAssignedAt(RolloutCommandsTest.ago(40)))
                        .addRequests(
                                NodeRequest.newBuilder()
                                        .setAt(RolloutCommandsTest.ago(50))
                                        .setActor("alice")
                                        .setKind("skip_node")
                                        .setState("refused")
                                        .setRefusal("Too late.")
                                        .setRolloutId("r-1"))
                        .build();
        assertThat(CommandResult.on(drover, "node", "why", "a-1").out())
                .isEqualTo(
                        """
                        Node a-1 is online.
                        Health: crash_loop: celestia-node falls again and again.

                        Now:
                        SINCE                          CODE         ROLLOUT  WHY
                        2026-01-31 11:59:30 (30s ago)  HEALTH_HOLD  r-1      Well for 30s of 60s.

                        Attempts, newest first:
                        ATTEMPT  WORK          OUTCOME  ASSIGNED                       CLOSED  ROLLOUT
                        2        restore of 1  -        2026-01-31 11:59:20 (40s ago)  -       r-1

                        Asked of it, newest first:
                        WHEN                           WHO    WHAT       STATE    ROLLOUT  WHY
                        2026-01-31 11:59:10 (50s ago)  alice  skip_node  refused  r-1      Too late.
                        """);
    }

    /** The name of a node is no rollout's id. */
    @ParameterizedTest
    @ValueSource(strings = {"NODE_IN_FLIGHT", "REQUEST_EXPIRED", "DEADLINE", "SUPERSEDED"})
    void explainsTheNodeAfterARejectedClear(String reason) {
        drover.refuse(Code.FAILED_PRECONDITION, reason, "Not now.");
        assertThat(CommandResult.on(drover, "node", "clear", "a-1", "--reason", "x").err())
                .isEqualTo(
                        "Not now. ["
                                + reason
                                + "]\nNext: drover node why a-1 --server "
                                + drover.address()
                                + "\n");
    }

    @Test
    void namesNoRolloutAfterARejectedCommandOnAnotherThing() {
        drover.refuse(Code.FAILED_PRECONDITION, "ALREADY", "It is resolved.");
        assertThat(CommandResult.on(drover, "incident", "resolve", "one", "--note", "x").err())
                .isEqualTo("It is resolved. [ALREADY]\n");
    }

    @Test
    void clearsANodeWithAReason() {
        assertThat(
                        CommandResult.on(
                                        drover,
                                        "node",
                                        "clear",
                                        "a-1",
                                        "--reason",
                                        "The disk is new")
                                .out())
                .isEqualTo("Node a-1 is cleared: rollouts may use it again.\n");
        assertThat(drover.requested)
                .contains(
                        ClearNodeRequest.newBuilder()
                                .setNodeId("a-1")
                                .setReason("The disk is new")
                                .build());
    }

    @Test
    void reportsWhatARevocationEndedAndHowToEnrollAgain() {
        assertThat(CommandResult.on(drover, "node", "revoke", "a-1", "--reason", "Stolen").out())
                .isEqualTo(
                        """
                        Node a-1 is revoked: 1 certificate and 0 join tokens ended, its connections end within 5 s.
                        To have it back, enroll its machine anew: drover token create --chain harbour --type edge --node a-1
                        """);
        assertThat(drover.requested)
                .contains(
                        RevokeNodeRequest.newBuilder()
                                .setNodeId("a-1")
                                .setReason("Stolen")
                                .build());
        assertThat(CommandResult.on(drover, "node", "revoke", "a-1").exitCode())
                .as("a reason is required")
                .isEqualTo(2);
    }

    @Test
    void reportsAPendingRetirement() {
        assertThat(CommandResult.on(drover, "node", "retire", "a-1", "--reason", "Scrapped").out())
                .isEqualTo("Asked, and not done yet. Look with 'drover node why a-1'.\n");
        assertThat(CommandResult.on(drover, "node", "retire", "a-1").exitCode())
                .as("a reason is required")
                .isEqualTo(2);
    }

    @Test
    void explainsTheStateOfANodeAsOfATime() {
        drover.whyNode =
                ExplainNodeResponse.newBuilder()
                        .setNode(aNode())
                        .addCurrent(
                                NodeReason.newBuilder()
                                        .setAt(RolloutCommandsTest.ago(30))
                                        .setCode("DISPATCHED")
                                        .setSentence("Its turn has come."))
                        .build();
        CommandResult typed =
                CommandResult.on(drover, "node", "why", "a-1", "--at", "2026-01-31T11:59:45Z");
        assertThat(typed.out()).startsWith("Node a-1 is online now.\n\nAt 2026-01-31 11:59:45:\n");
        assertThat(((ExplainNodeRequest) drover.requested.getLast()).getAsOf())
                .isEqualTo(RolloutCommandsTest.ago(15));
        CommandResult wrong = CommandResult.on(drover, "node", "why", "a-1", "--at", "yesterday");
        assertThat(wrong.exitCode()).isEqualTo(CommandFailed.USAGE);
        assertThat(wrong.err()).contains("--at does not take 'yesterday'; write a time such as");
    }

    @Test
    void printsEachProblemOfAManifestWithItsPlace() throws Exception {
        Path file = Files.writeString(folder.resolve("bad.yaml"), "upgrade_id: x\n");
        drover.problems.add(
                ManifestProblem.newBuilder()
                        .setLine(3)
                        .setColumn(5)
                        .setPath("config_changes[0].template")
                        .setMessage("The template does not exist.")
                        .setCode("TEMPLATE_NOT_FOUND")
                        .build());
        drover.problems.add(
                ManifestProblem.newBuilder()
                        .setMessage("target_version is missing.")
                        .setCode("MISSING_KEY")
                        .build());
        CommandResult typed = CommandResult.on(drover, "manifest", "validate", file.toString());
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.out())
                .isEqualTo(
                        """
                        %s:3:5 config_changes[0].template: The template does not exist. [TEMPLATE_NOT_FOUND]
                        %s target_version is missing. [MISSING_KEY]
                        """
                                .formatted(file, file));
    }

    @Test
    void reportsAValidManifest() throws Exception {
        Path file = Files.writeString(folder.resolve("good.yaml"), "upgrade_id: x\n");
        CommandResult typed = CommandResult.on(drover, "manifest", "validate", file.toString());
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out()).isEqualTo(file + " is good.\n");
    }

    /** B10: editors of other systems save in other encodings. */
    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "ISO-8859-1"})
    void namesTheEncodingThatAManifestMustHave(String encoding) throws Exception {
        byte[] text = "upgrade_id: prüfung\n".getBytes(Charset.forName(encoding));
        Path file = Files.write(folder.resolve("other.yaml"), text);
        CommandResult typed = CommandResult.on(drover, "manifest", "validate", file.toString());
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.err()).isEqualTo(file + " is not UTF-8: save it in that encoding.\n");
    }

    @Test
    void listsManifestsWithTheirProblemOrWarning() {
        drover.manifests.add(
                ManifestEntry.newBuilder()
                        .setChainProfileId("celestia")
                        .setUpgradeId("v2")
                        .setBinaryName("node")
                        .setTargetVersion("v2")
                        .addWarnings(
                                ManifestProblem.newBuilder()
                                        .setCode("CHAIN_PROFILE_STALE")
                                        .setMessage("Warning: the chain profile is broken."))
                        .build());
        assertThat(CommandResult.on(drover, "manifest", "list").out())
                .isEqualTo(
                        """
                        CHAIN     UPGRADE  PROGRAM  VERSION  STATE  PROBLEM
                        celestia  v2       node     v2       good   Warning: the chain profile is broken.
                        """);
    }

    @Test
    void reportsAMissingFile() {
        CommandResult typed = CommandResult.on(drover, "manifest", "validate", "nowhere.yaml");
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.err()).isEqualTo("There is no file nowhere.yaml.\n");
    }

    private static Node aNode() {
        return Node.newBuilder()
                .setHealth(NodeHealth.NODE_HEALTH_CRASH_LOOP)
                .setHealthDetail("celestia-node falls again and again.")
                .setId("a-1")
                .setChainProfileId("celestia")
                .setNodeType("full")
                .setOnline(true)
                .setRuntime("process")
                .setLastSeenAt(RolloutCommandsTest.ago(3))
                .addPrograms(
                        ProgramReport.newBuilder().setName("celestia-node").setVersion("v0.21.0"))
                .build();
    }
}
