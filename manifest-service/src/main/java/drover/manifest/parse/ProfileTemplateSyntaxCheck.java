package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.render.template.Template;
import drover.manifest.render.template.TemplateError;

/** Checks templates that stand inside a profile, when the profile is read. */
final class ProfileTemplateSyntaxCheck {
    private ProfileTemplateSyntaxCheck() {}

    static void check(String text, FieldLocation place, ProblemCollector problems) {
        if (!text.contains("{{")) {
            return;
        }
        try {
            Template.parse(text);
        } catch (TemplateError e) {
            problems.add(
                    place,
                    ProblemCode.TEMPLATE_INVALID,
                    e.sentence() + " (character " + e.column() + " of the value)");
        }
    }
}
