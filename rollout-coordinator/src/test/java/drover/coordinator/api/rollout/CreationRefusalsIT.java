package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.MANIFEST_HASH;
import static drover.coordinator.api.ApiFixture.NEW;
import static drover.coordinator.api.ApiFixture.OLD;
import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static drover.coordinator.api.ApiFixture.byManifest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import drover.coordinator.api.ApiFixture;
import drover.manifest.v1.ConfigChange;
import drover.model.MigrationType;
import drover.model.RefusalCode;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.Strategy;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way in which a creation is refused. None may leave a row, so all share one database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CreationRefusalsIT {
    private static final int ONE_TOO_MANY = 10_001;
    private static final int UNSIGNED_MOST = -1; // 4,294,967,295 as Java holds a uint32

    private ApiFixture rig;

    /** What is different about a request. */
    interface Change extends UnaryOperator<CreateRolloutRequest.Builder> {}

    @BeforeAll
    void openServer() {
        rig = new ApiFixture();
        rig.chain("demo", 3);
        rig.profile("docker", "docker");
        rig.profile("empty", "process");
        rig.profile("probed", "process", Duration.ofSeconds(30));
        rig.directory.add("probed", List.of(ApiFixture.node("probed", 1, "v1", OLD)));
        rig.chain("huge", ONE_TOO_MANY);
        rig.profile("there", "process");
        rig.directory.add("there", List.of(ApiFixture.node("there", 1, "v2", NEW)));
        rig.manifest("demo", "to-v2", MigrationType.COMPATIBLE);
        rig.manifest("demo", "breaks", MigrationType.BREAKING);
    }

    @AfterAll
    void stopServer() {
        if (rig != null) {
            rig.close();
        }
    }

    @AfterEach
    void nothingIsWritten() {
        assertThat(rig.database.count("SELECT count(*) FROM rollout")).isZero();
        assertThat(rig.database.count("SELECT count(*) FROM chain_claim")).isZero();
    }

    @Test
    void aHealthWaitShorterThanTheProbeIntervalIsRefused() {
        assertCreationRefused(
                wait(byHand("probed"), 29), RefusalCode.INVALID_FIELD, "health_wait_duration");
        assertThatThrownBy(() -> rig.operator().createRollout(wait(byHand("probed"), 29).build()))
                .hasMessageContaining(
                        "The health wait of 29 s is shorter than the longest probe interval of web,"
                                + " 30 s.");
        assertThat(
                        rig.operator()
                                .planRollout(
                                        PlanRolloutRequest.newBuilder()
                                                .setRollout(wait(byHand("probed"), 30))
                                                .build())
                                .getPlan()
                                .getPlanHash())
                .isNotEmpty();
    }

    private void assertCreationRefused(
            CreateRolloutRequest.Builder request, RefusalCode code, String field) {
        CreateRolloutRequest requested = request.build();
        assertRefused(() -> rig.operator().createRollout(requested), code, field);
    }

    static Stream<Arguments> missingFields() {
        return Stream.of(
                arguments("chain_profile_id", change(r -> r.clearChainProfileId())),
                arguments("source_version", change(r -> r.clearSourceVersion())),
                arguments("binary_name", change(r -> r.clearBinaryName())),
                arguments("target_version", change(r -> r.clearTargetVersion())),
                arguments("target_binary_url", change(r -> r.clearTargetBinaryUrl())),
                arguments("strategy", change(r -> r.clearStrategy())),
                arguments("batch_size", change(r -> r.clearBatchSize())));
    }

    private static Change change(Change change) {
        return change;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("missingFields")
    void aMissingFieldIsNamed(String field, Change change) {
        assertCreationRefused(change.apply(byHand("demo")), RefusalCode.MISSING_FIELD, field);
    }

    static Stream<Arguments> invalidFields() {
        return Stream.of(
                arguments("chain_profile_id", change(r -> r.setChainProfileId("../etc"))),
                arguments("binary_name", change(r -> r.setBinaryName("a b"))),
                arguments("source_version", change(r -> r.setSourceVersion("v 1"))),
                arguments("target_version", change(r -> r.setTargetVersion("v 2"))),
                arguments("batch_size", change(r -> r.setBatchSize(ONE_TOO_MANY))),
                arguments("canary_size", change(r -> r.setCanarySize(1))),
                arguments("failure_threshold", change(r -> r.setFailureThreshold(UNSIGNED_MOST))),
                arguments(
                        "failure_threshold_percent",
                        change(r -> r.setFailureThresholdPercent(100))),
                arguments(
                        "failure_threshold_percent",
                        change(r -> r.setFailureThreshold(1).setFailureThresholdPercent(1))),
                arguments("order", change(r -> r.setOrder("random"))),
                arguments("order", change(r -> r.setOrder("label:rack"))),
                arguments("order", change(r -> r.setOrder("as-listed"))),
                arguments("last_node_ids", change(r -> r.addLastNodeIds("demo-00009"))),
                arguments("last_node_ids", change(r -> r.addLastNodeIds("../etc"))),
                arguments(
                        "last_node_ids",
                        change(
                                r ->
                                        r.setStrategy(Strategy.STRATEGY_ALL_AT_ONCE)
                                                .clearBatchSize()
                                                .addLastNodeIds("demo-00001"))),
                arguments(
                        "last_node_ids",
                        change(
                                r ->
                                        r.addAllLastNodeIds(
                                                IntStream.range(0, 65)
                                                        .mapToObj(i -> "demo-" + i)
                                                        .toList()))),
                arguments("order", change(r -> r.setOrder("label:" + "x".repeat(101)))),
                arguments("health_wait_duration", change(r -> wait(r, 86_401))),
                arguments("health_wait_duration", change(r -> wait(r, -1))),
                arguments("force_continue", change(r -> r.setForceContinue(true))),
                arguments("skip_validation", change(r -> r.setSkipValidation(true))),
                arguments("failure_threshold", change(r -> regardless(r).setFailureThreshold(1))),
                arguments(
                        "failure_threshold_percent",
                        change(r -> regardless(r).setFailureThresholdPercent(5))),
                arguments(
                        "exclude",
                        change(r -> r.addNodeIds("demo-00001").addExclude("demo-00001"))),
                arguments("max_in_flight", change(r -> r.setMaxInFlight(UNSIGNED_MOST))),
                arguments("offline_budget", change(r -> r.setOfflineBudget(UNSIGNED_MOST))),
                arguments("unhealthy_budget", change(r -> r.setUnhealthyBudget(UNSIGNED_MOST))));
    }

    private static CreateRolloutRequest.Builder regardless(CreateRolloutRequest.Builder request) {
        return request.setStrategy(Strategy.STRATEGY_ALL_AT_ONCE).setForceContinue(true);
    }

    private static CreateRolloutRequest.Builder wait(
            CreateRolloutRequest.Builder request, long seconds) {
        request.getHealthWaitDurationBuilder().setSeconds(seconds);
        return request;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidFields")
    void aFieldThatIsNotAllowedIsNamed(String field, Change change) {
        assertCreationRefused(change.apply(byHand("demo")), RefusalCode.INVALID_FIELD, field);
    }

    @Test
    @DisplayName("Seed 000, rule 1: no rollout without a checksum")
    void refusesToInstallWithoutAChecksum() {
        assertCreationRefused(
                byHand("demo").clearTargetBinaryChecksum(),
                RefusalCode.CHECKSUM_MISSING,
                "target_binary_checksum");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("chains")
    @DisplayName("Seed 000, rule 2: a checksum is sha256, on docker and elsewhere")
    void refusesAChecksumThatIsNotSha256(String chain) {
        assertCreationRefused(
                byHand(chain).setTargetBinaryChecksum("md5:0123456789abcdef0123456789abcdef"),
                RefusalCode.CHECKSUM_NOT_SHA256,
                "target_binary_checksum");
    }

    static Stream<String> chains() {
        return Stream.of("docker", "demo");
    }

    @Test
    @DisplayName("Seed 000, rule 3: a container image is pinned by its digest")
    void refusesAnImageThatIsNotPinned() {
        assertCreationRefused(
                byHand("docker").setTargetBinaryUrl("registry.example.test/web:v2"),
                RefusalCode.IMAGE_NOT_PINNED,
                "target_binary_url");
    }

    @Test
    @DisplayName("Seed 000, rule 4: another artifact under the version that runs")
    void refusesAnotherArtifactUnderTheSameVersion() {
        assertCreationRefused(
                byHand("demo").setTargetVersion("v1"), RefusalCode.SAME_VERSION, "target_version");
    }

    @Test
    @DisplayName("Seed 000, rule 4: what runs already is not rolled out")
    void refusesToChangeNothing() {
        assertCreationRefused(
                byHand("demo").setTargetVersion("v1").setTargetBinaryChecksum(OLD),
                RefusalCode.NOTHING_TO_CHANGE,
                "");
        assertCreationRefused(byHand("there"), RefusalCode.NOTHING_TO_CHANGE, "");
    }

    static Stream<Arguments> breakingRequests() {
        Change canary = r -> r.setStrategy(Strategy.STRATEGY_CANARY);
        return Stream.of(
                arguments(RefusalCode.BREAKING_NEEDS_CANARY, "strategy", change(r -> r)),
                arguments(
                        RefusalCode.BREAKING_NEEDS_RECOVERY_PLAN,
                        "recovery_plan",
                        change(r -> canary.apply(r).setAcknowledgeStateRisk(true))),
                arguments(
                        RefusalCode.BREAKING_NEEDS_ACKNOWLEDGEMENT,
                        "acknowledge_state_risk",
                        change(r -> canary.apply(r).setRecoveryPlan("Provision anew."))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("breakingRequests")
    @DisplayName("Seed 000, rule 7: a breaking migration needs a canary, a plan and a signature")
    void refusesABreakingMigrationTakenLightly(RefusalCode code, String field, Change change) {
        CreateRolloutRequest.Builder request =
                byHand("demo")
                        .setMigrationType(drover.manifest.v1.MigrationType.MIGRATION_TYPE_BREAKING);
        assertCreationRefused(change.apply(request), code, field);
    }

    @Test
    @DisplayName("Seed 000, rule 7: what the manifest says is breaking is so for everybody")
    void refusesABreakingManifestTakenLightly() {
        assertCreationRefused(
                byManifest("demo", "breaks"), RefusalCode.BREAKING_NEEDS_CANARY, "strategy");
    }

    static Stream<Arguments> conflicts() {
        return Stream.of(
                arguments("node_type", change(r -> r.setNodeType("light"))),
                arguments("binary_name", change(r -> r.setBinaryName("database"))),
                arguments("target_version", change(r -> r.setTargetVersion("v3"))),
                arguments("target_binary_url", change(r -> r.setTargetBinaryUrl("https://x"))),
                arguments("target_binary_checksum", change(r -> r.setTargetBinaryChecksum(OLD))),
                arguments("recovery_plan", change(r -> r.setRecoveryPlan("Hope."))),
                arguments("manifest_content_hash", change(r -> r.setManifestContentHash(OLD))),
                arguments(
                        "migration_type",
                        change(
                                r ->
                                        r.setMigrationType(
                                                drover.manifest.v1.MigrationType
                                                        .MIGRATION_TYPE_BREAKING))),
                arguments(
                        "config_changes",
                        change(
                                r ->
                                        r.addConfigChanges(
                                                ConfigChange.newBuilder().setPath("/etc/x")))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("conflicts")
    @DisplayName("Seed 000, rule 6: nothing that is given may differ from the manifest")
    void refusesAFieldThatDiffersFromTheManifest(String field, Change change) {
        assertCreationRefused(
                change.apply(byManifest("demo", "to-v2").setManifestContentHash(MANIFEST_HASH)),
                RefusalCode.FIELD_CONFLICTS_WITH_MANIFEST,
                field);
    }

    @Test
    void refusesUnknownContent() {
        assertCreationRefused(
                byManifest("demo", "nowhere"), RefusalCode.MANIFEST_NOT_FOUND, "upgrade_id");
        assertCreationRefused(
                byHand("nowhere"), RefusalCode.CHAIN_PROFILE_NOT_FOUND, "chain_profile_id");
        assertCreationRefused(
                byHand("demo").setBinaryName("database"),
                RefusalCode.PROGRAM_NOT_FOUND,
                "binary_name");
        assertCreationRefused(
                byHand("demo").addNodeIds("demo-99999"), RefusalCode.NODE_NOT_FOUND, "node_ids");
        assertCreationRefused(
                byHand("demo").addExclude("demo-99999"), RefusalCode.NODE_NOT_FOUND, "exclude");
    }

    @Test
    void refusesAPathThatLeavesTheRoot() {
        assertCreationRefused(
                byHand("demo").addConfigChanges(ConfigChange.newBuilder().setPath("/etc/../../x")),
                RefusalCode.PATH_OUTSIDE_ROOT,
                "config_changes.path");
    }

    @Test
    void refusesARolloutWithoutACreator() {
        assertCreationRefused(byHand("empty"), RefusalCode.NO_TARGETS, "");
        assertCreationRefused(byHand("demo").setNodeType("light"), RefusalCode.NO_TARGETS, "");
        assertCreationRefused(
                byHand("demo").putNodeSelector("zone", "a"), RefusalCode.NO_TARGETS, "");
        assertCreationRefused(
                byHand("demo").setSourceVersion("v0"), RefusalCode.NO_TARGETS, "source_version");
    }

    @Test
    void refusesMoreNodesThanARolloutTakes() {
        assertCreationRefused(byHand("huge"), RefusalCode.TOO_MANY_TARGETS, "");
    }

    @Test
    void namesTheUnavailableService() {
        rig.manifests.setUnavailable(true);
        assertCreationRefused(byHand("demo"), RefusalCode.MANIFEST_UNAVAILABLE, "");
        rig.manifests.setUnavailable(false);
        rig.directory.setUnavailable(true);
        assertCreationRefused(byHand("demo"), RefusalCode.GATEWAY_UNAVAILABLE, "");
        rig.directory.setUnavailable(false);
    }

    @Test
    void refusesAnIdempotencyKeyThatIsTooLong() {
        CreateRolloutRequest request = byHand("demo").build();
        assertRefused(
                () -> rig.operatorWithKey("k".repeat(201)).createRollout(request),
                RefusalCode.INVALID_FIELD,
                "idempotency-key");
    }
}
