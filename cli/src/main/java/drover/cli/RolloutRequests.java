package drover.cli;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import drover.rollout.v1.ApproveCanaryRequest;
import drover.rollout.v1.CancelRolloutRequest;
import drover.rollout.v1.ForceRolloutRequest;
import drover.rollout.v1.HoldNodeRequest;
import drover.rollout.v1.PauseRolloutRequest;
import drover.rollout.v1.ReleaseNodeRequest;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.ResumeRolloutRequest;
import drover.rollout.v1.RetryNodeRequest;
import drover.rollout.v1.RollbackHealth;
import drover.rollout.v1.RollbackRolloutRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.SkipNodeRequest;
import drover.rollout.v1.SkipNodesRequest;
import drover.rollout.v1.StartRolloutRequest;
import java.util.List;

/** Asks a rollout to change. Every such answer has the rollout and what became of the request. */
final class RolloutRequests {
    private RolloutRequests() {}

    /** An answer, with the parts that every such answer has. */
    record Answer(Message whole, Rollout rollout, RequestReceipt request) {}

    static Answer start(
            RolloutServiceBlockingStub rollouts, String id, String reason, String plan) {
        var answer =
                rollouts.startRollout(
                        StartRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setPlanHash(plan)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer pause(RolloutServiceBlockingStub rollouts, String id, String reason) {
        var answer =
                rollouts.pauseRollout(
                        PauseRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer resume(
            RolloutServiceBlockingStub rollouts, String id, String reason, int acknowledged) {
        var answer =
                rollouts.resumeRollout(
                        ResumeRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setAcknowledgedFailures(acknowledged)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer cancel(RolloutServiceBlockingStub rollouts, String id, String reason) {
        var answer =
                rollouts.cancelRollout(
                        CancelRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer rollback(
            RolloutServiceBlockingStub rollouts, String id, String reason, String health) {
        var answer =
                rollouts.rollbackRollout(
                        RollbackRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setHealthValue(
                                        Words.number(
                                                "--health", health, RollbackHealth.getDescriptor()))
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer approve(
            RolloutServiceBlockingStub rollouts, String id, String reason, String evidence) {
        var answer =
                rollouts.approveCanary(
                        ApproveCanaryRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setEvidence(evidence)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer force(RolloutServiceBlockingStub rollouts, String id, String reason) {
        var answer =
                rollouts.forceRollout(
                        ForceRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer retry(
            RolloutServiceBlockingStub rollouts, String id, String node, String reason) {
        var answer =
                rollouts.retryNode(
                        RetryNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer skip(RolloutServiceBlockingStub rollouts, String id, String node, String reason) {
        var answer =
                rollouts.skipNode(
                        SkipNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    /** No node is every one that holds the rollout up. */
    static Answer skip(
            RolloutServiceBlockingStub rollouts, String id, List<String> nodes, String reason) {
        var answer =
                rollouts.skipNodes(
                        SkipNodesRequest.newBuilder()
                                .setRolloutId(id)
                                .addAllNodeIds(nodes)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer hold(
            RolloutServiceBlockingStub rollouts,
            String id,
            String node,
            String reason,
            Timestamp until) {
        var answer =
                rollouts.holdNode(
                        HoldNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .setUntil(until)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }

    static Answer release(
            RolloutServiceBlockingStub rollouts, String id, String node, String reason) {
        var answer =
                rollouts.releaseNode(
                        ReleaseNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getRollout(), answer.getRequest());
    }
}
