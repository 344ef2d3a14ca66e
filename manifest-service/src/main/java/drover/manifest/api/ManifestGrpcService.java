package drover.manifest.api;

import com.google.protobuf.ByteString;
import drover.kit.grpc.Refused;
import drover.manifest.catalog.CatalogFileCache;
import drover.manifest.catalog.FileWithLastValidContent;
import drover.manifest.catalog.ManifestValidator;
import drover.manifest.document.ValidationProblem;
import drover.manifest.parse.ExpectedIds;
import drover.manifest.parse.Manifest;
import drover.manifest.parse.ManifestReleaseConverter;
import drover.manifest.source.FileLimits;
import drover.manifest.v1.GetContentHashRequest;
import drover.manifest.v1.GetContentHashResponse;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.GetManifestResponse;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ListManifestsResponse;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.UpgradeManifest;
import drover.manifest.v1.ValidateManifestRequest;
import drover.manifest.v1.ValidateManifestResponse;
import drover.model.ChainProfileId;
import drover.model.RefusalCode;
import drover.model.UpgradeId;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The door to manifests. */
public final class ManifestGrpcService extends ManifestServiceGrpc.ManifestServiceImplBase {
    private final CatalogFileCache catalogue;
    private final ManifestValidator validation;

    public ManifestGrpcService(CatalogFileCache catalogue, ManifestValidator validation) {
        this.catalogue = catalogue;
        this.validation = validation;
    }

    @Override
    public void getManifest(
            GetManifestRequest request, StreamObserver<GetManifestResponse> answer) {
        Manifest manifest =
                requireUsableManifest(request.getChainProfileId(), request.getUpgradeId());
        UpgradeManifest.Builder message = ManifestProtos.toProto(manifest).toBuilder();
        catalogue
                .readRelease(manifest.chain(), manifest.upgradeId())
                .filter(release -> release.length <= ManifestReleaseConverter.LARGEST)
                .ifPresent(release -> message.setRelease(ByteString.copyFrom(release)));
        answer.onNext(GetManifestResponse.newBuilder().setManifest(message).build());
        answer.onCompleted();
    }

    @Override
    public void getContentHash(
            GetContentHashRequest request, StreamObserver<GetContentHashResponse> answer) {
        FileWithLastValidContent<Manifest> state =
                requireFileState(request.getChainProfileId(), request.getUpgradeId());
        String hash =
                state.lastGood()
                        .map(FileWithLastValidContent.LoadedContent::hash)
                        .orElse(state.hash())
                        .value();
        answer.onNext(GetContentHashResponse.newBuilder().setContentHash(hash).build());
        answer.onCompleted();
    }

    @Override
    public void listManifests(
            ListManifestsRequest request, StreamObserver<ListManifestsResponse> answer) {
        String chain = request.getChainProfileId();
        if (!chain.isEmpty()) {
            RequestFieldParser.parseOrRefuse("chain_profile_id", chain, ChainProfileId::new);
        }
        catalogue.refreshUntilStable();
        ListManifestsResponse.Builder response = ListManifestsResponse.newBuilder();
        new TreeMap<>(catalogue.manifests())
                .forEach(
                        (file, state) -> {
                            if (chain.isEmpty()
                                    || chain.equals(CatalogFileCache.expectedIds(file).chain())) {
                                response.addManifests(
                                        ManifestProtos.toEntry(
                                                file,
                                                state,
                                                problems(file, state),
                                                warnings(state)));
                            }
                        });
        answer.onNext(response.build());
        answer.onCompleted();
    }

    @Override
    public void validateManifest(
            ValidateManifestRequest request, StreamObserver<ValidateManifestResponse> answer) {
        byte[] content = request.getContent().getBytes(StandardCharsets.UTF_8);
        if (content.length == 0 || content.length > FileLimits.LARGEST_FILE) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "content is "
                            + (content.length == 0 ? "empty" : "longer than 256 KiB")
                            + ": send the YAML text of a manifest.",
                    "content");
        }
        ManifestValidator.Outcome outcome =
                validation.validate(
                        content,
                        new ExpectedIds(request.getChainProfileId(), request.getUpgradeId()));
        ValidateManifestResponse.Builder response = ValidateManifestResponse.newBuilder();
        outcome.problems().forEach(p -> response.addProblems(ManifestProtos.toProto(p)));
        outcome.manifest().ifPresent(m -> response.setManifest(ManifestProtos.toProto(m)));
        answer.onNext(response.build());
        answer.onCompleted();
    }

    private FileWithLastValidContent<Manifest> requireFileState(String chain, String upgradeId) {
        ChainProfileId chainId =
                RequestFieldParser.parseRequired("chain_profile_id", chain, ChainProfileId::new);
        UpgradeId id = RequestFieldParser.parseRequired("upgrade_id", upgradeId, UpgradeId::new);
        return catalogue
                .readManifest(chainId, id)
                .orElseThrow(
                        () ->
                                new Refused(
                                        RefusalCode.MANIFEST_NOT_FOUND,
                                        "There is no manifest upgrades/"
                                                + chainId
                                                + "/"
                                                + id
                                                + ".yaml: list the manifests to see which there"
                                                + " are."));
    }

    private Manifest requireUsableManifest(String chain, String upgradeId) {
        FileWithLastValidContent<Manifest> state = requireFileState(chain, upgradeId);
        String what = "The manifest '" + upgradeId + "' of '" + chain + "'";
        if (state.lastGood().isEmpty() || !state.stable()) {
            throw InvalidFileRefusals.refusal(RefusalCode.MANIFEST_INVALID, what, state.problems());
        }
        Manifest manifest = state.lastGood().get().value();
        List<ValidationProblem> problems =
                validation.checkAgainstProfile(
                        manifest, "upgrades/" + chain + "/" + upgradeId + ".yaml");
        if (!problems.isEmpty()) {
            throw InvalidFileRefusals.refusal(RefusalCode.MANIFEST_INVALID, what, problems);
        }
        return manifest;
    }

    private List<ValidationProblem> warnings(FileWithLastValidContent<Manifest> state) {
        return state.lastGood().map(good -> validation.warnings(good.value())).orElse(List.of());
    }

    private List<ValidationProblem> problems(
            String file, FileWithLastValidContent<Manifest> state) {
        List<ValidationProblem> problems = new ArrayList<>(state.problems());
        state.lastGood()
                .ifPresent(
                        good ->
                                problems.addAll(
                                        validation.checkAgainstProfile(good.value(), file)));
        return problems;
    }
}
