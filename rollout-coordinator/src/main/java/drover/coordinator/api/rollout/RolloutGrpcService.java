package drover.coordinator.api.rollout;

import static drover.coordinator.api.RolloutIdCallHelpers.parseRolloutId;
import static drover.coordinator.api.RolloutIdCallHelpers.requireUuid;
import static drover.coordinator.api.RolloutIdCallHelpers.respond;

import drover.coordinator.api.IdempotencyKeyInterceptor;
import drover.coordinator.engine.create.RefusingFieldParser;
import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.create.RolloutPreviewer.ChainHealth;
import drover.coordinator.engine.request.BlockingPreflightRequester;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter;
import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.engine.request.RolloutRequestSubmitter.Receipt;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.rollout.v1.ApproveCanaryRequest;
import drover.rollout.v1.ApproveCanaryResponse;
import drover.rollout.v1.CancelRolloutRequest;
import drover.rollout.v1.CancelRolloutResponse;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.CreateRolloutResponse;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.ForceRolloutRequest;
import drover.rollout.v1.ForceRolloutResponse;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.GetRolloutPlanResponse;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.GetRolloutResponse;
import drover.rollout.v1.HoldNodeRequest;
import drover.rollout.v1.HoldNodeResponse;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.ListRolloutNodesResponse;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.PauseRolloutRequest;
import drover.rollout.v1.PauseRolloutResponse;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanRolloutResponse;
import drover.rollout.v1.PreflightRolloutRequest;
import drover.rollout.v1.PreflightRolloutResponse;
import drover.rollout.v1.ReleaseNodeRequest;
import drover.rollout.v1.ReleaseNodeResponse;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.ResumeRolloutRequest;
import drover.rollout.v1.ResumeRolloutResponse;
import drover.rollout.v1.RetryNodeRequest;
import drover.rollout.v1.RetryNodeResponse;
import drover.rollout.v1.RollbackRolloutRequest;
import drover.rollout.v1.RollbackRolloutResponse;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.SkipNodeRequest;
import drover.rollout.v1.SkipNodeResponse;
import drover.rollout.v1.SkipNodesRequest;
import drover.rollout.v1.SkipNodesResponse;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.StartRolloutResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Rollouts for operators. What changes one is written down as a request; what reads one goes to the
 * views.
 */
public final class RolloutGrpcService extends RolloutServiceGrpc.RolloutServiceImplBase {
    private final RolloutCreator creation;
    private final RolloutRequestSubmitter requests;
    private final RolloutQueries reading;
    private final BlockingPreflightRequester preflights;

    /** A door over these. */
    public RolloutGrpcService(
            RolloutCreator creation,
            RolloutRequestSubmitter requests,
            RolloutQueries reading,
            BlockingPreflightRequester preflights) {
        this.creation = creation;
        this.requests = requests;
        this.reading = reading;
        this.preflights = preflights;
    }

    @Override
    public void createRollout(
            CreateRolloutRequest request, StreamObserver<CreateRolloutResponse> out) {
        UnvalidatedCreationRequest requested = CreationRequestProtos.toCreationRequest(request);
        RolloutId id =
                creation.create(
                        requested,
                        AuthorizationInterceptor.currentActor(),
                        IdempotencyKeyInterceptor.currentIdempotencyKey(),
                        RolloutCreator.digestOf(request.toByteArray()));
        Rollout created = reading.readRollout(id);
        respond(
                out,
                CreateRolloutResponse.newBuilder()
                        .setRollout(created)
                        .addAllWarnings(
                                creation.fetchWarnings(requested, created.getTotalNodes()).stream()
                                        .map(PlanProtos::toWarning)
                                        .toList())
                        .build());
    }

    @Override
    public void planRollout(PlanRolloutRequest request, StreamObserver<PlanRolloutResponse> out) {
        respond(
                out,
                PlanRolloutResponse.newBuilder()
                        .setPlan(
                                reading.creationPlan(
                                        CreationRequestProtos.toCreationRequest(
                                                request.getRollout())))
                        .build());
    }

