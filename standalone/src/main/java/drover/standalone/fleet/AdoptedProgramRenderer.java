package drover.standalone.fleet;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.manifest.ManifestService;
import drover.manifest.ManifestServiceConfig;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.ProgramProfile;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import io.grpc.ManagedChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A chain profile's file on a node that is to be taken in, with the configuration directory around
 * it. It is read by the manifest-service itself, in this process: what is recorded on the node is
 * what a rollout will compare it with.
 */
public final class AdoptedProgramRenderer implements AutoCloseable {
    private static final String SUFFIX = ".yaml";

    // Templates may name the version; what runs is not rendered anew, so any word does.
    private static final Version RUNNING = new Version("running");

    private final Path configuration;
    private final ChainProfileId chain;
    private final ManifestService service;
    private final ManagedChannel channel;
    private final ManifestAndGatewayClient services;

    private AdoptedProgramRenderer(Path configuration, ChainProfileId chain) {
        this.configuration = configuration;
        this.chain = chain;
        Address address = new Address.InProcess("chain-" + chain + "-" + System.nanoTime());
        this.service =
                ManifestService.start(
                        new ManifestServiceConfig(
                                configuration, address, ManifestServiceConfig.DEFAULT_RESCAN));
        this.channel = Channels.open(address);
        this.services = new ManifestAndGatewayClient(channel, channel);
    }

    /**
     * Opens {@code DIR/chains/CHAIN.yaml}.
     *
     * @throws UserFacingError when it is not there, or lies elsewhere
     */
    public static AdoptedProgramRenderer open(Path file) {
        Path profile = file.toAbsolutePath().normalize();
        Path chains = profile.getParent();
        String name = String.valueOf(profile.getFileName());
        if (!Files.isRegularFile(profile)) {
            throw new UserFacingError("There is no file " + profile + ": name a chain profile.");
        }
        if (chains == null || !chains.endsWith("chains") || !name.endsWith(SUFFIX)) {
            throw new UserFacingError(
                    profile
                            + " does not lie in a configuration directory: name"
                            + " DIR/chains/CHAIN.yaml, with its templates beside it.");
        }
        try {
            String id = name.substring(0, name.length() - SUFFIX.length());
            return new AdoptedProgramRenderer(
                    chains.resolveSibling("").normalize(), new ChainProfileId(id));
        } catch (MalformedValue e) {
            throw new UserFacingError(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * A program, rendered for a node: the one of this name in {@code nodes.yaml}, or another.
     *
     * @param type of a node that is not listed
     * @param labels beside those that are listed
     * @throws UserFacingError when it cannot be rendered
     */
    public ProgramProfile renderProgram(
            BinaryName program, NodeId node, NodeType type, Map<String, String> labels) {
        PlannedNode planned = planNode(program, node, type, labels);
        NodeInstallation.Program rendered =
                services.renderInstallation(planned, new NodeDirectory(configuration))
                        .programs()
                        .getFirst();
        return new ProgramProfile(
                rendered.spec(), List.copyOf(new TreeSet<>(rendered.files().keySet())));
    }

    private PlannedNode planNode(
            BinaryName program, NodeId node, NodeType type, Map<String, String> labels) {
        Path listed = configuration.resolve("nodes.yaml");
        List<PlannedNode> nodes = Files.exists(listed) ? NodesFileReader.read(listed) : List.of();
        PlannedNode known =
                nodes.stream()
                        .filter(it -> it.name().equals(node) && it.chain().equals(chain))
                        .findFirst()
                        .orElse(new PlannedNode(node, chain, type, Map.of(), List.of(), true));
        Map<String, String> all = new TreeMap<>(known.labels());
        all.putAll(labels);
        all.forEach(AdoptedProgramRenderer::requireResolved);
        return new PlannedNode(
                node,
                chain,
                known.type(),
                all,
                List.of(new InitialProgram(program, RUNNING, "", Digest.of(""))),
                true);
    }

    /** Only a mesh knows which port it chose. */
    private static void requireResolved(String name, String value) {
        if (value.contains("{port}") || value.contains("{n}")) {
            throw new UserFacingError(
                    "The label " + name + " is chosen by 'up': say it with --label " + name + "=…");
        }
    }

    /** What the chain's manifests call the digests that they install. */
    public List<KnownVersion> listKnownVersions(BinaryName program) {
        return services.listPublishedVersions(chain.value(), program.value());
    }

    @Override
    public void close() {
        channel.shutdownNow();
        service.close();
    }
}
