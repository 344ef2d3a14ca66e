package drover.standalone.doctor;

import drover.localenv.DataDirectory;
import drover.localenv.LocalOperatorChannel;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeServiceGrpc;
import drover.opsagent.main.OpsAgentConfig;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks a running mesh how its nodes and agents are. */
final class DeploymentAgentsCheck {
    private static final int MOST_NODES = 1000; // the most that one call lists
    private static final int DEADLINE_SECONDS = 5;

    private DeploymentAgentsCheck() {}

    static List<DoctorFinding> run(RunningDeployment deployment, DataDirectory data, Instant now) {
        return AgentRules.check(listNodes(deployment, data), now, OpsAgentConfig.VERSION);
    }

    private static List<Node> listNodes(RunningDeployment deployment, DataDirectory data) {
        ManagedChannel channel = LocalOperatorChannel.connect(deployment, data);
        List<Node> nodes = new ArrayList<>();
        String token = "";
        try {
            do {
                ListNodesResponse page =
                        NodeServiceGrpc.newBlockingStub(channel)
                                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                                .listNodes(
                                        ListNodesRequest.newBuilder()
                                                .setPageSize(MOST_NODES)
                                                .setPageToken(token)
                                                .build());
                nodes.addAll(page.getNodesList());
                token = page.getNextPageToken();
            } while (!token.isEmpty());
            return nodes;
        } catch (StatusRuntimeException e) {
            throw new UserFacingError(
                    "The mesh's operators' door does not answer: look at drover.log in its data"
                            + " directory.",
                    e);
        } finally {
            channel.shutdownNow();
        }
    }
}
