package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.heartbeat;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Timestamps;
import drover.agent.v1.AgentFinding;
import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.PreflightReport;
import drover.model.RefusalCode;
import drover.node.v1.AttachResponse;
import drover.node.v1.NodePreflightReport;
import drover.node.v1.Session;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What agents and leaders may rely on, over any transport. */
abstract class GatewayServicesContract {
    @AutoClose private GatewayFixture fixture;

    abstract GatewayFixture open();

    @BeforeEach
    void openServers() {
        fixture = open();
    }

    @Test
    @DisplayName("H1: the node is the credential's, and an unknown token is refused")
    void refusesAnUnknownToken() {
        TestAgent agent = TestAgent.connect(fixture.agents, "nobody's").send(hello(1, 1));

        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.NODE_CREDENTIAL_UNKNOWN);
    }

    @Test
    void welcomesAnAgentAsTheNodeOfItsCredential() {
        fixture.register("n1");

        TestAgent agent =
                TestAgent.connect(fixture.agents, token("n1"))
                        .send(hello(1, 1).putLabels("zone", "elsewhere"));

        ConnectResponse first = agent.received.awaitMessage(ConnectResponse::hasWelcome);
        assertThat(first.getWelcome().getNodeId()).isEqualTo("n1");
        assertThat(first.getWelcome().getIdleHeartbeat().getSeconds()).isEqualTo(30);
        assertThat(first.getWelcome().getActiveHeartbeat().getSeconds()).isEqualTo(5);
        assertThat(fixture.node("n1").getOnline()).isTrue();
        assertThat(fixture.node("n1").getLabelsMap()).containsEntry("zone", "a");
    }

    @Test
    void refusesAFirstMessageThatIsNoHello() {
        fixture.register("n1");

        TestAgent agent =
                TestAgent.connect(fixture.agents, token("n1")).send(heartbeat(0, "r", "d", "v"));

        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.FIRST_MESSAGE_NOT_HELLO);
    }

    @Test
    void refusesAnEmptyMessageButNotOneFromALaterProtocol() throws Exception {
        TestAgent agent = fixture.connected("n1");
        ConnectRequest fromTheFuture =
                ConnectRequest.parseFrom(
                        ByteString.copyFrom(new byte[] {(byte) 0xfa, 0x01, 0x01, 0x61}));

        agent.send(fromTheFuture).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));
        TestLeader leader = TestLeader.attach(fixture.internal, 1);
        leader.awaitStatus("n1", 1, 1);

        agent.send(ConnectRequest.getDefaultInstance());
        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);
    }

    @Test
    @DisplayName("C13: a later dial supersedes the earlier session, and a late one is refused")
    void aLaterConnectionSupersedes() {
        TestAgent first = fixture.connected("n1");
        TestAgent second = TestAgent.connect(fixture.agents, token("n1")).send(hello(1, 3));
        String session = second.session();

        assertThat(first.received.refusal()).isEqualTo(RefusalCode.SESSION_SUPERSEDED);
        TestAgent late = TestAgent.connect(fixture.agents, token("n1")).send(hello(1, 2));
        assertThat(late.received.refusal()).isEqualTo(RefusalCode.SESSION_SUPERSEDED);

        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        assertThat(leader.present()).extracting(Session::getSessionId).containsExactly(session);
    }

    @Test
    void leaderReceivesFindingsAndTheirEnd() {
        AgentFinding drift = AgentFinding.newBuilder().setCode("DRIFT").setProgram("chain").build();
        TestAgent agent = fixture.connected("n1");
        agent.send(heartbeat(0, "r", "d", "v").toBuilder().addFindings(drift).build());

        TestLeader stranger = TestLeader.attach(fixture.internal, 1);
        stranger.received.awaitMessage(response -> hasFindings(response, List.of(drift)));
        agent.send(heartbeat(0, "r", "d", "v"));
        stranger.received.awaitMessage(response -> hasFindings(response, List.of()));

        TestLeader next = TestLeader.attach(fixture.internal, 2).watches(1, List.of("n1"));
        next.received.awaitMessage(response -> hasFindings(response, List.of()));
    }

    @Test
    void findingsAreSentAgainAfterAReconnect() {
        AgentFinding drift = AgentFinding.newBuilder().setCode("DRIFT").setProgram("chain").build();
        TestAgent agent = fixture.connected("n1");
        agent.send(heartbeat(0, "r", "d", "v").toBuilder().addFindings(drift).build());
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        leader.received.awaitMessage(response -> hasFindings(response, List.of(drift)));

        agent.hangsUp();
        await().atMost(Waits.LIMIT).until(() -> leader.disconnected().contains("n1"));
        long before = countReported(leader, List.of(drift)); // watching may have told it once more
        TestAgent back = TestAgent.connect(fixture.agents, token("n1")).send(hello(1, 7));
        back.send(heartbeat(0, "r", "d", "v").toBuilder().addFindings(drift).build());

        await().atMost(Waits.LIMIT).until(() -> countReported(leader, List.of(drift)) > before);
    }

    private static long countReported(TestLeader leader, List<AgentFinding> findings) {
        return leader.received.received().stream()
                .filter(response -> hasFindings(response, findings))
                .count();
    }

    private static boolean hasFindings(AttachResponse response, List<AgentFinding> findings) {
        return response.getFindings().getNodesList().stream()
                .anyMatch(
                        node ->
                                node.getNodeId().equals("n1")
                                        && node.getFindingsList().equals(findings));
    }

    @Test
    void aLeaderSeesSessionsComeAndGo() {
        fixture.register("n1");
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1", "n2"));
        assertThat(leader.disconnected()).containsExactlyInAnyOrder("n1", "n2");

        TestAgent agent = TestAgent.connect(fixture.agents, token("n1")).send(hello(1, 1));
        AttachResponse seen = leader.received.awaitMessage(AttachResponse::hasConnected);
        assertThat(seen.getConnected().getSessions(0).getSessionId()).isEqualTo(agent.session());
        assertThat(seen.getConnected().getSessions(0).getHello().getPrograms(0).getName())
                .isEqualTo("chain");

        agent.hangsUp();
        await().atMost(Waits.LIMIT)
                .until(() -> leader.disconnected().stream().filter("n1"::equals).count() == 2);
        assertThat(fixture.node("n1").getOnline()).isFalse();
    }

    @Test
    @DisplayName("C14: a command goes to the session named, unchanged, or nowhere")
    void deliversToTheSessionNamedOnly() {
        TestAgent agent = fixture.connected("n1");
        TestLeader leader = TestLeader.attach(fixture.internal, 7).watches(1, List.of("n1"));
        Command command = leader.command("right");

        leader.sends("n1", "another-session", leader.command("wrong"));
        leader.sends("n1", agent.session(), command);
        leader.withdraws("n1", agent.session(), 4);

        agent.received.awaitMessage(ConnectResponse::hasWithdraw);
        assertThat(agent.received.received().stream().filter(ConnectResponse::hasCommand))
                .extracting(ConnectResponse::getCommand)
                .containsExactly(command);
    }

    @Test
    @DisplayName("A preflight takes no work's place, and its report reaches the leader once")
    void relaysAPreflightAndItsReport() {
        TestAgent agent = fixture.connected("n1");
        TestLeader leader = TestLeader.attach(fixture.internal, 7).watches(1, List.of("n1"));
        Command work = leader.command("work");
        Command command =
                leader.command("look").toBuilder()
                        .setType(CommandType.COMMAND_TYPE_PREFLIGHT)
                        .build();
        leader.sends("n1", agent.session(), work);
        leader.sends("n1", agent.session(), command);
        agent.received.awaitMessage(response -> response.getCommand().equals(command));
        agent.received.awaitMessage(response -> response.getCommand().equals(work));

        PreflightReport report =
                PreflightReport.newBuilder().setPreflightId("p1").setReason("BUSY").build();
        agent.send(ConnectRequest.newBuilder().setPreflight(report).build());
        agent.send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        AttachResponse received = leader.received.awaitMessage(AttachResponse::hasPreflights);
        assertThat(received.getPreflights().getReportsList())
                .containsExactly(
                        NodePreflightReport.newBuilder().setNodeId("n1").setReport(report).build());
        leader.awaitStatus("n1", 1, 1);
        assertThat(leader.received.received().stream().filter(AttachResponse::hasPreflights))
                .hasSize(1);
    }

    @Test
    @DisplayName("C10: an unacknowledged status goes to the next leader without the agent's doing")
    void anUnacknowledgedStatusSurvivesAChangeOfLeader() {
        TestAgent agent = fixture.connected("n1");
        TestLeader first = TestLeader.attach(fixture.internal, 1);
        agent.send(status(1, 4, ATTEMPT_OUTCOME_SUCCEEDED));
        first.awaitStatus("n1", 1, 4);

        TestLeader second = TestLeader.attach(fixture.internal, 2);
        second.snapshotEnd(0);

        assertThat(first.received.refusal()).isEqualTo(RefusalCode.STALE_EPOCH);
        second.awaitStatus("n1", 1, 4);
        assertThat(agent.received.ended()).isFalse();
        second.acknowledges("n1", 1, 4);
        ConnectResponse ack = agent.received.awaitMessage(ConnectResponse::hasAck);
        assertThat(ack.getAck().getSequence()).isEqualTo(4);

        TestLeader third = TestLeader.attach(fixture.internal, 3);
        third.snapshotEnd(0);
        assertThat(third.statuses()).isEmpty();
        third.watches(1, List.of("n1"));
        third.awaitStatus("n1", 1, 4);
    }

    @Test
    @DisplayName("C10: a status brought by Hello reaches the leader")
    void aStatusInHelloIsPassedOn() {
        fixture.register("n1");
        TestLeader leader = TestLeader.attach(fixture.internal, 1);
        var _ =
                TestAgent.connect(fixture.agents, token("n1"))
                        .send(hello(1, 1).setStatus(status(5, 2, ATTEMPT_OUTCOME_SUCCEEDED)));

        leader.awaitStatus("n1", 5, 2);
    }

    @Test
    @DisplayName("B4: a lower epoch is refused, a higher one takes over, an equal one replaces")
    void epochsDecideWhoLeads() {
        TestLeader five = TestLeader.attach(fixture.internal, 5);
        five.snapshotEnd(0);

        TestLeader four = TestLeader.attach(fixture.internal, 4);
        assertThat(four.received.refusal()).isEqualTo(RefusalCode.STALE_EPOCH);
        assertThat(five.received.ended()).isFalse();

        TestLeader again = TestLeader.attach(fixture.internal, 5);
        again.snapshotEnd(0);
        assertThat(five.received.refusal()).isEqualTo(RefusalCode.SESSION_SUPERSEDED);

        TestLeader six = TestLeader.attach(fixture.internal, 6);
        six.snapshotEnd(0);
        assertThat(again.received.refusal()).isEqualTo(RefusalCode.STALE_EPOCH);
        assertThat(six.received.received().getFirst().getOpened().getHighestEpoch()).isEqualTo(6);
        assertThat(six.received.received().getFirst().getOpened().getGatewayId())
                .isEqualTo("gateway-1");
    }

    @Test
    @DisplayName("B4: an epoch that nobody was given is refused, also when no leader was there yet")
    void whoRehearsesIsNoLeader() {
        TestLeader warmup = TestLeader.attach(fixture.internal, -1);
        assertThat(warmup.received.refusal()).isEqualTo(RefusalCode.STALE_EPOCH);

        TestLeader first = TestLeader.attach(fixture.internal, 1);
        first.snapshotEnd(0);
        TestLeader again = TestLeader.attach(fixture.internal, -1);
        assertThat(again.received.refusal()).isEqualTo(RefusalCode.STALE_EPOCH);
        assertThat(first.received.ended()).isFalse();
    }

    @Test
    @DisplayName("B4: a command of a lower epoch than the highest goes nowhere")
    void dropsACommandOfALowerEpoch() {
        TestAgent agent = fixture.connected("n1");
        TestLeader leader = TestLeader.attach(fixture.internal, 5).watches(1, List.of("n1"));

        leader.sends("n1", agent.session(), leader.command("old").toBuilder().setEpoch(4).build());
        leader.withdraws("n1", agent.session(), 1);

        agent.received.awaitMessage(ConnectResponse::hasWithdraw);
        assertThat(agent.received.received()).noneMatch(ConnectResponse::hasCommand);
    }

    @Test
    void sendsNothingAfterTheWatchWasRemoved() {
        TestAgent agent = fixture.connected("n1");
        TestAgent other = fixture.connected("n2");
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1", "n2"));
        leader.interest(2, List.of(), List.of("n1"));
        leader.snapshotEnd(2);

        agent.hangsUp();
        await().atMost(Waits.LIMIT).until(() -> !fixture.node("n1").getOnline());
        other.hangsUp();

        leader.received.awaitMessage(
                response -> response.getDisconnected().getNodeIdsList().contains("n2"));
        assertThat(leader.disconnected()).doesNotContain("n1");
    }

    @Test
    void heartbeatsAndTerminalStatusesKeepTheInventoryCurrent() {
        TestAgent agent = fixture.connected("n1");
        agent.send(heartbeat(0, "run-5", "sha256:5", "v5"));
        await().atMost(Waits.LIMIT)
                .until(() -> fixture.node("n1").getPrograms(0).getVersion().equals("v5"));

        agent.send(status(9, 1, ATTEMPT_OUTCOME_SUCCEEDED));
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                fixture.node("n1")
                                        .getPrograms(0)
                                        .getRunningDigest()
                                        .equals("sha256:2"));
        assertThat(fixture.node("n1").getHighestAttempt()).isEqualTo(9);

        agent.hangsUp();
        await().atMost(Waits.LIMIT).until(() -> !fixture.node("n1").getOnline());
        await().atMost(Waits.LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(fixture.node("n1").getPrograms(0).getRunningDigest())
                                        .isEqualTo("sha256:2"));
    }

    @Test
    @DisplayName("C9: what was said before the latest status is of the past, also of the programs")
    void ignoresAHeartbeatOlderThanAStatus() {
        TestAgent agent = fixture.connected("n1");
        agent.send(status(3, 9_000, ATTEMPT_OUTCOME_SUCCEEDED));
        agent.send(heartbeat(3, "run-1", "sha256:1", "v1").toBuilder().setSequence(8_000).build());
        agent.send(heartbeat(2, "run-1", "sha256:1", "v1").toBuilder().setSequence(99).build());
        agent.send(
                Heartbeat.newBuilder()
                        .setAttempt(3)
                        .setSequence(9_000)
                        .setSentAt(Timestamps.fromMillis(System.currentTimeMillis()))
                        .build());

        await().atMost(Waits.LIMIT).until(() -> fixture.node("n1").hasClockOffset());
        assertThat(fixture.node("n1").getPrograms(0).getRunningDigest()).isEqualTo("sha256:2");
    }

    @Test
    void aStandbyIsNeitherOnlineNorShownToTheLeader() {
        fixture.register("n1");
        TestAgent standby =
                TestAgent.connect(fixture.agents, token("n1")).send(hello(2, 1).setExecutor(false));
        var _ = standby.session();

        standby.send(status(3, 1, ATTEMPT_OUTCOME_SUCCEEDED));
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));

        assertThat(leader.disconnected()).containsExactly("n1");
        assertThat(leader.statuses()).isEmpty();
        assertThat(fixture.node("n1").getOnline()).isFalse();
    }
}
