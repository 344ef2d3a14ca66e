package drover.coordinator.peers;

import drover.agent.v1.ProgramSpec;
import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A manifest-service without a network: knows the profiles and manifests it was told of, and
 * renders a template as its name and overrides, the same for every node.
 */
public final class InMemoryManifestService implements ManifestServiceLink {
    /** How every program is launched. */
    public static final Digest LAUNCH = Digest.of("launch");

    private final Map<ChainProfileId, Profile> profiles = new ConcurrentHashMap<>();
    private final Map<String, Manifest> manifests = new ConcurrentHashMap<>();
    private final Map<String, List<Warning>> remarks = new ConcurrentHashMap<>();
    private volatile boolean unavailable;

    /** Adds or replaces a profile. */
    public void put(ChainProfileId chain, Profile profile) {
        profiles.put(chain, profile);
    }

    /** Adds or replaces a manifest. */
    public void put(ChainProfileId chain, String upgradeId, Manifest manifest) {
        manifests.put(chain + "/" + upgradeId, manifest);
    }

    /** Says what deserves a look in a manifest. */
    public void addWarning(ChainProfileId chain, String upgradeId, Warning remark) {
        remarks.merge(
                chain + "/" + upgradeId,
                List.of(remark),
                (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
    }

    @Override
    public List<Warning> fetchWarnings(ChainProfileId chain, String upgradeId) {
        return remarks.getOrDefault(chain + "/" + upgradeId, List.of());
    }

    /** Whether it does not answer from now on. */
    public void setUnavailable(boolean isUnavailable) {
        unavailable = isUnavailable;
    }

    @Override
    public Manifest fetchManifest(ChainProfileId chain, String upgradeId) {
        requireAvailable();
        Manifest manifest = manifests.get(chain + "/" + upgradeId);
        if (manifest == null) {
            throw new Refused(
                    RefusalCode.MANIFEST_NOT_FOUND,
                    "Chain profile " + chain + " has no manifest " + upgradeId + ".",
                    "upgrade_id");
        }
        return manifest;
    }

    @Override
    public Profile fetchProfile(ChainProfileId chain) {
        requireAvailable();
        Profile profile = profiles.get(chain);
        if (profile == null) {
            throw new Refused(
                    RefusalCode.CHAIN_PROFILE_NOT_FOUND,
                    "There is no chain profile " + chain + ".",
                    "chain_profile_id");
        }
        return profile;
    }

    @Override
    public RenderedConfigs render(
            ChainProfileId chain,
            BinaryName binary,
            String targetVersion,
            List<ConfigTemplateChange> changes,
            List<RenderTarget> nodes) {
        requireAvailable();
        Map<String, byte[]> contents = new HashMap<>();
        List<RenderedFileDigest> files =
                changes.stream()
                        .map(
                                change -> {
                                    byte[] content = renderedContent(change);
                                    Digest digest = Digest.of(content);
                                    contents.put(digest.value(), content);
                                    return new RenderedFileDigest(
                                            new NodePath(change.path()), digest, content.length);
                                })
                        .toList();
        byte[] program = ProgramSpec.newBuilder().setName(binary.value()).build().toByteArray();
        return new RenderedConfigs(
                nodes.stream()
                        .map(node -> new RenderedNode(node.id(), program, LAUNCH, files))
                        .toList(),
                contents);
    }

    /** What a changed file holds once rendered. */
    public static byte[] renderedContent(ConfigTemplateChange change) {
        String text = change.template() + " " + new TreeMap<>(change.overrides());
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void requireAvailable() {
        if (unavailable) {
            throw new PeerUnavailable(
                    Peer.MANIFESTS,
                    "The manifest-service did not answer",
                    new IllegalStateException("away"));
        }
    }
}
