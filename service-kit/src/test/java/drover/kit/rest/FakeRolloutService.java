package drover.kit.rest;

import drover.kit.access.AccessTable;
import drover.kit.access.Scope;
import drover.kit.grpc.Authenticator;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.kit.grpc.Refused;
import drover.kit.grpc.ScopeAuthorizer;
import drover.model.RefusalCode;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.CreateRolloutResponse;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.GetRolloutResponse;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.PauseRolloutRequest;
import drover.rollout.v1.PauseRolloutResponse;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanRolloutResponse;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.RetryNodeRequest;
import drover.rollout.v1.RetryNodeResponse;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutStatus;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.stub.StreamObserver;

/** A small service that answers with what it was asked. */
final class FakeRolloutService extends RolloutServiceGrpc.RolloutServiceImplBase {
    static final Context.Key<Metadata> HEADERS = Context.key("headers");

    /** Asks for nothing, and knows every method. */
    static final ScopeAuthorizer GATE =
            new ScopeAuthorizer(
                    AccessTable.builder()
                            .require(
                                    Scope.ROLLOUTS_READ,
                                    RolloutServiceGrpc.SERVICE_NAME,
                                    RolloutServiceGrpc.getServiceDescriptor().getMethods().stream()
                                            .map(MethodDescriptor::getBareMethodName)
                                            .toArray(String[]::new))
                            .build(),
                    Authenticator.withoutAuthentication());

    /** Lets the service see the metadata of its call. */
    static final class HeaderWatch implements ServerInterceptor {
        @Override
        public <A, B> ServerCall.Listener<A> interceptCall(
                ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
            return Contexts.interceptCall(
                    Context.current().withValue(HEADERS, headers), call, headers, next);
        }
    }

    @Override
    public void createRollout(
            CreateRolloutRequest request, StreamObserver<CreateRolloutResponse> answer) {
        Rollout rollout =
                Rollout.newBuilder()
                        .setId("r-1")
                        .setChainProfileId(request.getChainProfileId())
                        .setStrategy(request.getStrategy())
                        .setHealthWaitDuration(request.getHealthWaitDuration())
                        .setStatus(RolloutStatus.ROLLOUT_STATUS_PENDING)
                        .setCreatedBy(AuthorizationInterceptor.currentActor())
                        .setExplanation(header("idempotency-key") + " " + header("traceparent"))
                        .build();
        answer.onNext(CreateRolloutResponse.newBuilder().setRollout(rollout).build());
        answer.onCompleted();
    }

    @Override
    public void planRollout(
            PlanRolloutRequest request, StreamObserver<PlanRolloutResponse> answer) {
        Rollout requested =
                Rollout.newBuilder()
                        .setChainProfileId(request.getRollout().getChainProfileId())
                        .build();
        answer.onNext(
                PlanRolloutResponse.newBuilder()
                        .setPlan(RolloutPlan.newBuilder().setRollout(requested))
                        .build());
        answer.onCompleted();
    }

    @Override
    public void listRollouts(
            ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> answer) {
        Rollout requested =
                Rollout.newBuilder()
                        .setChainProfileId(request.getChainProfileId())
                        .setStatus(request.getStatus())
                        .setBatchSize(request.getPageSize())
                        .build();
        answer.onNext(ListRolloutsResponse.newBuilder().addRollouts(requested).build());
        answer.onCompleted();
    }

    @Override
    public void getRollout(GetRolloutRequest request, StreamObserver<GetRolloutResponse> answer) {
        switch (request.getRolloutId()) {
            case "slow" -> {} // never answers: the deadline must
            case "bug" -> throw new IllegalStateException("secret internals");
            case "busy" -> throw new Refused(RefusalCode.OVERLOADED, "Too much at once.");
            case "away" ->
                    throw new Refused(RefusalCode.STORE_UNAVAILABLE, "The database is away.");
            default ->
                    throw new Refused(
                            RefusalCode.ROLLOUT_NOT_FOUND,
                            "There is no rollout '" + request.getRolloutId() + "'.",
                            "rollout_id");
        }
    }

    @Override
    public void pauseRollout(
            PauseRolloutRequest request, StreamObserver<PauseRolloutResponse> answer) {
        if (request.getRolloutId().equals("done")) {
            throw new Refused(RefusalCode.FINAL, "The rollout has ended.");
        }
        answer.onNext(
                PauseRolloutResponse.newBuilder()
                        .setRequest(
                                receipt(
                                        request.getReason().equals("later")
                                                ? RequestState.REQUEST_STATE_PENDING
                                                : RequestState.REQUEST_STATE_APPLIED))
                        .build());
        answer.onCompleted();
    }

    @Override
    public void retryNode(RetryNodeRequest request, StreamObserver<RetryNodeResponse> answer) {
        answer.onNext(
                RetryNodeResponse.newBuilder()
                        .setRollout(
                                Rollout.newBuilder()
                                        .setId(request.getRolloutId())
                                        .setExplanation(request.getNodeId()))
                        .build());
        answer.onCompleted();
    }

    private static RequestReceipt.Builder receipt(RequestState state) {
        return RequestReceipt.newBuilder().setId("q-1").setState(state);
    }

    private static String header(String name) {
        return String.valueOf(
                HEADERS.get().get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
    }
}
