package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UnknownFieldSet;
import drover.agent.v1.ActionCheck;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramSpec;
import drover.coordinator.Waits;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.health.v1.HealthFinding;
import drover.health.v1.HealthVerdictServiceGrpc;
import drover.health.v1.Verdict;
import drover.health.v1.VerdictOutcome;
import drover.health.v1.WatchRequest;
import drover.health.v1.WatchResponse;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.Refused;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.GetManifestResponse;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderedNode;
import drover.manifest.v1.StateCompatibility;
import drover.manifest.v1.UpgradeManifest;
import drover.model.AttemptOutcome;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.node.v1.AttachResponse;
import drover.node.v1.Connected;
import drover.node.v1.NodeStatus;
import drover.node.v1.Session;
import drover.node.v1.Statuses;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** This coordinator, with neighbours of the version before and of the one after. */
@DisplayName("C15: a coordinator whose neighbours have another version")
final class VersionSkewTest {
    private static final NodeId NODE = new NodeId("n1");
    private static final int LATER_VALUE = 99; // of whatever enum

    /** What a later version says more. */
    private static final UnknownFieldSet MORE =
            UnknownFieldSet.newBuilder()
                    .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                    .build();

    @Nested
    @DisplayName("with gateways")
    class Gateways {
        private final List<ConnectedNode> present = new ArrayList<>();
        private final List<ReportedStatus> reported = new ArrayList<>();

        private void send(AttachResponse.Builder message) {
            GatewayProtoDispatcher.dispatch(
                    message.build(),
                    new GatewayLink.Listener() {
                        @Override
                        public void onOpened() {}

                        @Override
                        public void onConnected(List<ConnectedNode> nodes) {
                            present.addAll(nodes);
                        }

                        @Override
                        public void onDisconnected(List<NodeId> nodes) {}

                        @Override
                        public void onStatuses(List<ReportedStatus> reports) {
                            reported.addAll(reports);
                        }

                        @Override
                        public void onSnapshotEnd(long revision) {}

                        @Override
                        public void onClosed(boolean stale) {}
                    });
        }

        @Test
        void leavesOutAMessageThatIsNotKnown() {
            send(AttachResponse.newBuilder().setUnknownFields(MORE));
            assertThat(present).isEmpty();
            assertThat(reported).isEmpty();
        }

        @Test
        @DisplayName(
                "an outcome that is not known ends no attempt, and what was said is kept whole")
        void anUnknownOutcomeIsNoEnd() {
            AttemptStatus later =
                    AttemptStatus.newBuilder()
                            .setAttempt(4)
                            .setSequence(7)
                            .setOutcomeValue(LATER_VALUE)
                            .setPhaseValue(LATER_VALUE)
                            .setUnknownFields(MORE)
                            .build();
            send(
                    AttachResponse.newBuilder()
                            .setStatuses(
                                    Statuses.newBuilder()
                                            .addStatuses(
                                                    NodeStatus.newBuilder()
                                                            .setNodeId("n1")
                                                            .setStatus(later))));
            assertThat(reported.getFirst().status().outcome())
                    .isEqualTo(AttemptOutcome.IN_PROGRESS);
            assertThat(AgentReportConverter.parseOrDefault(reported.getFirst().bytes()))
                    .isEqualTo(later);
        }

        @Test
        @DisplayName("a check that is not known, or not said, is no good check")
        void anUnknownCheckIsAProblem() {
            var report =
                    AgentReportConverter.toPreflightReport(
                            drover.agent.v1.PreflightReport.newBuilder()
                                    .addChecks(
                                            ActionCheck.newBuilder()
                                                    .setName("acquire_artifact")
                                                    .setOutcomeValue(LATER_VALUE))
                                    .build());
            assertThat(report.problems()).hasSize(8);
        }

        @Test
        @DisplayName("an agent that says no features has none")
        void anEarlierAgentHasNoFeatures() {
            send(
                    AttachResponse.newBuilder()
                            .setConnected(
                                    Connected.newBuilder()
                                            .addSessions(
                                                    Session.newBuilder()
                                                            .setNodeId("n1")
                                                            .setSessionId("s")
                                                            .setHello(
                                                                    Hello.getDefaultInstance()))));
            assertThat(present.getFirst().view().features()).isEmpty();
            assertThat(present.getFirst().view().programs()).isEmpty();
        }
    }

    @Nested
    @DisplayName("with evaluators")
    class Evaluators {
        /** Every node that is watched is told of alike. */
        private HealthVerdict verdictOf(Verdict.Builder verdict) {
            Address address = new Address.InProcess("skew-" + UUID.randomUUID());
            Map<NodeId, HealthVerdict> received = new ConcurrentHashMap<>();
            try (GrpcServer evaluator =
                            GrpcServer.builder()
                                    .addService(new Evaluator(verdict))
                                    .listen(address);
                    HealthEvaluatorLink link =
                            GrpcHealthEvaluatorLink.open(
                                    Channels.open(address), new Hearing(received))) {
                assertThat(evaluator).isNotNull();
                link.setGateways(List.of());
                await().atMost(Waits.LIMIT).until(() -> received.containsKey(NODE));
            }
            return Objects.requireNonNull(received.get(NODE));
        }

        @Test
        @DisplayName("F3: an outcome that is not known is no data")
        void anUnknownOutcomeIsNotHealthy() {
            assertThat(verdictOf(Verdict.newBuilder().setAttempt(3).setOutcomeValue(LATER_VALUE)))
                    .isInstanceOf(HealthVerdict.NoData.class);
        }