    @Override
    public void getRolloutPlan(
            GetRolloutPlanRequest request, StreamObserver<GetRolloutPlanResponse> out) {
        RolloutId id = parseRolloutId(request.getRolloutId());
        RolloutPlan.Builder plan =
                (request.getRollback()
                                ? reading.rollbackPlan(
                                        id,
                                        CreationRequestProtos.toRollbackHealth(
                                                request.getRollbackHealth(), "rollback_health"))
                                : reading.remainingPlan(id))
                        .toBuilder();
        preflights.findLatest(id).map(PreflightProtos::toPreflight).ifPresent(plan::setPreflight);
        respond(out, GetRolloutPlanResponse.newBuilder().setPlan(plan).build());
    }

    @Override
    public void preflightRollout(
            PreflightRolloutRequest request, StreamObserver<PreflightRolloutResponse> out) {
        RolloutId id = parseRolloutId(request.getRolloutId());
        reading.requireNotStarted(id);
        PreflightRolloutResponse.Builder response =
                PreflightRolloutResponse.newBuilder()
                        .setPreflight(
                                PreflightProtos.toPreflight(
                                        preflights.requestAndAwait(
                                                id, AuthorizationInterceptor.currentActor())));
        ChainHealth health = reading.readChainHealth(id);
        respond(
                out,
                response.addAllUnhealthyNodes(PlanProtos.toUnhealthyNodes(health))
                        .addAllWarnings(PlanProtos.toWarnings(health))
                        .build());
    }

    @Override
    public void listRollouts(
            ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> out) {
        respond(out, reading.list(request));
    }

    @Override
    public void getRollout(GetRolloutRequest request, StreamObserver<GetRolloutResponse> out) {
        RolloutId id = parseRolloutId(request.getRolloutId());
        Rollout.Builder rollout = reading.readRollout(id).toBuilder();
        if (rollout.getStatus() == RolloutStatus.ROLLOUT_STATUS_PENDING) {
            preflights
                    .findLatest(id)
                    .map(PreflightProtos::toSummary)
                    .ifPresent(rollout::setPreflight);
        }
        respond(out, GetRolloutResponse.newBuilder().setRollout(rollout).build());
    }

    @Override
    public void listRolloutNodes(
            ListRolloutNodesRequest request, StreamObserver<ListRolloutNodesResponse> out) {
        respond(out, reading.listNodes(parseRolloutId(request.getRolloutId()), request));
    }

    @Override
    public void explainRollout(
            ExplainRolloutRequest request, StreamObserver<ExplainRolloutResponse> out) {
        respond(out, reading.explain(parseRolloutId(request.getRolloutId()), request));
    }

