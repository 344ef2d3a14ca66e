package drover.manifest.render;

import drover.manifest.parse.PlaceholderRules;
import drover.manifest.render.template.Template;
import drover.manifest.render.template.TemplateError;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.Map;
import java.util.Optional;

/** A template and the name under which people know it; read once, rendered for many nodes. */
final class NamedTemplate {
    private final String name;
    private final Template template;

    private NamedTemplate(String name, Template template) {
        this.name = name;
        this.template = template;
    }

    static NamedTemplate parse(String name, String text) {
        try {
            return new NamedTemplate(name, Template.parse(text));
        } catch (TemplateError e) {
            throw new RenderRefused(
                    e.kind() == TemplateError.Kind.TOO_LARGE
                            ? RefusalCode.RENDERED_TOO_LARGE
                            : RefusalCode.TEMPLATE_INVALID,
                    name + ":" + e.line() + ":" + e.column() + ": " + e.sentence());
        }
    }

    String render(Map<String, String> variables, NodeId node) {
        try {
            return template.render(variables, RenderLimits.LONGEST_FILE);
        } catch (TemplateError e) {
            throw new RenderRefused(
                    toRefusalCode(e.kind()),
                    name
                            + ":"
                            + e.line()
                            + ":"
                            + e.column()
                            + " for node "
                            + node
                            + ": "
                            + e.sentence());
        }
    }

    /** The template of a file, which has no placeholders. */
    static NamedTemplate parseRejectingPlaceholders(String name, String text) {
        PlaceholderRules.problemInFile(text)
                .ifPresent(
                        sentence -> {
                            throw new RenderRefused(
                                    RefusalCode.TEMPLATE_INVALID, name + ": " + sentence);
                        });
        return parse(name, text);
    }

    /** Renders a file for a node. A variable that it uses must not bring in a placeholder. */
    String renderRejectingPlaceholders(Map<String, String> variables, NodeId node) {
        variables.forEach(
                (variable, value) -> {
                    Optional<String> problem = PlaceholderRules.problemInFile(value);
                    if (problem.isPresent() && template.usedVariables().mayUse(variable)) {
                        throw refusal(node, "variable " + variable + ": " + problem.get());
                    }
                });
        return render(variables, node);
    }

    RenderRefused refusal(NodeId node, String sentence) {
        return new RenderRefused(
                RefusalCode.TEMPLATE_INVALID, name + " for node " + node + ": " + sentence);
    }

    private static RefusalCode toRefusalCode(TemplateError.Kind kind) {
        return switch (kind) {
            case UNDEFINED_VARIABLE -> RefusalCode.VARIABLE_UNDEFINED;
            case TOO_LARGE -> RefusalCode.RENDERED_TOO_LARGE;
            case SYNTAX, EVALUATION -> RefusalCode.TEMPLATE_INVALID;
        };
    }
}
