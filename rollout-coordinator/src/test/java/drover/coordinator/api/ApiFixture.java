package drover.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import drover.coordinator.access.OperatorAccessTable;
import drover.coordinator.api.group.GroupQueries;
import drover.coordinator.api.group.RolloutGroupGrpcService;
import drover.coordinator.api.incident.IncidentGrpcService;
import drover.coordinator.api.rollout.RolloutGrpcService;
import drover.coordinator.api.rollout.RolloutQueries;
import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.create.RolloutPreviewer;
import drover.coordinator.engine.fleet.NoDataFleetView;
import drover.coordinator.engine.group.OperatorGroupRequestSubmitter;
import drover.coordinator.engine.group.RolloutGroupCreator;
import drover.coordinator.engine.request.BlockingPreflightRequester;
import drover.coordinator.engine.request.IncidentUpdateService;
import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.peers.InMemoryManifestService;
import drover.coordinator.peers.InMemoryNodeDirectory;
import drover.coordinator.peers.ManifestServiceLink.ConfigTemplateChange;
import drover.coordinator.peers.ManifestServiceLink.Manifest;
import drover.coordinator.peers.ManifestServiceLink.ProbeIntervalAndStopTimeout;
import drover.coordinator.peers.ManifestServiceLink.Profile;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.peers.NodeDirectoryLink.Program;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.group.PostgresGroupStore;
import drover.coordinator.store.group.PostgresGroupViews;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.preflight.PostgresPreflightStore;
import drover.coordinator.store.query.PostgresPreviewInputViews;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.sql.TestDatabase;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.IncidentServiceGrpc.IncidentServiceBlockingStub;
import drover.kit.grpc.Address;
import drover.kit.grpc.Authenticator;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.kit.grpc.ScopeAuthorizer;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.RolloutGroupServiceGrpc.RolloutGroupServiceBlockingStub;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.Strategy;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The door of rollouts as the coordinator opens it, over a real database. Nobody leads. */
public final class ApiFixture implements AutoCloseable {
    public static final String OLD = Digest.of("web v1").value();
    public static final String NEW = Digest.of("web v2").value();
    public static final String CONFIG =
            ConfigDigest.of(Map.of(), InMemoryManifestService.LAUNCH).value();
    public static final String MANIFEST_HASH = Digest.of("the manifest's bytes").value();
    public static final ConfigTemplateChange CHANGE =
            new ConfigTemplateChange("/etc/web.toml", "web.toml.tmpl", Map.of("peers", "100"));

    public final TestDatabase database = TestDatabase.open();
    public final InMemoryManifestService manifests = new InMemoryManifestService();
    public final InMemoryNodeDirectory directory = new InMemoryNodeDirectory();
    private final GrpcServer host;
    private final ManagedChannel channel;

    public ApiFixture() {
        RolloutCreator creation =
                new RolloutCreator(
                        manifests,
                        directory,
                        new PostgresRolloutCreationStore(database.database()),
                        Instant::now,
                        new PostgresPreviewInputViews(database.database()));
        RolloutPreviewer preview =
                new RolloutPreviewer(
                        creation,
                        manifests,
                        directory,
                        new PostgresPreviewInputViews(database.database()),
                        Instant::now);
        PostgresOperatorIncidentStore incidents =
                new PostgresOperatorIncidentStore(database.database());
        RolloutQueries reading =
                new RolloutQueries(
                        new PostgresRolloutViews(database.database()),
                        NoDataFleetView::new,
                        preview,
                        incidents);
        RolloutRequestSubmitter requests =
                new RolloutRequestSubmitter(new PostgresRolloutRequestStore(database.database()));
        BlockingPreflightRequester preflights =
                new BlockingPreflightRequester(new PostgresPreflightStore(database.database()));
        Address address = new Address.InProcess("door-" + UUID.randomUUID());
        host =
                GrpcServer.builder()
                        .accessControl(
                                new ScopeAuthorizer(
                                        OperatorAccessTable.TABLE,
                                        Authenticator.withoutAuthentication()))
                        .addInterceptor(new IdempotencyKeyInterceptor())
                        .addInterceptor(new DependencyErrorInterceptor())
                        .addService(new RolloutGrpcService(creation, requests, reading, preflights))
                        .addService(groupService(creation, reading))
                        .addService(
                                new IncidentGrpcService(
                                        incidents, new IncidentUpdateService(incidents)))
                        .listen(address);
        channel = Channels.open(address);
    }

