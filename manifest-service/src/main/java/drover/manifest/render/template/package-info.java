/**
 * The stated subset of Go's text/template in which configuration is written.
 *
 * <p>Start with {@link drover.manifest.render.template.Template}; then {@code Lexer}, {@code
 * Parser} and {@code Evaluator} in this order. {@code docs/formats.md} lists what belongs to the
 * subset, and goldens that Go itself made verify it. Anything outside is an error with line and
 * column, never a guess.
 *
 * <p>Pure: depends on the language alone, and on no other package of Drover.
 */
@NullMarked
package drover.manifest.render.template;

import org.jspecify.annotations.NullMarked;
