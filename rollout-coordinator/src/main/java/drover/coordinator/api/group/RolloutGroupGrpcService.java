package drover.coordinator.api.group;

import static drover.coordinator.api.RolloutIdCallHelpers.respond;

import drover.coordinator.api.IdempotencyKeyInterceptor;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.group.OperatorGroupRequestSubmitter;
import drover.coordinator.engine.group.RolloutGroupCreator;
import drover.coordinator.engine.request.RolloutRequestSubmitter.Receipt;
import drover.coordinator.plan.group.GroupRequest;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.model.GroupId;
import drover.rollout.v1.CancelRolloutGroupRequest;
import drover.rollout.v1.CancelRolloutGroupResponse;
import drover.rollout.v1.CreateRolloutGroupRequest;
import drover.rollout.v1.CreateRolloutGroupResponse;
import drover.rollout.v1.ExplainRolloutGroupRequest;
import drover.rollout.v1.ExplainRolloutGroupResponse;
import drover.rollout.v1.GetRolloutGroupRequest;
import drover.rollout.v1.GetRolloutGroupResponse;
import drover.rollout.v1.GetRolloutGroupStatusRequest;
import drover.rollout.v1.GetRolloutGroupStatusResponse;
import drover.rollout.v1.ListRolloutGroupsRequest;
import drover.rollout.v1.ListRolloutGroupsResponse;
import drover.rollout.v1.PauseRolloutGroupRequest;
import drover.rollout.v1.PauseRolloutGroupResponse;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.ResumeRolloutGroupRequest;
import drover.rollout.v1.ResumeRolloutGroupResponse;
import drover.rollout.v1.RollbackRolloutGroupRequest;
import drover.rollout.v1.RollbackRolloutGroupResponse;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.SkipComponentRequest;
import drover.rollout.v1.SkipComponentResponse;
import drover.rollout.v1.StartRolloutGroupRequest;
import drover.rollout.v1.StartRolloutGroupResponse;
import io.grpc.stub.StreamObserver;
import java.util.function.BiFunction;

/**
 * Rollout groups for operators. What changes one is written down as a request; what reads one goes
 * to the store.
 */
public final class RolloutGroupGrpcService
        extends RolloutGroupServiceGrpc.RolloutGroupServiceImplBase {
    private final RolloutGroupCreator creation;
    private final OperatorGroupRequestSubmitter service;
    private final GroupQueries reading;

    /** A door over these. */
    public RolloutGroupGrpcService(
            RolloutGroupCreator creation,
            OperatorGroupRequestSubmitter service,
            GroupQueries reading) {
        this.creation = creation;
        this.service = service;
        this.reading = reading;
    }

    @Override
    public void createRolloutGroup(
            CreateRolloutGroupRequest request, StreamObserver<CreateRolloutGroupResponse> out) {
        GroupId id =
                creation.create(
                        GroupProtos.toCreationRequest(request),
                        AuthorizationInterceptor.currentActor(),
                        IdempotencyKeyInterceptor.currentIdempotencyKey(),
                        RolloutCreator.digestOf(request.toByteArray()));
        respond(
                out,
                CreateRolloutGroupResponse.newBuilder().setGroup(reading.readGroup(id)).build());
    }

    @Override
    public void listRolloutGroups(
            ListRolloutGroupsRequest request, StreamObserver<ListRolloutGroupsResponse> out) {
        respond(out, reading.list(request));
    }

    @Override
    public void getRolloutGroup(
            GetRolloutGroupRequest request, StreamObserver<GetRolloutGroupResponse> out) {
        respond(out, reading.readGroupWithRollouts(GroupQueries.parseId(request.getGroupId())));
    }

    @Override
    public void getRolloutGroupStatus(
            GetRolloutGroupStatusRequest request,
            StreamObserver<GetRolloutGroupStatusResponse> out) {
        GroupId id = GroupQueries.parseId(request.getGroupId());
        respond(
                out,
                GetRolloutGroupStatusResponse.newBuilder().setGroup(reading.readGroup(id)).build());
    }

    @Override
    public void explainRolloutGroup(
            ExplainRolloutGroupRequest request, StreamObserver<ExplainRolloutGroupResponse> out) {
        respond(
                out,
                reading.explain(GroupQueries.parseId(request.getGroupId()), request.getLimit()));
    }

    @Override
    public void startRolloutGroup(
            StartRolloutGroupRequest request, StreamObserver<StartRolloutGroupResponse> out) {
        reading.requireReasonIfRisky(
                GroupQueries.parseId(request.getGroupId()), request.getReason());
        submitAndRespond(
                out,
                request.getGroupId(),
                new GroupRequest.Start(),
                request.getReason(),
                (group, receipt) ->
                        StartRolloutGroupResponse.newBuilder()
                                .setGroup(group)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void pauseRolloutGroup(
            PauseRolloutGroupRequest request, StreamObserver<PauseRolloutGroupResponse> out) {
        submitAndRespond(
                out,
                request.getGroupId(),
                new GroupRequest.Pause(),
                request.getReason(),
                (group, receipt) ->
                        PauseRolloutGroupResponse.newBuilder()
                                .setGroup(group)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void resumeRolloutGroup(
            ResumeRolloutGroupRequest request, StreamObserver<ResumeRolloutGroupResponse> out) {
        submitAndRespond(
                out,
                request.getGroupId(),
                new GroupRequest.Resume(request.getAcknowledgedFailures()),
                request.getReason(),
                (group, receipt) ->
                        ResumeRolloutGroupResponse.newBuilder()
                                .setGroup(group)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void cancelRolloutGroup(
            CancelRolloutGroupRequest request, StreamObserver<CancelRolloutGroupResponse> out) {
        submitAndRespond(
                out,
                request.getGroupId(),
                new GroupRequest.Cancel(),
                request.getReason(),
                (group, receipt) ->
                        CancelRolloutGroupResponse.newBuilder()
                                .setGroup(group)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void rollbackRolloutGroup(
            RollbackRolloutGroupRequest request, StreamObserver<RollbackRolloutGroupResponse> out) {
        submitAndRespond(
                out,
                request.getGroupId(),
                new GroupRequest.Rollback(),
                request.getReason(),
                (group, receipt) ->
                        RollbackRolloutGroupResponse.newBuilder()
                                .setGroup(group)
                                .setRequest(receipt)
                                .build());
    }

    @Override
    public void skipComponent(
            SkipComponentRequest request, StreamObserver<SkipComponentResponse> out) {
        submitAndRespond(
                out,
                request.getGroupId(),
                new GroupRequest.Skip(),
                request.getReason(),
                (group, receipt) ->
                        SkipComponentResponse.newBuilder()
                                .setGroup(group)
                                .setRequest(receipt)
                                .build());
    }

    private <T> void submitAndRespond(
            StreamObserver<T> out,
            String group,
            GroupRequest request,
            String reason,
            BiFunction<RolloutGroup, RequestReceipt, T> render) {
        GroupId id = GroupQueries.parseId(group);
        Receipt receipt =
                service.submitAndAwait(
                        id,
                        request,
                        AuthorizationInterceptor.currentActor(),
                        IdempotencyKeyInterceptor.currentIdempotencyKey(),
                        reason);
        respond(out, render.apply(reading.readGroup(id), RolloutProtos.toReceipt(receipt)));
    }
}
