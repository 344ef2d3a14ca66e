/**
 * Tests of rendered configuration. Start with {@link drover.manifest.render.ConfigRendererTest}.
 */
@NullMarked
package drover.manifest.render;

import org.jspecify.annotations.NullMarked;
