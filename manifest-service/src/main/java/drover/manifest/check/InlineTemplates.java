package drover.manifest.check;

import drover.manifest.check.template.Template;
import drover.manifest.check.template.TemplateError;

/** Checks templates that stand inside a profile, when the profile is read. */
final class InlineTemplates {
    private InlineTemplates() {}

    static void check(String text, Place place, Problems problems) {
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
