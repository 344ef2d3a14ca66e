package drover.coordinator.api;

import drover.coordinator.engine.RequestDesk;
import drover.coordinator.plan.NodeRequest;
import drover.coordinator.store.NodeRequestStore.Asked;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequestReceipt;
import drover.node.v1.NodeRequestState;

/** What is said of nodes, as the contracts say it. */
final class NodeProtos {
    private NodeProtos() {}

    static NodeReason reason(Asked asked) {
        return NodeReason.newBuilder()
                .setAt(RolloutProtos.time(asked.at()))
                .setCode(code(asked))
                .setSentence(sentence(asked))
                .build();
    }

    private static String code(Asked asked) {
        boolean clears = asked.request() == NodeRequest.CLEAR;
        return switch (asked.standing().state()) {
            case "applied" -> clears ? "CLEARED" : "RETIRED";
            case "refused" -> asked.standing().refusalCode();
            default -> clears ? "CLEARING" : "RETIRING";
        };
    }

    private static String sentence(Asked asked) {
        String verb = asked.request() == NodeRequest.CLEAR ? "clear" : "retire";
        String outcome =
                switch (asked.standing().state()) {
                    case "applied" -> "It is done.";
                    case "refused" -> asked.standing().refusalSentence();
                    default -> "It is not done yet.";
                };
        return asked.actor()
                + " asked to "
                + verb
                + " it. "
                + outcome
                + " Reason: "
                + asked.reason();
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
