package drover.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.agent.v1.StopSignal;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.manifest.parse.ManifestReleaseConverter;
import drover.manifest.parse.ManifestSamples;
import drover.manifest.parse.RawContentHash;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.ConfigChange;
import drover.manifest.v1.GetChainProfileRequest;
import drover.manifest.v1.GetContentHashRequest;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.ListChainProfilesRequest;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.ManifestCatalogServiceGrpc.ManifestCatalogServiceBlockingStub;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestProblem;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.ManifestServiceGrpc.ManifestServiceBlockingStub;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderNode;
import drover.manifest.v1.UpgradeManifest;
import drover.manifest.v1.ValidateManifestRequest;
import drover.manifest.v1.ValidateManifestResponse;
import drover.model.Digest;
import drover.model.RefusalCode;
import drover.trust.release.SigningKey;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Both doors through a channel inside the process, with the production interceptors. */
class ManifestServiceTest {
    private static final Address ENDPOINT = new Address.InProcess("manifest-service-test");

    private static final SigningKey KEY = SigningKey.create();

    @TempDir static Path root;
    private final ManagedChannel channel = Channels.open(ENDPOINT);
    private final ManifestServiceBlockingStub manifests =
            ManifestServiceGrpc.newBlockingStub(channel);
    private final ManifestCatalogServiceBlockingStub catalog =
            ManifestCatalogServiceGrpc.newBlockingStub(channel);
    private AutoCloseable service = () -> {};

    @BeforeEach
    void start() throws IOException {
        write("chains/celestia.yaml", ManifestSamples.PROFILE);
        write("upgrades/celestia/v1.10.yaml", ManifestSamples.GOOD);
        write("templates/config.toml.tmpl", "{{ .max_peers }} {{ .enabled | default \"\" }}");
        service =
                ManifestService.start(
                        new ManifestServiceConfig(root, ENDPOINT, Duration.ofSeconds(60)));
    }

    @AfterEach
    void stop() throws Exception {
        channel.shutdownNow();
        service.close();
        Files.deleteIfExists(root.resolve("upgrades/celestia/broken.yaml"));
        Files.deleteIfExists(root.resolve("chains/broken.yaml"));
        Files.deleteIfExists(root.resolve("chains/images.yaml"));
        Files.deleteIfExists(root.resolve("upgrades/images/v1.yaml"));
    }

    private static void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static Refused refusal(Executable call) {
        StatusRuntimeException failure =
                catchThrowableOfType(StatusRuntimeException.class, call::execute);
        return RefusalParser.from(failure).orElseThrow();
    }

    private GetManifestRequest get(String chain, String id) {
        return GetManifestRequest.newBuilder().setChainProfileId(chain).setUpgradeId(id).build();
    }

    @Test
    void getsAManifest() {
        UpgradeManifest manifest = manifests.getManifest(get("celestia", "v1.10")).getManifest();

        assertThat(manifest.getTargetVersion()).isEqualTo("1.10");
        assertThat(manifest.getTargetChecksum()).isEqualTo(ManifestSamples.SHA);
        assertThat(manifest.getTargetSize()).isEqualTo(1234);
        assertThat(manifest.getArtifactsMap()).containsOnlyKeys("linux/arm64");
        assertThat(manifest.getConfigChanges(0).getOverridesMap()).containsEntry("enabled", "on");
        assertThat(manifest.getContentHash())
                .isEqualTo(
                        manifests
                                .getContentHash(
                                        GetContentHashRequest.newBuilder()
                                                .setChainProfileId("celestia")
                                                .setUpgradeId("v1.10")
                                                .build())
                                .getContentHash())
                .isEqualTo(
                        RawContentHash.of(ManifestSamples.GOOD.getBytes(StandardCharsets.UTF_8))
                                .value());
    }

    @Test
    void refusesWhatIsNotThereOrMalformed() throws IOException {
        write("upgrades/celestia/broken.yaml", "upgrade_id: other\n");

        assertThat(refusal(() -> manifests.getManifest(get("celestia", "gone"))).code())
                .isEqualTo(RefusalCode.MANIFEST_NOT_FOUND);
        assertThat(refusal(() -> manifests.getManifest(get("..", "gone"))).code())
                .isEqualTo(RefusalCode.INVALID_FIELD);
        assertThat(refusal(() -> manifests.getManifest(get("", "gone"))).code())
                .isEqualTo(RefusalCode.MISSING_FIELD);
        Refused broken = refusal(() -> manifests.getManifest(get("celestia", "broken")));
        assertThat(broken.code()).isEqualTo(RefusalCode.MANIFEST_INVALID);
        assertThat(broken.sentence())
                .contains("upgrades/celestia/broken.yaml:1:")
                .contains("problems");
    }

