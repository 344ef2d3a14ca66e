/**
 * Loops of the leader that export or delete history, and streams of events. Start with {@link
 * drover.coordinator.engine.export.EventSinkLoop}, then {@link
 * drover.coordinator.engine.export.SpanExportLoop} and {@link
 * drover.coordinator.engine.export.RetentionLoop}. {@link
 * drover.coordinator.engine.export.EventStreams} and {@link
 * drover.coordinator.engine.export.AllHistoriesVerifier} run on every replica. Rollouts must not
 * depend on this package: they continue while an export fails.
 */
@NullMarked
package drover.coordinator.engine.export;

import org.jspecify.annotations.NullMarked;
