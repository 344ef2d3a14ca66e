package drover.standalone.fleet;

import com.google.protobuf.ByteString;
import drover.agent.v1.Artifact;
import drover.agent.v1.Content;
import drover.agent.v1.RenderedFile;
import drover.kit.grpc.RefusalParser;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.ListChainProfilesRequest;
import drover.manifest.v1.ListChainProfilesResponse;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestProblem;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderNode;
import drover.manifest.v1.RenderedNode;
import drover.manifest.v1.UpgradeManifest;
import drover.model.Digest;
import drover.model.NodePath;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.RegisterNodeRequest;
import drover.opsagent.store.KnownVersion;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What making a fleet asks of the services, in the words of this room. */
public final class ManifestAndGatewayClient {
    private static final int DEADLINE_SECONDS = 30; // at start everything is cold

    private final Channel manifests;
    private final Channel gateway;

    /** Nobody is there, or nobody who can answer now: it is the same for every node. */
    public static final class ServiceUnavailable extends UserFacingError {
        private static final long serialVersionUID = 1L;

        ServiceUnavailable(StatusRuntimeException cause) {
            super("A part of the mesh does not answer: " + cause, cause);
        }
    }

    /**
     * @param manifests to manifest-service
     * @param gateway to the gateway's internal door
     */
    public ManifestAndGatewayClient(Channel manifests, Channel gateway) {
        this.manifests = manifests;
        this.gateway = gateway;
    }

    /**
     * The good chain profiles.
     *
     * @throws UserFacingError when some are broken: a mesh that starts without them would surprise
     */
    public List<ChainProfile> listValidProfiles() {
        ListChainProfilesResponse answer =
                translateErrors(
                        () ->
                                catalog()
                                        .listChainProfiles(
                                                ListChainProfilesRequest.getDefaultInstance()));
        if (answer.getProfilesCount() == 0 && answer.getProblemsCount() > 0) {
            throw new UserFacingError(
                    "No chain profile can be used:"
                            + answer.getProblemsList().stream()
                                    .map(ManifestAndGatewayClient::line)
                                    .collect(Collectors.joining("\n  ", "\n  ", "")));
        }
        return answer.getProfilesList();
    }

    /** What the good manifests of a chain install as a program, by its digest. */
    List<KnownVersion> listPublishedVersions(String chain, String program) {
        ManifestServiceGrpc.ManifestServiceBlockingStub service =
                ManifestServiceGrpc.newBlockingStub(manifests)
                        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
        ListManifestsRequest all =
                ListManifestsRequest.newBuilder().setChainProfileId(chain).build();
        List<KnownVersion> versions = new ArrayList<>();
        for (ManifestEntry entry :
                translateErrors(() -> service.listManifests(all)).getManifestsList()) {
            if (entry.getBinaryName().equals(program) && entry.getProblemsCount() == 0) {
                GetManifestRequest one =
                        GetManifestRequest.newBuilder()
                                .setChainProfileId(chain)
                                .setUpgradeId(entry.getUpgradeId())
                                .build();
                versions.addAll(
                        versions(translateErrors(() -> service.getManifest(one)).getManifest()));
            }
        }
        return versions;
    }

    private static List<KnownVersion> versions(UpgradeManifest manifest) {
        String version = manifest.getTargetVersion();
        List<KnownVersion> versions = new ArrayList<>();
        if (!manifest.getTargetChecksum().isEmpty()) {
            Digest digest = new Digest(manifest.getTargetChecksum());
            versions.add(new KnownVersion(digest, version, manifest.getTargetUrl()));
        }
        for (Artifact artifact : manifest.getArtifactsMap().values()) {
            Digest digest = new Digest(artifact.getDigest());
            versions.add(new KnownVersion(digest, version, artifact.getUrl()));
        }
        return versions;
    }

    /**
     * Makes the node known, with its labels and the proof of its token; idempotent.
     *
     * @param tokenSha256 empty for a node that shows certificates
     * @return the node as it is now, which may be retired
     */
    public Node register(PlannedNode node, Optional<Digest> tokenSha256) {
        RegisterNodeRequest request =
                RegisterNodeRequest.newBuilder()
                        .setNodeId(node.name().value())
                        .setChainProfileId(node.chain().value())
                        .setNodeType(node.type().value())
                        .putAllLabels(node.labels())
                        .setTokenSha256(tokenSha256.map(Digest::value).orElse(""))
                        .build();
        return translateErrors(() -> directory().registerNode(request)).getNode();
    }

    /** The nodes that the gateway knows. */
    public List<Node> listNodes() {
        return translateErrors(
                        () -> directory().listDirectory(ListDirectoryRequest.getDefaultInstance()))
                .getNodesList();
    }

    /** What a new node is given, rendered for it. */
    public NodeInstallation renderInstallation(PlannedNode node, NodeDirectory directory) {
        List<NodeInstallation.Program> programs =
                node.programs().stream().map(program -> renderProgram(node, program)).toList();
        return new NodeInstallation(node, directory, programs);
    }

    private NodeInstallation.Program renderProgram(PlannedNode node, InitialProgram program) {
        RenderConfigsRequest request =
                RenderConfigsRequest.newBuilder()
                        .setChainProfileId(node.chain().value())
                        .setBinaryName(program.name().value())
                        .setTargetVersion(program.version().value())
                        .setInitial(true)
                        .addNodes(
                                RenderNode.newBuilder()
                                        .setNodeId(node.name().value())
                                        .setNodeType(node.type().value())
                                        .putAllLabels(node.labels()))
                        .build();
        RenderConfigsResponse answer = translateErrors(() -> catalog().renderConfigs(request));
        RenderedNode result = answer.getNodes(0);
        return new NodeInstallation.Program(
                program,
                ProgramSpecProtoReader.fromProto(result.getProgram()),
                files(result, answer));
    }

    private static Map<NodePath, String> files(RenderedNode node, RenderConfigsResponse answer) {
        Map<String, ByteString> contents = new HashMap<>();
        for (Content content : answer.getContentsList()) {
            contents.put(content.getDigest(), content.getData());
        }
        Map<NodePath, String> files = new HashMap<>();
        List<String> missing = new ArrayList<>();
        for (RenderedFile file : node.getFilesList()) {
            ByteString data = contents.get(file.getDigest());
            if (data == null) {
                missing.add(file.getPath());
            } else {
                files.put(new NodePath(file.getPath()), data.toStringUtf8());
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("Rendered without content: " + missing);
        }
        return files;
    }

    private static String line(ManifestProblem problem) {
        return problem.getFile()
                + (problem.getLine() > 0 ? ":" + problem.getLine() : "")
                + ": "
                + problem.getMessage();
    }

    private ManifestCatalogServiceGrpc.ManifestCatalogServiceBlockingStub catalog() {
        return ManifestCatalogServiceGrpc.newBlockingStub(manifests)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private NodeDirectoryServiceGrpc.NodeDirectoryServiceBlockingStub directory() {
        return NodeDirectoryServiceGrpc.newBlockingStub(gateway)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** A refusal is already a sentence for the operator. */
    private static <T> T translateErrors(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw RefusalParser.from(e)
                    .map(
                            refused ->
                                    new UserFacingError(
                                            refused.sentence() + " (" + refused.code() + ")", e))
                    .orElseGet(() -> new ServiceUnavailable(e));
        }
    }
}
