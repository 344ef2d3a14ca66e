package drover.simulation.world;

import drover.coordinator.peers.ManifestServiceLink;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.program.BinaryName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The versions there are of every product. Answers as manifest-service does. */
final class SimulatedManifestService implements ManifestServiceLink {
    static final Duration HEALTH_WAIT = Duration.ofSeconds(10);

    /** Every artifact, by address. */
    static Map<String, byte[]> artifacts() {
        Map<String, byte[]> all = new HashMap<>();
        for (SimulatedProgramDefinition product : SimulatedProgramDefinition.values()) {
            SimulatedProgramDefinition.versionNumbers()
                    .forEach(number -> all.put(product.url(number), product.artifactBytes(number)));
        }
        return all;
    }

    @Override
    public Manifest fetchManifest(ChainProfileId chain, String upgradeId) {
        throw new IllegalStateException("Rollouts are created without manifests here");
    }

    @Override
    public Profile fetchProfile(ChainProfileId chain) {
        return new Profile(
                "simulated",
                Stream.of(SimulatedProgramDefinition.values())
                        .collect(
                                Collectors.toMap(
                                        product -> product.binary().value(),
                                        _ ->
                                                new drover.coordinator.peers.ManifestServiceLink
                                                        .ProbeIntervalAndStopTimeout(
                                                        Duration.ZERO))),
                HEALTH_WAIT,
                3);
    }

    @Override
    public RenderedConfigs render(
            ChainProfileId chain,
            BinaryName binary,
            String targetVersion,
            List<ConfigTemplateChange> changes,
            List<RenderTarget> nodes) {
        SimulatedProgramDefinition product = SimulatedProgramDefinition.named(binary);
        int number = SimulatedProgramDefinition.number(targetVersion);
        byte[] content = product.config(number).getBytes(StandardCharsets.UTF_8);
        Digest digest = Digest.of(content);
        List<RenderedFileDigest> files =
                List.of(new RenderedFileDigest(product.configPath(), digest, content.length));
        byte[] program = product.proto(number).toByteArray();
        Digest launch = product.spec(number).launch().digest();
        return new RenderedConfigs(
                nodes.stream()
                        .map(node -> new RenderedNode(node.id(), program, launch, files))
                        .toList(),
                Map.of(digest.value(), content));
    }
}
