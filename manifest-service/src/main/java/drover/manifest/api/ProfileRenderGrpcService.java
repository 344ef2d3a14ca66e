package drover.manifest.api;

import drover.kit.grpc.Refused;
import drover.manifest.catalog.CatalogFileCache;
import drover.manifest.catalog.FileWithLastValidContent;
import drover.manifest.parse.LoadedTemplateFiles;
import drover.manifest.parse.Profile;
import drover.manifest.parse.TemplatedConfigFile;
import drover.manifest.render.ConfigRenderer;
import drover.manifest.render.RenderLimits;
import drover.manifest.render.RenderOutcome;
import drover.manifest.render.RenderRequest;
import drover.manifest.render.RenderTargetNode;
import drover.manifest.v1.GetChainProfileRequest;
import drover.manifest.v1.GetChainProfileResponse;
import drover.manifest.v1.ListChainProfilesRequest;
import drover.manifest.v1.ListChainProfilesResponse;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The door to chain profiles and rendering. */
public final class ProfileRenderGrpcService
        extends ManifestCatalogServiceGrpc.ManifestCatalogServiceImplBase {
    private final CatalogFileCache catalogue;

    public ProfileRenderGrpcService(CatalogFileCache catalogue) {
        this.catalogue = catalogue;
    }

    @Override
    public void getChainProfile(
            GetChainProfileRequest request, StreamObserver<GetChainProfileResponse> answer) {
        Profile profile = requireUsableProfile(request.getChainProfileId());
        answer.onNext(
                GetChainProfileResponse.newBuilder()
                        .setProfile(ProfileProtos.toProto(profile))
                        .build());
        answer.onCompleted();
    }

    @Override
    public void listChainProfiles(
            ListChainProfilesRequest request, StreamObserver<ListChainProfilesResponse> answer) {
        catalogue.refreshUntilStable();
        ListChainProfilesResponse.Builder response = ListChainProfilesResponse.newBuilder();
        for (FileWithLastValidContent<Profile> state :
                new TreeMap<>(catalogue.profiles()).values()) {
            state.lastGood()
                    .ifPresent(good -> response.addProfiles(ProfileProtos.toProto(good.value())));
            state.problems()
                    .forEach(problem -> response.addProblems(ManifestProtos.toProto(problem)));
        }
        answer.onNext(response.build());
        answer.onCompleted();
    }

    @Override
    public void renderConfigs(
            RenderConfigsRequest request, StreamObserver<RenderConfigsResponse> answer) {
        Profile profile = requireUsableProfile(request.getChainProfileId());
        RenderRequest requested = fromProto(request);
        LoadedTemplateFiles templates =
                catalogue.readTemplates(profile.id(), templateNames(profile, requested));
        switch (ConfigRenderer.render(profile, requested, templates)) {
            case RenderOutcome.Refusal(RefusalCode code, String sentence) ->
                    throw new Refused(code, sentence);
            case RenderOutcome.Rendered rendered -> {
                answer.onNext(RenderResultProtos.toProto(rendered));
                answer.onCompleted();
            }
        }
    }

    private static RenderRequest fromProto(RenderConfigsRequest request) {
        if (request.getNodesCount() > RenderLimits.MOST_NODES) {
            throw new Refused(
                    RefusalCode.TOO_MANY_TARGETS,
                    "Rendering takes at most 10,000 nodes at a time: ask for fewer.",
                    "nodes");
        }
        List<RenderTargetNode> nodes = new ArrayList<>();
        request.getNodesList().forEach(node -> nodes.add(fromProto(node)));
        return new RenderRequest(
                RequestFieldParser.parseRequired(
                        "binary_name", request.getBinaryName(), BinaryName::new),
                request.getTargetVersion(),
                ManifestProtos.fromProto(request.getConfigChangesList()),
                nodes,
                request.getInitial());
    }

    private static RenderTargetNode fromProto(drover.manifest.v1.RenderNode node) {
        return new RenderTargetNode(
                RequestFieldParser.parseRequired("nodes.node_id", node.getNodeId(), NodeId::new),
                RequestFieldParser.parseRequired(
                        "nodes.node_type", node.getNodeType(), NodeType::new),
                node.getLabelsMap());
    }

    private static Set<String> templateNames(Profile profile, RenderRequest request) {
        return profile.findProgram(request.binary()).stream()
                .flatMap(program -> request.filesToRender(program).stream())
                .map(TemplatedConfigFile::template)
                .collect(Collectors.toSet());
    }

    private Profile requireUsableProfile(String id) {
        ChainProfileId chain =
                RequestFieldParser.parseRequired("chain_profile_id", id, ChainProfileId::new);
        FileWithLastValidContent<Profile> state =
                catalogue
                        .readProfile(chain)
                        .orElseThrow(
                                () ->
                                        new Refused(
                                                RefusalCode.CHAIN_PROFILE_NOT_FOUND,
                                                "There is no chain profile chains/"
                                                        + chain
                                                        + ".yaml: write it, or correct the name."));
        return state.lastGood()
                .filter(_ -> state.stable())
                .map(FileWithLastValidContent.LoadedContent::value)
                .orElseThrow(
                        () ->
                                InvalidFileRefusals.refusal(
                                        RefusalCode.CHAIN_PROFILE_INVALID,
                                        "The chain profile '" + chain + "'",
                                        state.problems()));
    }
}
