package drover.cli.rollout;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.EnumNames;
import drover.rollout.v1.ApproveCanaryRequest;
import drover.rollout.v1.CancelRolloutRequest;
import drover.rollout.v1.ForceRolloutRequest;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.GetRolloutPlanResponse;
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
import drover.rollout.v1.StartRolloutResponse;
import java.util.List;

/** Asks a rollout to change. Every such answer has the rollout and what became of the request. */
final class RolloutRequestSender {
    private RolloutRequestSender() {}

    /** An answer, with the parts that every such answer has. */
    record Response(Message whole, Rollout rollout, RequestReceipt request) {}

    static Response start(
            RolloutServiceBlockingStub rollouts, String id, String reason, String plan) {
        StartRolloutResponse answer = startRollout(rollouts, id, reason, plan);
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static StartRolloutResponse startRollout(
            RolloutServiceBlockingStub rollouts, String id, String reason, String plan) {
        return rollouts.startRollout(
                StartRolloutRequest.newBuilder()
                        .setRolloutId(id)
                        .setReason(reason)
                        .setPlanHash(plan)
                        .build());
    }

    static Response pause(RolloutServiceBlockingStub rollouts, String id, String reason) {
        var answer =
                rollouts.pauseRollout(
                        PauseRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response resume(
            RolloutServiceBlockingStub rollouts, String id, String reason, int acknowledged) {
        var answer =
                rollouts.resumeRollout(
                        ResumeRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setAcknowledgedFailures(acknowledged)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response cancel(RolloutServiceBlockingStub rollouts, String id, String reason) {
        var answer =
                rollouts.cancelRollout(
                        CancelRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response rollback(
            RolloutServiceBlockingStub rollouts, String id, String reason, String health) {
        var answer =
                rollouts.rollbackRollout(
                        RollbackRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setHealthValue(
                                        EnumNames.parseNumber(
                                                "--health", health, RollbackHealth.getDescriptor()))
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static GetRolloutPlanResponse fetchRollbackPlan(
            RolloutServiceBlockingStub rollouts, String id, String health) {
        GetRolloutPlanResponse response =
                rollouts.getRolloutPlan(
                        GetRolloutPlanRequest.newBuilder()
                                .setRolloutId(id)
                                .setRollback(true)
                                .setRollbackHealthValue(
                                        EnumNames.parseNumber(
                                                "--health", health, RollbackHealth.getDescriptor()))
                                .build());
        if (!response.getPlan().getRollback()) {
            throw CommandFailed.refused(
                    "This coordinator cannot plan a rollback: upgrade it, or leave out --dry-run.");
        }
        return response;
    }

    static Response approve(
            RolloutServiceBlockingStub rollouts, String id, String reason, String evidence) {
        var answer =
                rollouts.approveCanary(
                        ApproveCanaryRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .setEvidence(evidence)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response force(RolloutServiceBlockingStub rollouts, String id, String reason) {
        var answer =
                rollouts.forceRollout(
                        ForceRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response retry(
            RolloutServiceBlockingStub rollouts, String id, String node, String reason) {
        var answer =
                rollouts.retryNode(
                        RetryNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response skip(
            RolloutServiceBlockingStub rollouts, String id, String node, String reason) {
        var answer =
                rollouts.skipNode(
                        SkipNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    /** No node is every one that holds the rollout up. */
    static Response skip(
            RolloutServiceBlockingStub rollouts, String id, List<String> nodes, String reason) {
        var answer =
                rollouts.skipNodes(
                        SkipNodesRequest.newBuilder()
                                .setRolloutId(id)
                                .addAllNodeIds(nodes)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response hold(
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
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }

    static Response releaseHold(
            RolloutServiceBlockingStub rollouts, String id, String node, String reason) {
        var answer =
                rollouts.releaseNode(
                        ReleaseNodeRequest.newBuilder()
                                .setRolloutId(id)
                                .setNodeId(node)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getRollout(), answer.getRequest());
    }
}
