package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.render.template.Template;
import drover.manifest.render.template.TemplateError;
import drover.model.ChainProfileId;
import drover.model.MigrationType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The rules that look at more than one field of a manifest, and at the chain profile and templates
 * beside it (seed 000, Creation-Time Rules 1 to 3 and 7). Always every problem at once.
 */
public final class ManifestRules {
    private ManifestRules() {}

    /** Rules over the manifest alone. */
    static void check(Manifest manifest, FieldLocation document, ProblemCollector problems) {
        if (manifest.migration() == MigrationType.BREAKING && manifest.recoveryPlan().isBlank()) {
            problems.add(
                    document.atField("recovery_plan"),
                    ProblemCode.BREAKING_NEEDS_RECOVERY_PLAN,
                    "A breaking migration needs a recovery_plan: say what operators do when the old"
                            + " program cannot read the new state.");
        }
    }

    /** Rules over the manifest and the profile of its chain. */
    public static List<ValidationProblem> checkAgainstProfile(
            Manifest manifest, Profile profile, String file) {
        ProblemCollector problems = new ProblemCollector(file);
        if (profile.findProgram(manifest.binary()).isEmpty()) {
            problems.add(
                    FieldLocation.FILE.atField("binary_name"),
                    ProblemCode.PROGRAM_NOT_FOUND,
                    "The chain profile '"
                            + profile.id()
                            + "' has no program '"
                            + manifest.binary()
                            + "': use one of "
                            + profile.joinProgramNames()
                            + ".");
        }
        profile.findProgram(manifest.binary())
                .flatMap(program -> program.findManagedOnce(manifest.configChanges()))
                .ifPresent(
                        path ->
                                problems.add(
                                        FieldLocation.FILE.atField("config_changes"),
                                        ProblemCode.CONFIG_MANAGED_ONCE,
                                        ProgramTemplate.describeManagedOnce(path)));
        manifest.defaultArtifact()
                .ifPresent(
                        artifact ->
                                checkArtifactRuntime("target_url", artifact, profile, problems));
        manifest.platformArtifacts()
                .forEach(
                        (platform, artifact) ->
                                checkArtifactRuntime(
                                        "artifacts." + platform + ".url",
                                        artifact,
                                        profile,
                                        problems));
        return problems.sortedProblems();
    }

    private static void checkArtifactRuntime(
            String path, Artifact artifact, Profile profile, ProblemCollector problems) {
        ProblemCode code =
                profile.runtime().runsOnlyImages()
                        ? ProblemCode.IMAGE_NOT_PINNED
                        : ProblemCode.MALFORMED_URL;
        ArtifactParser.incompatibility(profile.runtime(), artifact.url())
                .ifPresent(
                        sentence -> problems.add(FieldLocation.FILE.atField(path), code, sentence));
    }

    /**
     * Rules over the manifest and the template files it names.
     *
     * @param templates the template files it names
     */
    public static List<ValidationProblem> checkAgainstTemplates(
            Manifest manifest, LoadedTemplateFiles templates, String file) {
        ProblemCollector problems = new ProblemCollector(file);
        List<TemplatedConfigFile> changes = manifest.configChanges();
        for (int i = 0; i < changes.size(); i++) {
            FieldLocation at = FieldLocation.FILE.atField("config_changes[" + i + "]");
            checkTemplate(changes.get(i), manifest.chain(), at, templates, problems);
        }
        return problems.sortedProblems();
    }

    private static void checkTemplate(
            TemplatedConfigFile change,
            ChainProfileId chain,
            FieldLocation at,
            LoadedTemplateFiles templates,
            ProblemCollector problems) {
        Optional<String> text = templates.text(change.template());
        if (text.isEmpty()) {
            problems.add(
                    at.atField("template"),
                    ProblemCode.TEMPLATE_NOT_FOUND,
                    templates.unusableReason(change.template(), chain));
            return;
        }
        Stream.concat(Stream.of(text.get()), change.overrides().values().stream())
                .flatMap(it -> PlaceholderRules.problemInFile(it).stream())
                .findFirst()
                .ifPresent(
                        sentence ->
                                problems.add(
                                        at.atField("template"),
                                        ProblemCode.PLACEHOLDER_NOT_REPLACED,
                                        change.template() + ": " + sentence));
        try {
            addUnusedOverrideWarnings(
                    change, Template.parse(text.get()).usedVariables(), at, problems);
        } catch (TemplateError e) {
            problems.add(
                    at.atField("template"),
                    ProblemCode.TEMPLATE_INVALID,
                    change.template() + ":" + e.line() + ":" + e.column() + ": " + e.sentence());
        }
    }

    /** Nearly always a slip of the pen, but the file can be rendered: a warning. */
    private static void addUnusedOverrideWarnings(
            TemplatedConfigFile change,
            Template.UsedVariables uses,
            FieldLocation at,
            ProblemCollector problems) {
        for (String name : new TreeSet<>(change.overrides().keySet())) {
            if (!uses.mayUse(name)) {
                problems.add(
                        at.atField("overrides." + name),
                        ProblemCode.OVERRIDE_UNUSED,
                        "Warning: the template '"
                                + change.template()
                                + "' does not use '"
                                + name
                                + "': correct the name or leave it out.");
            }
        }
    }

    /** The same problems with the lines and columns at which their paths stand in the document. */
    public static List<ValidationProblem> withLocations(
            List<ValidationProblem> problems, YamlNode document) {
        List<ValidationProblem> located = new ArrayList<>();
        for (ValidationProblem problem : problems) {
            FieldLocation place =
                    allLocations(document)
                            .filter(at -> at.path().equals(problem.location().path()))
                            .findFirst()
                            .orElse(problem.location());
            located.add(
                    new ValidationProblem(
                            problem.file(), place, problem.code(), problem.message()));
        }
        return located;
    }

    private static Stream<FieldLocation> allLocations(YamlNode node) {
        Stream<FieldLocation> inner =
                switch (node) {
                    case YamlNode.Scalar _ -> Stream.empty();
                    case YamlNode.Sequence(FieldLocation _, List<YamlNode> items) ->
                            items.stream().flatMap(ManifestRules::allLocations);
                    case YamlNode.Mapping(FieldLocation _, List<YamlNode.Entry> fields) ->
                            fields.stream().flatMap(field -> allLocations(field.value()));
                };
        return Stream.concat(Stream.of(node.location()), inner);
    }
}
