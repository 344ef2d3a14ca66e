/**
 * Tests of the template subset. Start with {@link drover.manifest.render.template.TemplateTest};
 * {@link drover.manifest.render.template.GoldenTest} compares with results that Go itself made.
 */
@NullMarked
package drover.manifest.render.template;

import org.jspecify.annotations.NullMarked;
