package drover.coordinator.api;

import drover.coordinator.engine.NodeRequestDesk.Told;
import drover.coordinator.engine.RequestDesk;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequestReceipt;
import drover.node.v1.NodeRequestState;

/** What is said of nodes, as the contracts say it. */
final class NodeProtos {
    private NodeProtos() {}

    static NodeReason reason(Told told) {
        return NodeReason.newBuilder()
                .setAt(RolloutProtos.time(told.at()))
                .setCode(told.cause().code())
                .setSentence(told.cause().sentence())
                .build();
    }

    static NodeRequestReceipt receipt(RequestDesk.Receipt receipt) {
        return NodeRequestReceipt.newBuilder()
                .setId(receipt.id().toString())
                .setState(
                        receipt.pending()
                                ? NodeRequestState.NODE_REQUEST_STATE_PENDING
                                : NodeRequestState.NODE_REQUEST_STATE_APPLIED)
                .build();
    }
}
