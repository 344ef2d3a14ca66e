package drover.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import drover.coordinator.access.OperatorMethods;
import drover.coordinator.engine.GroupDesk;
import drover.coordinator.engine.IncidentDesk;
import drover.coordinator.engine.PreflightDesk;
import drover.coordinator.engine.RequestDesk;
import drover.coordinator.engine.RolloutCreation;
import drover.coordinator.engine.RolloutGroupCreation;
import drover.coordinator.engine.RolloutPreview;
import drover.coordinator.engine.UnseenFleet;
import drover.coordinator.peers.DirectoryLink.DirectoryNode;
import drover.coordinator.peers.DirectoryLink.Program;
import drover.coordinator.peers.InMemoryDirectory;
import drover.coordinator.peers.InMemoryManifests;
import drover.coordinator.peers.ManifestLink.Change;
import drover.coordinator.peers.ManifestLink.Manifest;
import drover.coordinator.peers.ManifestLink.Profile;
import drover.coordinator.store.PostgresCreationStore;
import drover.coordinator.store.PostgresGroupStore;
import drover.coordinator.store.PostgresGroupViews;
import drover.coordinator.store.PostgresIncidentStore;
import drover.coordinator.store.PostgresPlanViews;
import drover.coordinator.store.PostgresPreflightStore;
import drover.coordinator.store.PostgresRequestStore;
import drover.coordinator.store.PostgresRolloutViews;
import drover.coordinator.store.TestDatabase;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.IncidentServiceGrpc.IncidentServiceBlockingStub;
import drover.kit.grpc.AccessControl;
import drover.kit.grpc.Address;
import drover.kit.grpc.Authenticator;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The door of rollouts as the coordinator opens it, over a real database. Nobody leads. */
final class DoorRig implements AutoCloseable {
    static final String OLD = Digest.of("web v1").value();
    static final String NEW = Digest.of("web v2").value();
    static final String CONFIG = ConfigDigest.of(Map.of(), InMemoryManifests.LAUNCH).value();
    static final String MANIFEST_HASH = Digest.of("the manifest's bytes").value();
    static final Change CHANGE =
            new Change("/etc/web.toml", "web.toml.tmpl", Map.of("peers", "100"));

    final TestDatabase database = TestDatabase.open();
    final InMemoryManifests manifests = new InMemoryManifests();
    final InMemoryDirectory directory = new InMemoryDirectory();
    private final GrpcServer host;
    private final ManagedChannel channel;

    DoorRig() {
        RolloutCreation creation =
                new RolloutCreation(
                        manifests,
                        directory,
                        new PostgresCreationStore(database.database()),
                        Instant::now,
                        new PostgresPlanViews(database.database()));
        RolloutPreview preview =
                new RolloutPreview(
                        creation,
                        manifests,
                        directory,
                        new PostgresPlanViews(database.database()),
                        Instant::now);
        PostgresIncidentStore incidents = new PostgresIncidentStore(database.database());
        RolloutReading reading =
                new RolloutReading(
                        new PostgresRolloutViews(database.database()),
                        UnseenFleet::new,
                        preview,
                        incidents);
        RequestDesk desk = new RequestDesk(new PostgresRequestStore(database.database()));
        PreflightDesk preflights =
                new PreflightDesk(new PostgresPreflightStore(database.database()));
        Address door = new Address.InProcess("door-" + UUID.randomUUID());
        host =
                GrpcServer.builder()
                        .accessControl(new AccessControl(OperatorMethods.TABLE, Authenticator.allowLocal()))
                        .intercept(new Callers())
                        .intercept(new WorldErrors())
                        .serve(new RolloutDoor(creation, desk, reading, preflights))
                        .serve(groupDoor(creation, reading))
                        .serve(new IncidentDoor(incidents, new IncidentDesk(incidents)))
                        .listen(door);
        channel = Channels.open(door);
    }

    private RolloutGroupDoor groupDoor(RolloutCreation creation, RolloutReading reading) {
        PostgresGroupStore groups = new PostgresGroupStore(database.database());
        return new RolloutGroupDoor(
                new RolloutGroupCreation(creation, groups, Instant::now),
                new GroupDesk(groups),
                new GroupReading(new PostgresGroupViews(database.database()), reading));
    }

    /** Says that a chain runs {@code web} on the process runtime, with this many nodes at v1. */
    void chain(String chain, int nodes) {
        profile(chain, "process");
        directory.add(
                chain,
                IntStream.rangeClosed(1, nodes)
                        .mapToObj(number -> node(chain, number, "v1", OLD))
                        .toList());
    }

    void profile(String chain, String runtime) {
        manifests.put(new ChainProfileId(chain), new Profile(runtime, List.of("web"), null, 0));
    }

    static NodeId id(String chain, int number) {
        return new NodeId("%s-%05d".formatted(chain, number));
    }

    static DirectoryNode node(String chain, int number, String version, String digest) {
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

    void manifest(String chain, String upgradeId, MigrationType migration) {
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
    static CreateRolloutRequest.Builder byHand(String chain) {
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
    static CreateRolloutRequest.Builder byManifest(String chain, String upgradeId) {
        return CreateRolloutRequest.newBuilder()
                .setChainProfileId(chain)
                .setNodeType("full")
                .setUpgradeId(upgradeId)
                .setSourceVersion("v1")
                .setStrategy(Strategy.STRATEGY_ROLLING)
                .setBatchSize(2);
    }

    RolloutServiceBlockingStub operator() {
        return RolloutServiceGrpc.newBlockingStub(channel);
    }

    RolloutGroupServiceBlockingStub groups() {
        return RolloutGroupServiceGrpc.newBlockingStub(channel);
    }

    IncidentServiceBlockingStub incidents() {
        return IncidentServiceGrpc.newBlockingStub(channel);
    }

    RolloutServiceBlockingStub operatorWithKey(String key) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER), key);
        return operator().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    Rollout create(CreateRolloutRequest.Builder request) {
        return operator().createRollout(request.build()).getRollout();
    }

    /** Expects a refusal whose status, reason, field and sentence are as operators need them. */
    static void assertRefused(ThrowingCallable call, RefusalCode code, String field) {
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
