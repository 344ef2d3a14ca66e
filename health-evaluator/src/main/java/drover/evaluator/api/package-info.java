/**
 * The evaluator's door: it reads watches, calls the engine, and renders verdicts. Start with {@link
 * drover.evaluator.api.HealthVerdictGrpcService}. Generated messages stop here; nothing is decided
 * here.
 */
@NullMarked
package drover.evaluator.api;

import org.jspecify.annotations.NullMarked;