    private RolloutGroupGrpcService groupService(RolloutCreator creation, RolloutQueries reading) {
        PostgresGroupStore groups = new PostgresGroupStore(database.database());
        return new RolloutGroupGrpcService(
                new RolloutGroupCreator(creation, groups, Instant::now),
                new OperatorGroupRequestSubmitter(groups),
                new GroupQueries(new PostgresGroupViews(database.database()), reading));
    }

    /** Says that a chain runs {@code web} on the process runtime, with this many nodes at v1. */
    public void chain(String chain, int nodes) {
        profile(chain, "process");
        directory.add(
                chain,
                IntStream.rangeClosed(1, nodes)
                        .mapToObj(number -> node(chain, number, "v1", OLD))
                        .toList());
    }

    public void profile(String chain, String runtime) {
        profile(chain, runtime, Duration.ZERO);
    }

    /** A profile whose program has a probe with this interval. */
    public void profile(String chain, String runtime, Duration probeInterval) {
        manifests.put(
                new ChainProfileId(chain),
                new Profile(
                        runtime,
                        Map.of("web", new ProbeIntervalAndStopTimeout(probeInterval)),
                        null,
                        0));
    }

    public static NodeId id(String chain, int number) {
        return new NodeId("%s-%05d".formatted(chain, number));
    }

    public static DirectoryNode node(String chain, int number, String version, String digest) {
        return new DirectoryNode(
                id(chain, number),
                "full",
                Map.of(),
                "",
                Map.of(new BinaryName("web"), new Program(version, digest, CONFIG, "", Map.of())),
                "",
                Set.of("restore/1"),
                Instant.now(),
                "g1");
    }

    public void manifest(String chain, String upgradeId, MigrationType migration) {
        manifests.put(
                new ChainProfileId(chain),
                upgradeId,
                new Manifest(
                        "full",
                        "web",
                        "v2",
                        "https://example.test/web-v2",
                        NEW,
                        1_234,
                        migration,
                        "Provision the node anew.",
                        List.of(CHANGE),
                        MANIFEST_HASH));
    }

    /** A request that gives every field. */
    public static CreateRolloutRequest.Builder byHand(String chain) {
        return CreateRolloutRequest.newBuilder()
                .setChainProfileId(chain)
                .setNodeType("full")
                .setBinaryName("web")
                .setSourceVersion("v1")
                .setTargetVersion("v2")
                .setTargetBinaryUrl("https://example.test/web-v2")
                .setTargetBinaryChecksum(NEW)
                .setStrategy(Strategy.STRATEGY_ROLLING)
                .setBatchSize(2);
    }

    /** A request that leaves everything it can to a manifest. */
    public static CreateRolloutRequest.Builder byManifest(String chain, String upgradeId) {
        return CreateRolloutRequest.newBuilder()
                .setChainProfileId(chain)
                .setNodeType("full")
                .setUpgradeId(upgradeId)
                .setSourceVersion("v1")
                .setStrategy(Strategy.STRATEGY_ROLLING)
                .setBatchSize(2);
    }

    public RolloutServiceBlockingStub operator() {
        return RolloutServiceGrpc.newBlockingStub(channel);
    }

    public RolloutGroupServiceBlockingStub groups() {
        return RolloutGroupServiceGrpc.newBlockingStub(channel);
    }

    public IncidentServiceBlockingStub incidents() {
        return IncidentServiceGrpc.newBlockingStub(channel);
    }

    public RolloutServiceBlockingStub operatorWithKey(String key) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER), key);
        return operator().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    public Rollout create(CreateRolloutRequest.Builder request) {
        return operator().createRollout(request.build()).getRollout();
    }

    /** Expects a refusal whose status, reason, field and sentence are as operators need them. */
    public static void assertRefused(ThrowingCallable call, RefusalCode code, String field) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(StatusRuntimeException.class);
        StatusRuntimeException failure = (StatusRuntimeException) thrown;
        Refused refused =
                RefusalParser.from(failure)
                        .orElseThrow(() -> new AssertionError("It carries no ErrorInfo", failure));
        assertThat(refused.code()).as(refused.sentence()).isEqualTo(code);
        assertThat(refused.field()).as(refused.sentence()).isEqualTo(field);
        assertThat(failure.getStatus().getCode().name()).isEqualTo(code.kind().name());
        assertThat(refused.sentence())
                .as("a sentence for a person, never a stack trace")
                .endsWith(".")
                .doesNotContain("\n", "Exception", "\tat ");
    }

    @Override
    public void close() {
        channel.shutdownNow();
        host.close();
        database.close();
    }
}
