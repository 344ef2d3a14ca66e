/**
 * Where events go outside Drover: NATS and webhooks, each behind {@link
 * drover.coordinator.sink.EventSink}. Start there. Nothing here decides what an event is ({@code
 * event}) or how far a receiver has come ({@code store.export}, {@code engine.export}).
 */
@NullMarked
package drover.coordinator.sink;

import org.jspecify.annotations.NullMarked;
