package drover.cli;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import drover.audit.v1.AuditFinding;
import drover.audit.v1.AuditServiceGrpc;
import drover.audit.v1.VerifyHistoryRequest;
import drover.audit.v1.VerifyHistoryResponse;
import drover.cli.rollout.RolloutChangeLines;
import drover.incident.v1.Incident;
import drover.incident.v1.IncidentCategory;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.IncidentSeverity;
import drover.incident.v1.IncidentState;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ListIncidentsResponse;
import drover.incident.v1.ResolveIncidentRequest;
import drover.incident.v1.ResolveIncidentResponse;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ListManifestsResponse;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestProblem;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.ValidateManifestRequest;
import drover.manifest.v1.ValidateManifestResponse;
import drover.node.v1.ClearNodeRequest;
import drover.node.v1.ClearNodeResponse;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetNodeLogRequest;
import drover.node.v1.GetNodeLogResponse;
import drover.node.v1.GetNodeRequest;
import drover.node.v1.GetNodeResponse;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeRequestReceipt;
import drover.node.v1.NodeRequestState;
import drover.node.v1.NodeServiceGrpc;
import drover.node.v1.RetireNodeRequest;
import drover.node.v1.RetireNodeResponse;
import drover.node.v1.RevokeNodeRequest;
import drover.node.v1.RevokeNodeResponse;
import drover.rollout.v1.ApproveCanaryRequest;
import drover.rollout.v1.ApproveCanaryResponse;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.CreateRolloutResponse;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
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
import drover.rollout.v1.Preflight;
import drover.rollout.v1.PreflightRolloutRequest;
import drover.rollout.v1.PreflightRolloutResponse;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.ResumeRolloutRequest;
import drover.rollout.v1.ResumeRolloutResponse;
import drover.rollout.v1.RetryNodeRequest;
import drover.rollout.v1.RetryNodeResponse;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.SkipNodeRequest;
import drover.rollout.v1.SkipNodeResponse;
import drover.rollout.v1.SkipNodesRequest;
import drover.rollout.v1.SkipNodesResponse;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.StartRolloutResponse;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A Drover that tells a story: what it answers is set beforehand, what it was asked is kept. */
public final class FakeDrover implements AutoCloseable {
    public final List<Message> requested = new CopyOnWriteArrayList<>();
    public final List<Rollout> rollouts = new ArrayList<>();
    final List<drover.node.v1.Node> nodes = new ArrayList<>();
    final List<ManifestProblem> problems = new ArrayList<>();
    public final List<drover.rollout.v1.PlanWarning> warnings = new ArrayList<>();
    final FakeEventService events = new FakeEventService();

    /**
     * What GetRollout answers one after the other; the last one stays. {@code NONE} fails one look.
     */
    public final Deque<RolloutChangeLines.Snapshot> snapshots = new ArrayDeque<>();

    public ExplainRolloutResponse why = ExplainRolloutResponse.getDefaultInstance();
    public Preflight preflight = Preflight.getDefaultInstance();
    public RolloutPlan plan = RolloutPlan.getDefaultInstance();
    String log = "";
    ExplainNodeResponse whyNode = ExplainNodeResponse.getDefaultInstance();
    public RequestState decision = RequestState.REQUEST_STATE_APPLIED;
    @Nullable StatusRuntimeException refusal; // null: it does what it is asked
    public Class<? extends Message> refused = Message.class; // requests to which it applies
    final List<ManifestEntry> manifests = new ArrayList<>();

    /** What the check of the history finds, in its second part. */
    public final List<AuditFinding> findings = new ArrayList<>();

    private final class Audit extends AuditServiceGrpc.AuditServiceImplBase {
        @Override
        public void verifyHistory(
                VerifyHistoryRequest request, StreamObserver<VerifyHistoryResponse> observer) {
            boolean first = request.getPageToken().isEmpty();
            answer(
                    request,
                    observer,
                    VerifyHistoryResponse.newBuilder()
                            .setHistories(first ? 2 : 1)
                            .setEntries(20)
                            .addAllFindings(first ? List.of() : findings)
                            .setNextPageToken(first ? "on" : "")
                            .build());
        }
    }

