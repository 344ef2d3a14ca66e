package drover.manifest.engine;

import drover.manifest.check.ConfigChange;
import drover.manifest.check.ContentHash;
import drover.manifest.check.ExpectedIds;
import drover.manifest.check.Manifest;
import drover.manifest.check.ManifestParser;
import drover.manifest.check.ManifestRelease;
import drover.manifest.check.ManifestRules;
import drover.manifest.check.Node;
import drover.manifest.check.Parsed;
import drover.manifest.check.Place;
import drover.manifest.check.Problem;
import drover.manifest.check.ProblemCode;
import drover.manifest.check.Profile;
import drover.manifest.source.YamlDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks manifests against everything in the directory: profile and templates. */
public final class Validation {
    private final Catalogue catalogue;

    public Validation(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * What a check found.
     *
     * @param manifest as understood; empty when there are problems other than warnings
     */
    public record Outcome(List<Problem> problems, Optional<Manifest> manifest) {
        public Outcome {
            problems = List.copyOf(problems);
        }
    }

    /** Checks a text that need not be on disk. */
    public Outcome validate(byte[] content, ExpectedIds expected) {
        return switch (YamlDocument.read(content, "")) {
            case Parsed.Bad<Node>(List<Problem> problems) ->
                    new Outcome(problems, Optional.empty());
            case Parsed.Good<Node>(Node document) -> validate(document, content, expected);
        };
    }

    private Outcome validate(Node document, byte[] content, ExpectedIds expected) {
        return switch (ManifestParser.parse(document, expected, ContentHash.of(content), "")) {
            case Parsed.Bad<Manifest>(List<Problem> problems) ->
                    new Outcome(problems, Optional.empty());
            case Parsed.Good<Manifest>(Manifest manifest) -> {
                List<Problem> problems = new ArrayList<>(againstProfile(manifest, ""));
                problems.addAll(againstTemplates(manifest));
                boolean usable = problems.stream().allMatch(Problem::isWarning);
                yield new Outcome(
                        ManifestRules.located(problems, document),
                        usable ? Optional.of(manifest) : Optional.empty());
            }
        };
    }

    /** Problems of a manifest with the profile of its chain; none while there is no usable one. */
    public List<Problem> againstProfile(Manifest manifest, String file) {
        Optional<FileState<Profile>> state = catalogue.profile(manifest.chain());
        if (state.isEmpty()) {
            return List.of(
                    new Problem(
                            file,
                            Place.FILE.at("chain_profile_id"),
                            ProblemCode.CHAIN_PROFILE_NOT_FOUND,
                            "There is no chain profile chains/"
                                    + manifest.chain()
                                    + ".yaml: write it first, or correct the name."));
        }
        return state.get()
                .good()
                .map(good -> ManifestRules.against(manifest, good.value(), file))
                .orElse(List.of()); // its own problems are told where profiles are listed
    }

    /** What deserves a look in a manifest although it can be used. */
    public List<Problem> warnings(Manifest manifest) {
        List<Problem> warnings =
                new ArrayList<>(
                        againstTemplates(manifest).stream().filter(Problem::isWarning).toList());
        catalogue
                .release(manifest.chain(), manifest.upgradeId())
                .flatMap(release -> ManifestRelease.difference(release, manifest))
                .ifPresent(why -> warnings.add(unlike(manifest, why)));
        return warnings;
    }

    private static Problem unlike(Manifest manifest, String why) {
        return new Problem(
                "upgrades/"
                        + manifest.chain()
                        + "/"
                        + manifest.upgradeId()
                        + ManifestRelease.ENDING,
                Place.FILE,
                ProblemCode.SIGNATURE_DIFFERS,
                "Warning: the signed release is not that of the manifest: "
                        + why
                        + "; nodes that ask for signatures will refuse it, sign the manifest anew.");
    }

    private List<Problem> againstTemplates(Manifest manifest) {
        return ManifestRules.againstTemplates(
                manifest,
                catalogue.templates(
                        manifest.chain(),
                        manifest.configChanges().stream()
                                .map(ConfigChange::template)
                                .collect(Collectors.toSet())),
                "");
    }
}
