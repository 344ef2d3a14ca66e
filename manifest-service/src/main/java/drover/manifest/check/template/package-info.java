/**
 * The stated subset of Go's text/template in which configuration is written.
 *
 * <p>Start with {@link drover.manifest.check.template.Template}; then {@code Lexer}, {@code Parser}
 * and {@code Evaluator} in this order. What belongs to the subset is told in {@code
 * docs/formats.md} and proved by goldens that Go itself made. Anything outside is an error with
 * line and column, never a guess.
 *
 * <p>Pure: depends on nothing but {@code java.lang} and {@code java.util}.
 */
@NullMarked
package drover.manifest.check.template;

import org.jspecify.annotations.NullMarked;
