/**
 * Configuration files and launch specifications of each node, rendered from a profile and its
 * templates.
 *
 * <p>Start with {@link drover.manifest.render.ConfigRenderer}, then {@link
 * drover.manifest.render.RenderRequest} and {@link drover.manifest.render.RenderOutcome}. Pure: no
 * I/O, clocks and threads. Depends on {@code parse}, {@code render.template} and {@code
 * drover.model}.
 */
@NullMarked
package drover.manifest.render;

import org.jspecify.annotations.NullMarked;