    @Override
    public void startRollout(
            StartRolloutRequest request, StreamObserver<StartRolloutResponse> out) {
        reading.requireReasonIfRisky(parseRolloutId(request.getRolloutId()), request.getReason());
        if (!request.getPlanHash().isEmpty()) {
            reading.requirePlanHashIfPending(
                    parseRolloutId(request.getRolloutId()), request.getPlanHash());
        }
        // Before the start: afterwards, nodes are unhealthy because they are being upgraded.
        ChainHealth health = reading.readChainHealth(parseRolloutId(request.getRolloutId()));
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Start(),
                request.getReason(),
                (rollout, receipt) ->
                        StartRolloutResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .addAllUnhealthyNodes(PlanProtos.toUnhealthyNodes(health))
                                .addAllWarnings(PlanProtos.toWarnings(health))
                                .build());
    }

    @Override
    public void pauseRollout(
            PauseRolloutRequest request, StreamObserver<PauseRolloutResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Pause(),
                request.getReason(),
                (rollout, receipt) ->
                        PauseRolloutResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void resumeRollout(
            ResumeRolloutRequest request, StreamObserver<ResumeRolloutResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Resume(request.getAcknowledgedFailures()),
                request.getReason(),
                (rollout, receipt) ->
                        ResumeRolloutResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void cancelRollout(
            CancelRolloutRequest request, StreamObserver<CancelRolloutResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Cancel(),
                request.getReason(),
                (rollout, receipt) ->
                        CancelRolloutResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void rollbackRollout(
            RollbackRolloutRequest request, StreamObserver<RollbackRolloutResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Rollback(
                        CreationRequestProtos.toRollbackHealth(request.getHealth(), "health")),
                request.getReason(),
                (rollout, receipt) ->
                        RollbackRolloutResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void approveCanary(
            ApproveCanaryRequest request, StreamObserver<ApproveCanaryResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Approve(parseEvidence(request.getEvidence())),
                request.getReason(),
                (rollout, receipt) ->
                        ApproveCanaryResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void forceRollout(
            ForceRolloutRequest request, StreamObserver<ForceRolloutResponse> out) {
        OperatorNodeRequestSubmitter.requireReason(request.getReason());
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.Force(),
                request.getReason(),
                (rollout, receipt) ->
                        ForceRolloutResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void retryNode(RetryNodeRequest request, StreamObserver<RetryNodeResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.RetryNode(parseNodeId(request.getNodeId())),
                request.getReason(),
                (rollout, receipt) ->
                        RetryNodeResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void skipNode(SkipNodeRequest request, StreamObserver<SkipNodeResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.SkipNode(parseNodeId(request.getNodeId())),
                request.getReason(),
                (rollout, receipt) ->
                        SkipNodeResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void skipNodes(SkipNodesRequest request, StreamObserver<SkipNodesResponse> out) {
        OperatorNodeRequestSubmitter.requireReason(request.getReason());
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.SkipNodes(parseNodeIds(request.getNodeIdsList())),
                request.getReason(),
                (rollout, receipt) ->
                        SkipNodesResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void holdNode(HoldNodeRequest request, StreamObserver<HoldNodeResponse> out) {
        OperatorNodeRequestSubmitter.requireReason(request.getReason());
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.HoldNode(
                        parseNodeId(request.getNodeId()),
                        HoldEndParser.parseUntilOrDefault(request, reading.now())),
                request.getReason(),
                (rollout, receipt) ->
                        HoldNodeResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void releaseNode(ReleaseNodeRequest request, StreamObserver<ReleaseNodeResponse> out) {
        submitAndRespond(
                out,
                request.getRolloutId(),
                new OperatorRequest.ReleaseNode(parseNodeId(request.getNodeId())),
                request.getReason(),
                (rollout, receipt) ->
                        ReleaseNodeResponse.newBuilder()
                                .setRollout(rollout)
                                .setRequest(receipt)
                                .build());
    }

    private <T> void submitAndRespond(
            StreamObserver<T> out,
            String rollout,
            OperatorRequest request,
            String reason,
            BiFunction<Rollout, RequestReceipt, T> render) {
        RolloutId id = parseRolloutId(rollout);
        requireUuid(id);
        Receipt receipt =
                requests.submitAndAwait(
                        id,
                        request,
                        AuthorizationInterceptor.currentActor(),
                        IdempotencyKeyInterceptor.currentIdempotencyKey(),
                        reason);
        respond(out, render.apply(reading.readRollout(id), RolloutProtos.toReceipt(receipt)));
    }

    /** Whether it may be left out is decided with the state: where nothing waits, that is said. */
    private static String parseEvidence(String text) {
        return text.isEmpty()
                ? ""
                : RefusingFieldParser.parse("evidence", text, Digest::new).value();
    }

    private static NodeId parseNodeId(String text) {
        return RefusingFieldParser.parse("node_id", text, NodeId::new);
    }

    private static List<NodeId> parseNodeIds(List<String> texts) {
        return texts.stream()
                .map(text -> RefusingFieldParser.parse("node_ids", text, NodeId::new))
                .toList();
    }
}
