package drover.manifest.check;

import drover.manifest.check.template.Template;
import drover.manifest.check.template.TemplateError;
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
    static void check(Manifest manifest, Place document, Problems problems) {
        if (manifest.migration() == MigrationType.BREAKING && manifest.recoveryPlan().isBlank()) {
            problems.add(
                    document.at("recovery_plan"),
                    ProblemCode.BREAKING_NEEDS_RECOVERY_PLAN,
                    "A breaking migration needs a recovery_plan: say what operators do when the old"
                            + " program cannot read the new state.");
        }
    }

    /** Rules over the manifest and the profile of its chain. */
    public static List<Problem> against(Manifest manifest, Profile profile, String file) {
        Problems problems = new Problems(file);
        if (profile.program(manifest.binary()).isEmpty()) {
            problems.add(
                    Place.FILE.at("binary_name"),
                    ProblemCode.PROGRAM_NOT_FOUND,
                    "The chain profile '"
                            + profile.id()
                            + "' has no program '"
                            + manifest.binary()
                            + "': use one of "
                            + profile.programNames()
                            + ".");
        }
        manifest.everywhere()
                .ifPresent(artifact -> fits("target_url", artifact, profile, problems));
        manifest.perPlatform()
                .forEach(
                        (platform, artifact) ->
                                fits(
                                        "artifacts." + platform + ".url",
                                        artifact,
                                        profile,
                                        problems));
        return problems.found();
    }

    private static void fits(String path, Artifact artifact, Profile profile, Problems problems) {
        ProblemCode code =
                profile.runtime().runsImages()
                        ? ProblemCode.IMAGE_NOT_PINNED
                        : ProblemCode.MALFORMED_URL;
        ArtifactRules.unfitFor(profile.runtime(), artifact.url())
                .ifPresent(sentence -> problems.add(Place.FILE.at(path), code, sentence));
    }

    /**
     * Rules over the manifest and the template files it names.
     *
     * @param templates the template files it names
     */
    public static List<Problem> againstTemplates(
            Manifest manifest, TemplateFiles templates, String file) {
        Problems problems = new Problems(file);
        List<ConfigChange> changes = manifest.configChanges();
        for (int i = 0; i < changes.size(); i++) {
            Place at = Place.FILE.at("config_changes[" + i + "]");
            template(changes.get(i), manifest.chain(), at, templates, problems);
        }
        return problems.found();
    }

    private static void template(
            ConfigChange change,
            ChainProfileId chain,
            Place at,
            TemplateFiles templates,
            Problems problems) {
        Optional<String> text = templates.text(change.template());
        if (text.isEmpty()) {
            problems.add(
                    at.at("template"),
                    ProblemCode.TEMPLATE_NOT_FOUND,
                    templates.whyNot(change.template(), chain));
            return;
        }
        try {
            unused(change, Template.parse(text.get()).uses(), at, problems);
        } catch (TemplateError e) {
            problems.add(
                    at.at("template"),
                    ProblemCode.TEMPLATE_INVALID,
                    change.template() + ":" + e.line() + ":" + e.column() + ": " + e.sentence());
        }
    }

    /** Nearly always a slip of the pen, but the file can be rendered: a warning. */
    private static void unused(
            ConfigChange change, Template.Uses uses, Place at, Problems problems) {
        for (String name : new TreeSet<>(change.overrides().keySet())) {
            if (!uses.mayUse(name)) {
                problems.add(
                        at.at("overrides." + name),
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
    public static List<Problem> located(List<Problem> problems, Node document) {
        List<Problem> located = new ArrayList<>();
        for (Problem problem : problems) {
            Place place =
                    places(document)
                            .filter(at -> at.path().equals(problem.place().path()))
                            .findFirst()
                            .orElse(problem.place());
            located.add(new Problem(problem.file(), place, problem.code(), problem.message()));
        }
        return located;
    }

    private static Stream<Place> places(Node node) {
        Stream<Place> inner =
                switch (node) {
                    case Node.Text _ -> Stream.empty();
                    case Node.Items(Place _, List<Node> items) ->
                            items.stream().flatMap(ManifestRules::places);
                    case Node.Fields(Place _, List<Node.Field> fields) ->
                            fields.stream().flatMap(field -> places(field.value()));
                };
        return Stream.concat(Stream.of(node.place()), inner);
    }
}