    @Test
    void listsBrokenManifestsWithTheirProblems() throws IOException {
        write("upgrades/celestia/broken.yaml", "upgrade_id: other\n");

        var entries =
                manifests
                        .listManifests(
                                ListManifestsRequest.newBuilder()
                                        .setChainProfileId("celestia")
                                        .build())
                        .getManifestsList();

        assertThat(entries)
                .extracting(ManifestEntry::getUpgradeId)
                .containsExactly("broken", "v1.10");
        assertThat(entries.getFirst().getProblemsList()).isNotEmpty();
        assertThat(entries.getLast().getProblemsList()).isEmpty();
        assertThat(entries.getLast().getLoadedAt().getSeconds()).isPositive();
        assertThat(
                        manifests
                                .listManifests(
                                        ListManifestsRequest.newBuilder()
                                                .setChainProfileId("other")
                                                .build())
                                .getManifestsList())
                .isEmpty();
    }

    @Test
    @DisplayName("Creation rule 3: images of docker chains are pinned")
    void refusesAFileForADockerChain() throws IOException {
        write(
                "chains/images.yaml",
                """
                runtime: { type: docker }
                programs: [{ name: p, path: /p, service: p }]
                """);
        write(
                "upgrades/images/v1.yaml",
                """
                upgrade_id: v1
                chain_profile_id: images
                node_type: full
                binary_name: p
                target_version: v1
                target_url: https://example.org/p
                target_checksum: %s
                """
                        .formatted(ManifestSamples.SHA));

        Refused refused = refusal(() -> manifests.getManifest(get("images", "v1")));

        assertThat(refused.code()).isEqualTo(RefusalCode.MANIFEST_INVALID);
        assertThat(refused.sentence()).contains("@sha256:");
    }

    private ValidateManifestResponse validate(String content) {
        return manifests.validateManifest(
                ValidateManifestRequest.newBuilder().setContent(content).build());
    }

    @Test
    void validatesTextThatIsNotOnDisk() {
        String other = ManifestSamples.GOOD.replace("upgrade_id: v1.10", "upgrade_id: v9");

        ValidateManifestResponse response = validate(other);

        assertThat(response.getProblemsList()).isEmpty();
        assertThat(response.getManifest().getUpgradeId()).isEqualTo("v9");
    }