    /** The header {@code authorization} of each call; empty when there was none. */
    public final List<String> brought = new CopyOnWriteArrayList<>();

    private final Server server;

    private final class Brought implements ServerInterceptor {
        @Override
        public <A, B> ServerCall.Listener<A> interceptCall(
                ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
            String header =
                    headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
            brought.add(header == null ? "" : header);
            return next.startCall(call, headers);
        }
    }

    public FakeDrover() {
        try {
            server =
                    NettyServerBuilder.forAddress(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .addService(new Rollouts())
                            .addService(new Nodes())
                            .addService(new Incidents())
                            .addService(new Manifests())
                            .addService(events)
                            .addService(new FakeApiKeyService(requested))
                            .addService(new FakeTokenService(requested))
                            .addService(new Audit())
                            .intercept(new Brought())
                            .build()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String address() {
        return "127.0.0.1:" + server.getPort();
    }

    public void refuse(Code code, String reason, String sentence) {
        refuse(code, reason, sentence, "");
    }

    public void refuse(Code code, String reason, String sentence, String field) {
        refusal =
                StatusProto.toStatusRuntimeException(
                        Status.newBuilder()
                                .setCode(code.getNumber())
                                .setMessage(sentence)
                                .addDetails(
                                        Any.pack(
                                                ErrorInfo.newBuilder()
                                                        .setDomain("drover")
                                                        .setReason(reason)
                                                        .putMetadata("field", field)
                                                        .build()))
                                .build());
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private <T> void answer(Message request, StreamObserver<T> observer, T answer) {
        requested.add(request);
        if (refusal != null && refused.isInstance(request)) {
            observer.onError(refusal);
            return;
        }
        observer.onNext(answer);
        observer.onCompleted();
    }

    private Rollout changed(String id, RolloutStatus status) {
        return Rollout.newBuilder().setId(id).setStatus(status).setExplanation("As asked.").build();
    }

    private RequestReceipt receipt() {
        return RequestReceipt.newBuilder().setId("q-1").setState(decision).build();
    }

    private final class Rollouts extends RolloutServiceGrpc.RolloutServiceImplBase {
        @Override
        public void planRollout(
                PlanRolloutRequest request, StreamObserver<PlanRolloutResponse> observer) {
            answer(request, observer, PlanRolloutResponse.newBuilder().setPlan(plan).build());
        }

        @Override
        public void getRolloutPlan(
                GetRolloutPlanRequest request, StreamObserver<GetRolloutPlanResponse> observer) {
            answer(request, observer, GetRolloutPlanResponse.newBuilder().setPlan(plan).build());
        }

        @Override
        public void preflightRollout(
                PreflightRolloutRequest request,
                StreamObserver<PreflightRolloutResponse> observer) {
            answer(
                    request,
                    observer,
                    PreflightRolloutResponse.newBuilder().setPreflight(preflight).build());
        }

        @Override
        public void createRollout(
                CreateRolloutRequest request, StreamObserver<CreateRolloutResponse> observer) {
            Rollout created =
                    Rollout.newBuilder()
                            .setId("7d1e0000-0000-4000-8000-000000000001")
                            .setBinaryName("celestia-node")
                            .setSourceVersion(request.getSourceVersion())
                            .setTargetVersion("v0.21.0")
                            .setStrategy(request.getStrategy())
                            .setTotalNodes(5)
                            .addBatches(drover.rollout.v1.Batch.getDefaultInstance())
                            .build();
            answer(
                    request,
                    observer,
                    CreateRolloutResponse.newBuilder()
                            .setRollout(created)
                            .addAllWarnings(warnings)
                            .build());
        }

        @Override
        public void listRollouts(
                ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> observer) {
            answer(
                    request,
                    observer,
                    ListRolloutsResponse.newBuilder().addAllRollouts(rollouts).build());
        }

        @Override
        public void getRollout(
                GetRolloutRequest request, StreamObserver<GetRolloutResponse> observer) {
            if (RolloutChangeLines.Snapshot.NONE.equals(snapshots.peek())) {
                snapshots.remove();
                observer.onError(io.grpc.Status.UNAVAILABLE.asRuntimeException());
                return;
            }
            Rollout rollout =
                    snapshots.isEmpty() ? rollouts.getFirst() : snapshots.peek().rollout();
            answer(request, observer, GetRolloutResponse.newBuilder().setRollout(rollout).build());
        }

        @Override
        public void listRolloutNodes(
                ListRolloutNodesRequest request,
                StreamObserver<ListRolloutNodesResponse> observer) {
            List<RolloutNode> those = snapshots.isEmpty() ? List.of() : snapshots.peek().nodes();
            if (snapshots.size() > 1) {
                snapshots.remove();
            }
            answer(
                    request,
                    observer,
                    ListRolloutNodesResponse.newBuilder().addAllNodes(those).build());
        }

        @Override
        public void startRollout(
                StartRolloutRequest request, StreamObserver<StartRolloutResponse> observer) {
            answer(
                    request,
                    observer,
                    StartRolloutResponse.newBuilder()
                            .addAllUnhealthyNodes(plan.getUnhealthyNodesList())
                            .addAllWarnings(plan.getWarningsList())
                            .setRollout(
                                    changed(
                                            request.getRolloutId(),
                                            RolloutStatus.ROLLOUT_STATUS_RUNNING))
                            .setRequest(receipt())
                            .build());
        }

        @Override
        public void pauseRollout(
                PauseRolloutRequest request, StreamObserver<PauseRolloutResponse> observer) {
            answer(
                    request,
                    observer,
                    PauseRolloutResponse.newBuilder()
                            .setRollout(
                                    changed(
                                            request.getRolloutId(),
                                            RolloutStatus.ROLLOUT_STATUS_PAUSED))
                            .setRequest(receipt())
                            .build());
        }

        @Override
        public void approveCanary(
                ApproveCanaryRequest request, StreamObserver<ApproveCanaryResponse> observer) {
            answer(
                    request,
                    observer,
                    ApproveCanaryResponse.newBuilder()
                            .setRollout(
                                    changed(
                                            request.getRolloutId(),
                                            RolloutStatus.ROLLOUT_STATUS_RUNNING))
                            .setRequest(receipt())
                            .build());
        }

        @Override
        public void resumeRollout(
                ResumeRolloutRequest request, StreamObserver<ResumeRolloutResponse> observer) {
            answer(
                    request,
                    observer,
                    ResumeRolloutResponse.newBuilder()
                            .setRollout(
                                    changed(
                                            request.getRolloutId(),
                                            RolloutStatus.ROLLOUT_STATUS_RUNNING))
                            .setRequest(receipt())
                            .build());
        }

        @Override
        public void holdNode(HoldNodeRequest request, StreamObserver<HoldNodeResponse> observer) {
            answer(request, observer, HoldNodeResponse.getDefaultInstance());
        }

        @Override
        public void skipNode(SkipNodeRequest request, StreamObserver<SkipNodeResponse> observer) {
            answer(request, observer, SkipNodeResponse.getDefaultInstance());
        }

        @Override
        public void skipNodes(
                SkipNodesRequest request, StreamObserver<SkipNodesResponse> observer) {
            answer(
                    request,
                    observer,
                    SkipNodesResponse.newBuilder()
                            .setRollout(
                                    changed(
                                            request.getRolloutId(),
                                            RolloutStatus.ROLLOUT_STATUS_PAUSED))
                            .setRequest(receipt())
                            .build());
        }

        @Override
        public void retryNode(
                RetryNodeRequest request, StreamObserver<RetryNodeResponse> observer) {
            answer(
                    request,
                    observer,
                    RetryNodeResponse.newBuilder()
                            .setRollout(
                                    changed(
                                            request.getRolloutId(),
                                            RolloutStatus.ROLLOUT_STATUS_RUNNING))
                            .setRequest(receipt())
                            .build());
        }

        @Override
        public void explainRollout(
                ExplainRolloutRequest request, StreamObserver<ExplainRolloutResponse> observer) {
            answer(request, observer, why);
        }
    }

    public static final String INCIDENT = "7b1e0c55-0000-4000-8000-000000000009";

    private final class Incidents extends IncidentServiceGrpc.IncidentServiceImplBase {
        @Override
        public void listIncidents(
                ListIncidentsRequest request, StreamObserver<ListIncidentsResponse> observer) {
            answer(
                    request,
                    observer,
                    ListIncidentsResponse.newBuilder()
                            .addIncidents(incident("one", IncidentState.INCIDENT_STATE_OPEN))
                            .addIncidents(incident(INCIDENT, IncidentState.INCIDENT_STATE_RESOLVED))
                            .addIncidents(
                                    incident("old", IncidentState.INCIDENT_STATE_RESOLVED)
                                            .toBuilder()
                                            .clearCategory()) // a later version's
                            .build());
        }

        @Override
        public void resolveIncident(
                ResolveIncidentRequest request, StreamObserver<ResolveIncidentResponse> observer) {
            answer(request, observer, ResolveIncidentResponse.getDefaultInstance());
        }
    }

    private static Incident incident(String id, IncidentState state) {
        return Incident.newBuilder()
                .setId(id)
                .setCategory(IncidentCategory.INCIDENT_CATEGORY_CRASH_LOOP)
                .setSeverity(IncidentSeverity.INCIDENT_SEVERITY_CRITICAL)
                .setState(state)
                .setNodeId("node-1")
                .setSentence("What ran before is back and cannot stay up.")
                .build();
    }

    private final class Nodes extends NodeServiceGrpc.NodeServiceImplBase {
        @Override
        public void listNodes(
                ListNodesRequest request, StreamObserver<ListNodesResponse> observer) {
            answer(request, observer, ListNodesResponse.newBuilder().addAllNodes(nodes).build());
        }

        @Override
        public void getNode(GetNodeRequest request, StreamObserver<GetNodeResponse> observer) {
            answer(
                    request,
                    observer,
                    GetNodeResponse.newBuilder().setNode(nodes.getFirst()).build());
        }

        @Override
        public void getNodeLog(
                GetNodeLogRequest request, StreamObserver<GetNodeLogResponse> observer) {
            answer(request, observer, GetNodeLogResponse.newBuilder().setText(log).build());
        }

        @Override
        public void explainNode(
                ExplainNodeRequest request, StreamObserver<ExplainNodeResponse> observer) {
            answer(request, observer, whyNode);
        }

        @Override
        public void clearNode(
                ClearNodeRequest request, StreamObserver<ClearNodeResponse> observer) {
            answer(
                    request,
                    observer,
                    ClearNodeResponse.newBuilder()
                            .setRequest(
                                    NodeRequestReceipt.newBuilder()
                                            .setState(NodeRequestState.NODE_REQUEST_STATE_APPLIED))
                            .build());
        }

        @Override
        public void revokeNode(
                RevokeNodeRequest request, StreamObserver<RevokeNodeResponse> observer) {
            Node.Builder node =
                    Node.newBuilder()
                            .setId(request.getNodeId())
                            .setChainProfileId("harbour")
                            .setNodeType("edge");
            answer(
                    request,
                    observer,
                    RevokeNodeResponse.newBuilder()
                            .setNode(node)
                            .setRevokedCertificates(1)
                            .build());
        }

        @Override
        public void retireNode(
                RetireNodeRequest request, StreamObserver<RetireNodeResponse> observer) {
            answer(
                    request,
                    observer,
                    RetireNodeResponse.newBuilder()
                            .setRequest(
                                    NodeRequestReceipt.newBuilder()
                                            .setState(NodeRequestState.NODE_REQUEST_STATE_PENDING))
                            .build());
        }
    }

    private final class Manifests extends ManifestServiceGrpc.ManifestServiceImplBase {
        @Override
        public void validateManifest(
                ValidateManifestRequest request,
                StreamObserver<ValidateManifestResponse> observer) {
            answer(
                    request,
                    observer,
                    ValidateManifestResponse.newBuilder().addAllProblems(problems).build());
        }

        @Override
        public void listManifests(
                ListManifestsRequest request, StreamObserver<ListManifestsResponse> observer) {
            answer(
                    request,
                    observer,
                    ListManifestsResponse.newBuilder().addAllManifests(manifests).build());
        }
    }
}
