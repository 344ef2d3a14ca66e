/**
 * Is it well? Decided as pure functions over heartbeats. Start with {@link
 * drover.evaluator.assess.ProgramHealthRules}. Must not know messages, streams, threads or clocks.
 */
@NullMarked
package drover.evaluator.assess;

import org.jspecify.annotations.NullMarked;