        @Test
        @DisplayName("a finding that is not known leaves unhealthy what is, by its sentence")
        void acceptsAnUnknownFinding() {
            HealthVerdict verdict =
                    verdictOf(
                            Verdict.newBuilder()
                                    .setAttempt(3)
                                    .setOutcome(VerdictOutcome.VERDICT_OUTCOME_UNHEALTHY)
                                    .addFindings(
                                            HealthFinding.newBuilder()
                                                    .setCodeValue(LATER_VALUE)
                                                    .setSentence("Its disk is full.")));
            assertThat(verdict)
                    .isEqualTo(
                            new HealthVerdict.Unhealthy(
                                    3, List.of(new Cause("UNKNOWN", "Its disk is full."))));
        }

        @Test
        void acceptsAnEarlierVerdictWithoutFindings() {
            assertThat(
                            verdictOf(
                                    Verdict.newBuilder()
                                            .setAttempt(3)
                                            .setOutcome(VerdictOutcome.VERDICT_OUTCOME_SETTLING)))
                    .isInstanceOf(HealthVerdict.Settling.class);
        }
    }

    @Nested
    @DisplayName("with manifest-services")
    class Manifests {
        private static final UpgradeManifest EARLIER =
                UpgradeManifest.newBuilder().setTargetVersion("v2").build();

        @Test
        @DisplayName("a manifest without what came since is what it says")
        void takesAnEarlierManifest() {
            ManifestServiceLink.Manifest manifest = query(EARLIER, link -> manifest(link));
            assertThat(manifest.targetVersion()).isEqualTo("v2");
            assertThat(manifest.migration()).isEqualTo(MigrationType.NONE);
            assertThat(manifest.artifacts()).isEmpty();
        }

        @Test
        @DisplayName("what a manifest says more is not left out: nothing is created of it")
        void refusesAManifestWithUnknownFields() {
            refused(
                    "field 900",
                    () ->
                            query(
                                    EARLIER.toBuilder().setUnknownFields(MORE).build(),
                                    link -> manifest(link)));
        }

        @Test
        @DisplayName("A9: a migration that is not known is never none")
        void refusesAMigrationThatIsNotKnown() {
            refused(
                    "99 as state_compatibility.migration_type",
                    () ->
                            query(
                                    EARLIER.toBuilder()
                                            .setStateCompatibility(
                                                    StateCompatibility.newBuilder()
                                                            .setMigrationTypeValue(LATER_VALUE))
                                            .build(),
                                    link -> manifest(link)));
        }

        @Test
        @DisplayName("a program that is launched by more than is known here is frozen for no node")
        void refusesAProgramWithUnknownFields() {
            refused(
                    "field 900",
                    () ->
                            query(
                                    EARLIER,
                                    link ->
                                            link.render(
                                                    new ChainProfileId("demo"),
                                                    new BinaryName("app"),
                                                    "v2",
                                                    List.of(),
                                                    List.of())));
        }

        private static ManifestServiceLink.Manifest manifest(ManifestServiceLink link) {
            return link.fetchManifest(new ChainProfileId("demo"), "v2");
        }

        private static void refused(String what, Executable requesting) {
            assertThatThrownBy(requesting::execute)
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused ->
                                    assertThat(refused.code())
                                            .isEqualTo(RefusalCode.UNKNOWN_CONTENT))
                    .hasMessageContaining(what);
        }

        private static <T> T query(
                UpgradeManifest manifest,
                java.util.function.Function<ManifestServiceLink, T> question) {
            Address address = new Address.InProcess("skew-" + UUID.randomUUID());
            GrpcServer host =
                    GrpcServer.builder()
                            .addService(new Holding(manifest))
                            .addService(new Rendering())
                            .listen(address);
            ManagedChannel channel = Channels.open(address);
            try {
                return question.apply(new GrpcManifestServiceLink(channel));
            } finally {
                channel.shutdownNow();
                host.close();
            }
        }
    }

    private record Hearing(Map<NodeId, HealthVerdict> received)
            implements HealthEvaluatorLink.Listener {
        @Override
        public void onOpened() {}

        @Override
        public void onVerdicts(Map<NodeId, HealthVerdict> verdicts) {
            received.putAll(verdicts);
        }

        @Override
        public void onClosed() {}
    }

    private static final class Evaluator
            extends HealthVerdictServiceGrpc.HealthVerdictServiceImplBase {
        private final Verdict verdict;

        Evaluator(Verdict.Builder verdict) {
            this.verdict = verdict.setNodeId("n1").setUnknownFields(MORE).build();
        }

        @Override
        public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> coordinator) {
            coordinator.onNext(WatchResponse.newBuilder().addVerdicts(verdict).build());
            return new StreamObserver<>() {
                @Override
                public void onNext(WatchRequest request) {}

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {
                    coordinator.onCompleted();
                }
            };
        }
    }

    private static final class Holding extends ManifestServiceGrpc.ManifestServiceImplBase {
        private final UpgradeManifest manifest;

        Holding(UpgradeManifest manifest) {
            this.manifest = manifest;
        }

        @Override
        public void getManifest(
                GetManifestRequest request, StreamObserver<GetManifestResponse> to) {
            to.onNext(GetManifestResponse.newBuilder().setManifest(manifest).build());
            to.onCompleted();
        }
    }

    private static final class Rendering
            extends ManifestCatalogServiceGrpc.ManifestCatalogServiceImplBase {
        @Override
        public void renderConfigs(
                RenderConfigsRequest request, StreamObserver<RenderConfigsResponse> to) {
            to.onNext(
                    RenderConfigsResponse.newBuilder()
                            .addNodes(
                                    RenderedNode.newBuilder()
                                            .setNodeId("n1")
                                            .setLaunchDigest(Digest.of("launch").value())
                                            .setProgram(
                                                    ProgramSpec.newBuilder()
                                                            .setName("app")
                                                            .setUnknownFields(MORE)))
                            .build());
            to.onCompleted();
        }
    }
}
