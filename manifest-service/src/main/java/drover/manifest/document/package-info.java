/**
 * A configuration file as a tree with locations, and the problems found in it.
 *
 * <p>Start with {@link drover.manifest.document.YamlNode}, then {@link
 * drover.manifest.document.ValidationProblem}. {@link drover.manifest.document.ProblemCode} lists
 * the stable codes. Pure: depends on the language alone, and on no other package of this service.
 */
@NullMarked
package drover.manifest.document;

import org.jspecify.annotations.NullMarked;
