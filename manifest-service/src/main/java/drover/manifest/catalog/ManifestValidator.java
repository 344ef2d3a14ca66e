package drover.manifest.catalog;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.parse.ExpectedIds;
import drover.manifest.parse.Manifest;
import drover.manifest.parse.ManifestParser;
import drover.manifest.parse.ManifestReleaseConverter;
import drover.manifest.parse.ManifestRules;
import drover.manifest.parse.Profile;
import drover.manifest.parse.RawContentHash;
import drover.manifest.parse.TemplatedConfigFile;
import drover.manifest.source.YamlReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks manifests against everything in the directory: profile and templates. */
public final class ManifestValidator {
    private final CatalogFileCache catalogue;

    public ManifestValidator(CatalogFileCache catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * What a check found.
     *
     * @param manifest as understood; empty when there are problems other than warnings
     */
    public record Outcome(List<ValidationProblem> problems, Optional<Manifest> manifest) {
        public Outcome {
            problems = List.copyOf(problems);
        }
    }

    /** Checks a text that need not be on disk. */
    public Outcome validate(byte[] content, ExpectedIds expected) {
        return switch (YamlReader.read(content, "")) {
            case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                    new Outcome(problems, Optional.empty());
            case ParseResult.Valid<YamlNode>(YamlNode document) ->
                    validate(document, content, expected);
        };
    }

    private Outcome validate(YamlNode document, byte[] content, ExpectedIds expected) {
        return switch (ManifestParser.parse(document, expected, RawContentHash.of(content), "")) {
            case ParseResult.Invalid<Manifest>(List<ValidationProblem> problems) ->
                    new Outcome(problems, Optional.empty());
            case ParseResult.Valid<Manifest>(Manifest manifest) -> {
                List<ValidationProblem> problems =
                        new ArrayList<>(checkAgainstProfile(manifest, ""));
                problems.addAll(checkAgainstTemplates(manifest));
                boolean usable = problems.stream().allMatch(ValidationProblem::isWarning);
                yield new Outcome(
                        ManifestRules.withLocations(problems, document),
                        usable ? Optional.of(manifest) : Optional.empty());
            }
        };
    }

    /** Problems of a manifest with the profile of its chain; none while there is no usable one. */
    public List<ValidationProblem> checkAgainstProfile(Manifest manifest, String file) {
        Optional<FileWithLastValidContent<Profile>> state = catalogue.readProfile(manifest.chain());
        if (state.isEmpty()) {
            return List.of(
                    new ValidationProblem(
                            file,
                            FieldLocation.FILE.atField("chain_profile_id"),
                            ProblemCode.CHAIN_PROFILE_NOT_FOUND,
                            "There is no chain profile chains/"
                                    + manifest.chain()
                                    + ".yaml: write it first, or correct the name."));
        }
        return state.get()
                .lastGood()
                .map(good -> ManifestRules.checkAgainstProfile(manifest, good.value(), file))
                .orElse(List.of()); // its own problems are told where profiles are listed
    }

    /** What deserves a look in a manifest although it can be used. */
    public List<ValidationProblem> warnings(Manifest manifest) {
        List<ValidationProblem> warnings =
                new ArrayList<>(
                        checkAgainstTemplates(manifest).stream()
                                .filter(ValidationProblem::isWarning)
                                .toList());
        catalogue
                .readRelease(manifest.chain(), manifest.upgradeId())
                .flatMap(release -> ManifestReleaseConverter.difference(release, manifest))
                .ifPresent(why -> warnings.add(releaseMismatch(manifest, why)));
        catalogue
                .readProfile(manifest.chain())
                .flatMap(ManifestValidator::staleProfileWarning)
                .ifPresent(warnings::add);
        return warnings;
    }

    /** Names the first problem; the list of profiles has all. */
    private static Optional<ValidationProblem> staleProfileWarning(
            FileWithLastValidContent<Profile> state) {
        return state.problems().stream()
                .filter(_ -> state.lastGood().isPresent())
                .findFirst()
                .map(
                        problem ->
                                new ValidationProblem(
                                        problem.file(),
                                        problem.location(),
                                        ProblemCode.CHAIN_PROFILE_STALE,
                                        "Warning: the chain profile is broken, and its last good content is used: "
                                                + problem.message()));
    }

    private static ValidationProblem releaseMismatch(Manifest manifest, String why) {
        return new ValidationProblem(
                "upgrades/"
                        + manifest.chain()
                        + "/"
                        + manifest.upgradeId()
                        + ManifestReleaseConverter.ENDING,
                FieldLocation.FILE,
                ProblemCode.SIGNATURE_DIFFERS,
                "Warning: the signed release is not that of the manifest: "
                        + why
                        + "; nodes that ask for signatures will refuse it, sign the manifest anew.");
    }

    private List<ValidationProblem> checkAgainstTemplates(Manifest manifest) {
        return ManifestRules.checkAgainstTemplates(
                manifest,
                catalogue.readTemplates(
                        manifest.chain(),
                        manifest.configChanges().stream()
                                .map(TemplatedConfigFile::template)
                                .collect(Collectors.toSet())),
                "");
    }
}
