package drover.cli.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import drover.cli.CommandResult;
import drover.cli.terminal.OutputTraits;
import drover.rollout.v1.ComponentProgress;
import drover.rollout.v1.CreateRolloutGroupRequest;
import drover.rollout.v1.CreateRolloutGroupResponse;
import drover.rollout.v1.FailurePolicy;
import drover.rollout.v1.GetRolloutGroupStatusRequest;
import drover.rollout.v1.GetRolloutGroupStatusResponse;
import drover.rollout.v1.GroupPauseReason;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.ResumeRolloutGroupRequest;
import drover.rollout.v1.ResumeRolloutGroupResponse;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.RolloutGroupStatus;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.StartRolloutGroupRequest;
import drover.rollout.v1.StartRolloutGroupResponse;
import drover.rollout.v1.Strategy;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class GroupCommandsTest {
    private static final String ID = "7f3a6c1e-8f58-4d0b-9c0a-0a1b2c3d4e5f";

    private final List<Message> requested = new CopyOnWriteArrayList<>();
    private final List<RolloutGroup> snapshots = new ArrayList<>();
    private Server server;

    @BeforeEach
    void listen() throws IOException {
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(new Story())
                        .build()
                        .start();
        snapshots.add(group(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_PENDING, 0).build());
    }

    @AfterEach
    void close() {
        server.shutdownNow();
    }

    /** Answers with what a test set beforehand, and keeps what it was asked. */
    private final class Story extends RolloutGroupServiceGrpc.RolloutGroupServiceImplBase {
        @Override
        public void createRolloutGroup(
                CreateRolloutGroupRequest request, StreamObserver<CreateRolloutGroupResponse> out) {
            requested.add(request);
            answer(out, CreateRolloutGroupResponse.newBuilder().setGroup(next()).build());
        }

        @Override
        public void startRolloutGroup(
                StartRolloutGroupRequest request, StreamObserver<StartRolloutGroupResponse> out) {
            requested.add(request);
            answer(
                    out,
                    StartRolloutGroupResponse.newBuilder()
                            .setGroup(next())
                            .setRequest(applied())
                            .build());
        }

        @Override
        public void resumeRolloutGroup(
                ResumeRolloutGroupRequest request, StreamObserver<ResumeRolloutGroupResponse> out) {
            requested.add(request);
            answer(
                    out,
                    ResumeRolloutGroupResponse.newBuilder()
                            .setGroup(next())
                            .setRequest(applied())
                            .build());
        }

        @Override
        public void getRolloutGroupStatus(
                GetRolloutGroupStatusRequest request,
                StreamObserver<GetRolloutGroupStatusResponse> out) {
            answer(out, GetRolloutGroupStatusResponse.newBuilder().setGroup(next()).build());
        }

        private RolloutGroup next() {
            return snapshots.size() > 1 ? snapshots.removeFirst() : snapshots.getFirst();
        }

        private <T> void answer(StreamObserver<T> out, T message) {
            out.onNext(message);
            out.onCompleted();
        }
    }

    private static RequestReceipt applied() {
        return RequestReceipt.newBuilder().setState(RequestState.REQUEST_STATE_APPLIED).build();
    }

    private static RolloutGroup.Builder group(RolloutGroupStatus status, int succeeded) {
        return RolloutGroup.newBuilder()
                .setId(ID)
                .setChainProfileId("holesky")
                .setStatus(status)
                .setExplanation("It is so.")
                .addComponents(
                        ComponentProgress.newBuilder()
                                .setBinaryName("geth")
                                .setSourceVersion("v1")
                                .setTargetVersion("v2")
                                .setStatus(RolloutStatus.ROLLOUT_STATUS_RUNNING)
                                .setSucceededNodes(succeeded)
                                .setTotalNodes(3));
    }

    private CommandResult typed(String... words) {
        return CommandResult.on("127.0.0.1:" + server.getPort(), OutputTraits.PLAIN, words);
    }

    @Test
    void createsAGroupInOrderAndPrintsItsIdLast() {
        CommandResult answer =
                typed(
                        "group create --chain holesky --type full --on-failure rollback_all"
                                .concat(" --strategy rolling --batch-size 2")
                                .concat(" --component geth,from=v1,to=v2,upgrade=geth-v2")
                                .concat(" --component lighthouse,from=v4,to=v5,")
                                .concat("url=http://x/y,checksum=sha256:ab,batch-size=1")
                                .split(" ", -1));
        assertThat(answer.exitCode()).as(answer.err()).isZero();
        assertThat(answer.out().strip().lines().toList().getLast()).isEqualTo(ID);
        CreateRolloutGroupRequest request = (CreateRolloutGroupRequest) requested.getFirst();
        assertThat(request.getFailurePolicy()).isEqualTo(FailurePolicy.FAILURE_POLICY_ROLLBACK_ALL);
        assertThat(request.getStrategy()).isEqualTo(Strategy.STRATEGY_ROLLING);
        assertThat(request.getDesiredVersionsMap())
                .containsEntry("geth", "v2")
                .containsEntry("lighthouse", "v5");
        assertThat(request.getComponentOrder(0).getUpgradeId()).isEqualTo("geth-v2");
        assertThat(request.getComponentOrder(1).getTargetBinaryUrl()).isEqualTo("http://x/y");
        assertThat(request.getComponentOrder(1).getBatchSize()).isEqualTo(1);
    }

    @Test
    @DisplayName("D-171: a group leaves out the nodes that it is told to")
    void leavesNodesOutOrTakesOnlySome() {
        CommandResult answer =
                typed(
                        "group create --chain c --on-failure manual --component a,from=1,to=2"
                                .concat(" --exclude c-1,c-2 --exclude c-3 --node c-4,c-5")
                                .split(" ", -1));
        assertThat(answer.exitCode()).as(answer.err()).isZero();
        CreateRolloutGroupRequest request = (CreateRolloutGroupRequest) requested.getFirst();
        assertThat(request.getExcludeList()).containsExactly("c-1", "c-2", "c-3");
        assertThat(request.getNodeIdsList()).containsExactly("c-4", "c-5");
    }

    @Test
    void startsAtOnceByOption() {
        CommandResult answer =
                typed(
                        "group create --chain c --on-failure manual --component a,from=1,to=2 --start"
                                .split(" ", -1));
        assertThat(answer.exitCode()).as(answer.err()).isZero();
        assertThat(requested.getLast())
                .isEqualTo(StartRolloutGroupRequest.newBuilder().setGroupId(ID).build());
        assertThat(answer.out()).contains("drover group watch " + ID);
    }

    @Test
    void refusesAComponentItDoesNotUnderstandInWords() {
        CommandResult answer =
                typed(
                        "group create --chain c --on-failure manual --component a,form=1"
                                .split(" ", -1));
        assertThat(answer.exitCode()).isEqualTo(2);
        assertThat(answer.err()).contains("form=1").doesNotContain("Exception");
        assertThat(requested).isEmpty();
    }

    @Test
    void resumingPassesOnWhatWasAcknowledged() {
        CommandResult answer =
                typed("group", "resume", ID, "--acknowledge-failures", "2", "--reason", "Seen.");
        assertThat(answer.exitCode()).as(answer.err()).isZero();
        assertThat(requested.getFirst())
                .isEqualTo(
                        ResumeRolloutGroupRequest.newBuilder()
                                .setGroupId(ID)
                                .setReason("Seen.")
                                .setAcknowledgedFailures(2)
                                .build());
    }

    @Test
    void statusShowsEachComponentAndWhyItWaits() {
        snapshots.set(
                0,
                group(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_PAUSED, 1)
                        .setPauseReason(GroupPauseReason.GROUP_PAUSE_REASON_COMPONENT_FAILED)
                        .setComponents(
                                0,
                                group(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_PAUSED, 1)
                                        .getComponents(0)
                                        .toBuilder()
                                        .setStatus(RolloutStatus.ROLLOUT_STATUS_PAUSED)
                                        .setPauseReason(PauseReason.PAUSE_REASON_FAILURE_THRESHOLD))
                        .build());
        CommandResult answer = typed("group", "status", ID);
        assertThat(answer.exitCode()).as(answer.err()).isZero();
        assertThat(answer.out())
                .contains("paused (COMPONENT_FAILED)")
                .contains("paused (FAILURE_THRESHOLD)")
                .contains("1/3");
    }

    @Test
    void watchEndsWithTheGroupAndPrintsEachChangeOnce() {
        snapshots.clear();
        snapshots.add(group(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_RUNNING, 1).build());
        snapshots.add(group(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_RUNNING, 1).build());
        snapshots.add(group(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_PARTIAL, 3).build());
        CommandResult answer = typed("group", "watch", ID);
        assertThat(answer.exitCode()).as("a partial group did not reach its aim").isEqualTo(1);
        assertThat(answer.out().lines().filter(line -> line.contains("1 of 3 nodes"))).hasSize(1);
        assertThat(answer.out()).contains("is partial");
    }
}