    @Test
    void validatesAgainstProfileAndTemplatesWithLines() {
        ValidateManifestResponse response =
                validate(
                        ManifestSamples.GOOD
                                .replace("binary_name: celestia-node", "binary_name: geth")
                                .replace("template: config.toml.tmpl", "template: none.tmpl"));

        assertThat(response.getProblemsList())
                .extracting(ManifestProblem::getCode, ManifestProblem::getLine)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("PROGRAM_NOT_FOUND", 4),
                        org.assertj.core.groups.Tuple.tuple("TEMPLATE_NOT_FOUND", 15));
        assertThat(response.hasManifest()).isFalse();
    }

    @Test
    void reportsAPlaceholderInAnOverride() {
        ValidateManifestResponse response =
                validate(ManifestSamples.GOOD.replace("max_peers: 010", "max_peers: \"{root}/x\""));

        assertThat(response.getProblemsList())
                .extracting(ManifestProblem::getCode)
                .containsExactly("PLACEHOLDER_NOT_REPLACED");
    }

    @Test
    void warnsOfAnOverrideThatNoTemplateUses() {
        ValidateManifestResponse response =
                validate(ManifestSamples.GOOD.replace("max_peers: 010", "max_pears: 010"));

        assertThat(response.getProblemsList())
                .extracting(ManifestProblem::getCode)
                .containsExactly("OVERRIDE_UNUSED");
        assertThat(response.hasManifest()).isTrue();
    }

    @Test
    void sendsTheSignedReleaseAndReportsADifferentManifest() throws IOException {
        assertThat(manifests.getManifest(get("celestia", "v1.10")).getManifest().getRelease())
                .isEmpty();
        write("upgrades/celestia/v1.10.dsse.json", signed(ManifestSamples.GOOD));
        assertThat(
                        manifests
                                .getManifest(get("celestia", "v1.10"))
                                .getManifest()
                                .getRelease()
                                .toStringUtf8())
                .isEqualTo(signed(ManifestSamples.GOOD));
        assertThat(entry("v1.10").getWarningsList()).isEmpty();
        write(
                "upgrades/celestia/v1.10.dsse.json",
                signed(ManifestSamples.GOOD.replace("version: 1.10", "version: 1.11")));
        assertThat(entry("v1.10").getWarnings(0).getCode()).isEqualTo("SIGNATURE_DIFFERS");
        assertThat(entry("v1.10").getWarnings(0).getMessage()).contains("it differs in version;");
        write("upgrades/celestia/v1.10.dsse.json", " ".repeat(70_000));
        assertThat(manifests.getManifest(get("celestia", "v1.10")).getManifest().getRelease())
                .isEmpty();
        assertThat(entry("v1.10").getWarnings(0).getMessage()).contains("cannot be read");
        Files.delete(root.resolve("upgrades/celestia/v1.10.dsse.json"));
    }

    @Test
    void listsManifestsWithAWarningWhileTheirChainProfileIsBroken() throws IOException {
        assertThat(entry("v1.10").getWarningsList()).isEmpty();
        write("chains/celestia.yaml", ManifestSamples.PROFILE + "\nunknown: 1\n");

        ManifestEntry listed = entry("v1.10");

        assertThat(listed.getProblemsList()).isEmpty();
        assertThat(listed.getWarningsList())
                .singleElement()
                .satisfies(
                        warning -> {
                            assertThat(warning.getCode()).isEqualTo("CHAIN_PROFILE_STALE");
                            assertThat(warning.getFile()).isEqualTo("chains/celestia.yaml");
                            assertThat(warning.getMessage())
                                    .startsWith(
                                            "Warning: the chain profile is broken, and its last good"
                                                    + " content is used: ");
                        });
    }

    /** The same key each time, so the same bytes. */
    private static String signed(String manifest) {
        ManifestReleaseConverter.SignerDecidedTerms terms =
                new ManifestReleaseConverter.SignerDecidedTerms(
                        1, 0, false, java.time.Instant.parse("2040-01-01T00:00:00Z"), List.of());
        return new String(
                ManifestReleaseConverter.toRelease(ManifestSamples.parsed(manifest), terms)
                        .toUnsignedEnvelope()
                        .withSignature(KEY)
                        .bytes(),
                StandardCharsets.UTF_8);
    }

    private ManifestEntry entry(String id) {
        return manifests
                .listManifests(ListManifestsRequest.getDefaultInstance())
                .getManifestsList()
                .stream()
                .filter(one -> one.getUpgradeId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void refusesNothingAndTooMuchToValidate() {
        assertThat(refusal(() -> validate("")).field()).isEqualTo("content");
        assertThat(refusal(() -> validate("#".repeat(256 * 1024 + 1))).code())
                .isEqualTo(RefusalCode.INVALID_FIELD);
    }

    @Test
    void showsProfilesAsWritten() throws IOException {
        write("chains/broken.yaml", "runtime: {}\n");

        ChainProfile profile =
                catalog.getChainProfile(
                                GetChainProfileRequest.newBuilder()
                                        .setChainProfileId("celestia")
                                        .build())
                        .getProfile();
        var all = catalog.listChainProfiles(ListChainProfilesRequest.getDefaultInstance());

        assertThat(profile.getPrograms(0).getSpec().getArguments(2)).isEqualTo("{{ .port }}");
        assertThat(profile.getStandalone().getLabelsMap()).containsEntry("var.port", "{port}");
        assertThat(profile.getHealth().getHealthWait().getSeconds()).isEqualTo(8);
        assertThat(all.getProfilesList()).containsExactly(profile);
        assertThat(all.getProblemsList())
                .isNotEmpty()
                .allMatch(problem -> problem.getFile().equals("chains/broken.yaml"));
        assertThat(
                        refusal(
                                        () ->
                                                catalog.getChainProfile(
                                                        GetChainProfileRequest.newBuilder()
                                                                .setChainProfileId("broken")
                                                                .build()))
                                .code())
                .isEqualTo(RefusalCode.CHAIN_PROFILE_INVALID);
    }

    @Test
    void rendersForNodes() {
        RenderConfigsResponse response =
                catalog.renderConfigs(
                        RenderConfigsRequest.newBuilder()
                                .setChainProfileId("celestia")
                                .setBinaryName("celestia-node")
                                .setTargetVersion("v2")
                                .addConfigChanges(
                                        ConfigChange.newBuilder()
                                                .setPath("/etc/x")
                                                .setTemplate("config.toml.tmpl")
                                                .putOverrides("enabled", "yes"))
                                .addNodes(
                                        RenderNode.newBuilder()
                                                .setNodeId("n1")
                                                .setNodeType("full")
                                                .putAllLabels(Map.of("var.port", "7")))
                                .build());

        var node = response.getNodes(0);
        assertThat(node.getProgram().getArgumentsList()).containsExactly("{path}", "--port", "7");
        assertThat(node.getProgram().getProbes(2).getTcp().getPort()).isEqualTo(7);
        assertThat(node.getProgram().getStop().getSignal()).isEqualTo(StopSignal.STOP_SIGNAL_INT);
        assertThat(node.getProgram().getStop().getTimeout().getSeconds()).isEqualTo(1_800);
        assertThat(node.getLaunchDigest()).startsWith("sha256:");
        assertThat(response.getContents(0).getData().toStringUtf8()).isEqualTo("50 yes");
        assertThat(node.getFiles(0).getDigest())
                .isEqualTo(response.getContents(0).getDigest())
                .isEqualTo(Digest.of("50 yes").value());
        assertThat(node.getFiles(0).getSize()).isEqualTo(6);
    }

    @Test
    void passesRefusalsOfRenderingOn() {
        Refused refused =
                refusal(
                        () ->
                                catalog.renderConfigs(
                                        RenderConfigsRequest.newBuilder()
                                                .setChainProfileId("celestia")
                                                .setBinaryName("celestia-node")
                                                .setInitial(true)
                                                .addNodes(
                                                        RenderNode.newBuilder()
                                                                .setNodeId("n1")
                                                                .setNodeType("full"))
                                                .build()));

        assertThat(refused.code()).isEqualTo(RefusalCode.VARIABLE_UNDEFINED);
        assertThat(refused.sentence()).contains("n1").contains("config.toml.tmpl:1:21");
    }
}
