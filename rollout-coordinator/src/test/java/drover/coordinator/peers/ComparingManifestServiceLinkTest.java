package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.peers.ManifestServiceLink.Manifest;
import drover.coordinator.peers.ManifestServiceLink.Profile;
import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A19: several manifest-services hold the same, or nothing is rolled out")
class ComparingManifestServiceLinkTest {
    private static final ChainProfileId CHAIN = new ChainProfileId("harbour");

    @Test
    void oneThatAnswersIsEnough() {
        ManifestServiceLink several = of(new UnavailableManifests(), new Holding("sha256:1", "v1"));

        assertThat(several.fetchManifest(CHAIN, "greeter-v2").contentHash()).isEqualTo("sha256:1");
        assertThat(several.fetchProfile(CHAIN).runtime()).isEqualTo("process");
        assertThat(render(several, 2).nodes()).hasSize(2);
    }

    @Test
    void reportsDifferencesWithTheirOwners() {
        ManifestServiceLink several =
                of(new Holding("sha256:1", "v1"), new Holding("sha256:2", "v1"));

        assertThatThrownBy(() -> several.fetchManifest(CHAIN, "greeter-v2"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(RefusalCode.MANIFESTS_DIFFER))
                .hasMessage(
                        "The manifest-services do not hold the same of upgrade greeter-v2 of chain"
                                + " harbour: a:1 has sha256:1, b:2 has sha256:2. Bring the same"
                                + " files to all of them, and ask again.");
    }

    @Test
    void oneThatDoesNotHaveItDiffersToo() {
        ManifestServiceLink several = of(new Holding("sha256:1", "v1"), new Holding("", "v1"));

        assertThatThrownBy(() -> several.fetchManifest(CHAIN, "greeter-v2"))
                .hasMessageContaining("a:1 has sha256:1, b:2 has MANIFEST_NOT_FOUND");
    }

    @Test
    void unknownObjectIsRefusedOnce() {
        ManifestServiceLink several = of(new Holding("", "v1"), new Holding("", "v1"));

        assertThatThrownBy(() -> several.fetchManifest(CHAIN, "greeter-v2"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(RefusalCode.MANIFEST_NOT_FOUND));
    }

    @Test
    void aTemplateThatDiffersIsSeen() {
        ManifestServiceLink several =
                of(new Holding("sha256:1", "v1"), new Holding("sha256:1", "v2"));

        assertThatThrownBy(() -> render(several, 2))
                .hasMessageContaining("the configuration of program web of chain harbour");
    }

    @Test
    void reportsAnUnreachableServer() {
        ManifestServiceLink several = of(new UnavailableManifests(), new UnavailableManifests());

        assertThatThrownBy(() -> several.fetchManifest(CHAIN, "greeter-v2"))
                .isInstanceOfSatisfying(
                        PeerUnavailable.class,
                        unavailable -> assertThat(unavailable.peer()).isEqualTo(Peer.MANIFESTS));
        assertThatThrownBy(() -> several.fetchWarnings(CHAIN, "greeter-v2"))
                .isInstanceOf(PeerUnavailable.class);
    }

    private static ManifestServiceLink of(ManifestServiceLink one, ManifestServiceLink other) {
        Map<String, ManifestServiceLink> services = new LinkedHashMap<>();
        services.put("a:1", one);
        services.put("b:2", other);
        return ComparingManifestServiceLink.of(services);
    }

    private static drover.coordinator.peers.ManifestServiceLink.RenderedConfigs render(
            ManifestServiceLink link, int nodes) {
        return link.render(
                CHAIN,
                new BinaryName("web"),
                "v2",
                List.of(),
                List.of(
                                new ManifestServiceLink.RenderTarget(
                                        new NodeId("n1"), "edge", Map.of()),
                                new ManifestServiceLink.RenderTarget(
                                        new NodeId("n2"), "edge", Map.of()))
                        .subList(0, nodes));
    }

    /** A service that holds this manifest, and a template of this text. */
    private record Holding(String hash, String template) implements ManifestServiceLink {
        @Override
        public Manifest fetchManifest(ChainProfileId chain, String upgradeId) {
            if (hash.isEmpty()) {
                throw new Refused(RefusalCode.MANIFEST_NOT_FOUND, "There is none.");
            }
            return new Manifest(
                    "edge", "web", "v2", "", "", 0, MigrationType.NONE, "", List.of(), hash);
        }

        @Override
        public Profile fetchProfile(ChainProfileId chain) {
            return new Profile(
                    "process",
                    Map.of(
                            "web",
                            new ManifestServiceLink.ProbeIntervalAndStopTimeout(Duration.ZERO)),
                    null,
                    0);
        }

        @Override
        public drover.coordinator.peers.ManifestServiceLink.RenderedConfigs render(
                ChainProfileId chain,
                BinaryName binary,
                String targetVersion,
                List<ConfigTemplateChange> changes,
                List<RenderTarget> nodes) {
            RenderedFileDigest file =
                    new RenderedFileDigest(new NodePath("/etc/web.conf"), Digest.of(template), 2);
            return new drover.coordinator.peers.ManifestServiceLink.RenderedConfigs(
                    nodes.stream()
                            .map(
                                    node ->
                                            new RenderedNode(
                                                    node.id(),
                                                    new byte[0],
                                                    Digest.of("launch"),
                                                    List.of(file)))
                            .toList(),
                    Map.of());
        }
    }

    /** A service that nobody reaches. */
    private static final class UnavailableManifests implements ManifestServiceLink {
        private static PeerUnavailable unavailable() {
            return new PeerUnavailable(
                    Peer.MANIFESTS, "It is away", new IllegalStateException("away"));
        }

        @Override
        public Manifest fetchManifest(ChainProfileId chain, String upgradeId) {
            throw unavailable();
        }

        @Override
        public Profile fetchProfile(ChainProfileId chain) {
            throw unavailable();
        }

        @Override
        public drover.coordinator.peers.ManifestServiceLink.RenderedConfigs render(
                ChainProfileId chain,
                BinaryName binary,
                String targetVersion,
                List<ConfigTemplateChange> changes,
                List<RenderTarget> nodes) {
            throw unavailable();
        }

        @Override
        public List<Warning> fetchWarnings(ChainProfileId chain, String upgradeId) {
            throw unavailable();
        }
    }
}
