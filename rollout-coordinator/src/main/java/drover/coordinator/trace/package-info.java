/**
 * The pure room of traces: which spans a rollout's history makes. Start with {@link
 * drover.coordinator.trace.SpanAssembler}. No clock, no database, no telemetry library: the same
 * history gives the same spans under the same ids, whichever leader asks and how often.
 */
@NullMarked
package drover.coordinator.trace;

import org.jspecify.annotations.NullMarked;
