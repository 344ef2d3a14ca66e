package drover.coordinator.api.node;

import drover.agent.v1.ProgramReport;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter.ListedRequestOutcome;
import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.plan.model.CurrentDesiredProgram;
import drover.model.program.DownloadAddress;
import drover.node.v1.GetDesiredResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequestReceipt;
import drover.node.v1.NodeRequestState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is said of nodes, as the contracts say it. */
final class NodeProtos {
    private NodeProtos() {}

    /** The node without the queries of the addresses that its agent reports (H14). */
    static Node redact(Node node) {
        Node.Builder redacted = node.toBuilder();
        redacted.getProgramsBuilderList()
                .forEach(
                        program ->
                                program.setArtifactUrl(
                                        DownloadAddress.redact(program.getArtifactUrl())));
        return redacted.build();
    }

    /**
     * What a node shall run.
     *
     * @param wanted what rollouts say; the agent's own word counts for every other program
     */
    static GetDesiredResponse toDesired(Node node, List<CurrentDesiredProgram> wanted) {
        Map<String, drover.node.v1.DesiredProgram> programs = new TreeMap<>();
        for (ProgramReport program : node.getProgramsList()) {
            programs.put(
                    program.getName(),
                    drover.node.v1.DesiredProgram.newBuilder()
                            .setName(program.getName())
                            .setVersion(program.getVersion())
                            .setChecksum(program.getRunningDigest())
                            .build());
        }
        wanted.forEach(program -> programs.put(program.program().value(), toDesired(program)));
        return GetDesiredResponse.newBuilder()
                .setNodeId(node.getId())
                .addAllPrograms(programs.values())
                .build();
    }

    private static drover.node.v1.DesiredProgram toDesired(CurrentDesiredProgram program) {
        return drover.node.v1.DesiredProgram.newBuilder()
                .setName(program.program().value())
                .setVersion(program.version().value())
                .setChecksum(program.digest())
                .setUrl(DownloadAddress.redact(program.url()))
                .setRolloutId(program.rollout().value())
                .setExposed(program.exposed())
                .build();
    }

    static NodeReason toReason(ListedRequestOutcome outcome) {
        return NodeReason.newBuilder()
                .setAt(RolloutProtos.toTimestamp(outcome.at()))
                .setCode(outcome.cause().code())
                .setSentence(outcome.cause().sentence())
                .build();
    }

    static NodeRequestReceipt toReceipt(RolloutRequestSubmitter.Receipt receipt) {
        return NodeRequestReceipt.newBuilder()
                .setId(receipt.id().toString())
                .setState(
                        receipt.pending()
                                ? NodeRequestState.NODE_REQUEST_STATE_PENDING
                                : NodeRequestState.NODE_REQUEST_STATE_APPLIED)
                .build();
    }
}
